import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PathInput, Workspace } from '../../src/workspace/workspace.ts';
import { workspaceAt, workspaceOf } from '../helpers/operations.ts';
import { plant, type Tree } from '../helpers/tree.ts';

function suggestionsFor(workspace: Workspace, asked: string | PathInput): unknown {
  const input = typeof asked === 'string' ? { path: asked } : asked;
  try {
    workspace.locate(input).handle.close();
  } catch (error) {
    return error instanceof Error && 'members' in error ? Object(error.members)['suggestions'] : undefined;
  }
  throw new Error(`'${JSON.stringify(input)}' is there`);
}

describe('a path that is not there', () => {
  it.each<[path: string, tree: Tree, suggested: string[] | undefined]>([
    ['src/mian.ts', { 'src/main.ts': '', 'src/other.ts': '' }, ['/src/main.ts']],
    ['README.MD', { 'README.md': '' }, ['/README.md']],
    ['sr/main.ts', { 'src/main.ts': '' }, ['/src/main.ts']],
    ['sr/app/', { 'src/app/main.ts': '' }, ['/src/app/']],
    ['sr/other.ts', { 'src/main.ts': '' }, ['/src/']],
    ['Src/lib/a.ts', { 'src/lib/a.ts': '', 'srv/b': '' }, ['/src/lib/a.ts', '/srv/']],
    ['src/main.ts/x', { 'src/main.ts': '' }, undefined],
    ['a1', { a2: '', a3: '', a4: '', a5: '' }, ['/a2', '/a3', '/a4']],
    ['folder', { 'folders/x': '', folde: '' }, ['/folde', '/folders/']],
    ['unlike', { 'something.else': '' }, undefined],
    ['target', { link: { linkTo: 'x' }, targe: { linkTo: 'x' } }, undefined],
    ['target', { targe: { fifo: true } }, undefined],
    ['src\\main.ts', { 'src/main.ts': '' }, ['/src/main.ts']],
    ['src\\lib', { 'src/lib/x': '', 'src\\lip': '' }, ['/src/lib/', '/src\\lip']],
    ['.\\src\\', { 'src/main.ts': '' }, ['/src/']],
    ['..\\src\\main.ts', { 'src/main.ts': '' }, undefined],
    ['src\\..\\main.ts', { 'main.ts': '' }, undefined],
    ['src\\mian.ts', { 'src/main.ts': '' }, undefined],
  ])('%s among %j is suggested as %j', (path, tree, suggested) => {
    expect(suggestionsFor(workspaceOf(tree), path)).toEqual(suggested);
  });

  it.each<[path: string, tree: Tree]>([
    ['id_rs', { id_rsa: '' }],
    ['env', { '.env': '' }],
    ['.ss/f', { '.ssh/f': '' }],
    ['credential.json', { 'credentials.json': '' }],
    ['src\\.env', { 'src/.env': '' }],
    ['sr/.env', { 'src/.env': '', 'sra/.env/x': '' }],
    ['secret.json', { 'SECRETS.JSON': '' }],
  ])('%s among %j gets no blocked path suggested', (path, tree) => {
    expect(suggestionsFor(workspaceOf(tree), path)).toBeUndefined();
  });

  it('gets the same suggestions however many blocked names stand beside them', () => {
    const root = plant({ target1: '', target2: '', target3: '' });
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(root, `.env.${at}`), '');
    expect(suggestionsFor(workspaceAt(root), 'target')).toEqual(['/target1', '/target2', '/target3']);
  });

  it('gets no suggestion below a folder whose name is no text', () => {
    const root = plant({});
    const folder = Buffer.from(`${root}/caf\u00e9`, 'latin1');
    mkdirSync(folder);
    writeFileSync(Buffer.concat([folder, Buffer.from('/main.ts')]), '');
    mkdirSync(join(root, 'src'));
    const suggested = (path: Buffer) => suggestionsFor(workspaceAt(root), { pathBytes: path.toString('base64') });
    expect(suggested(Buffer.from('caf\u00e9/mian.ts', 'latin1'))).toBeUndefined();
    expect(suggested(Buffer.from('sr/caf\u00e9', 'latin1'))).toEqual(['/src/']);
  });

  it('gets no suggestion that cannot be sent back', () => {
    const root = plant({});
    writeFileSync(Buffer.from(`${root}/caf\u00e9.txt`, 'latin1'), '');
    expect(suggestionsFor(workspaceAt(root), 'cafe.txt')).toBeUndefined();
  });
});
