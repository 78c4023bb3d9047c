import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathInput, Workspace } from '../../src/workspace/workspace.ts';
import { isRefusal } from '../helpers/attack.ts';
import { workspaceAt, workspaceOf } from '../helpers/operations.ts';
import { descriptorsOf, hasProc } from '../helpers/proc.ts';
import { serviceOf } from '../helpers/service.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

/** What opening gives: a file's content, `a folder`, or the refusal's code. Anything else is thrown. */
function opened(workspace: Workspace, input: PathInput | string): string {
  try {
    const given = typeof input === 'string' ? { path: input } : input;
    const located = workspace.locate(given);
    located.handle.close();
    if (located.stats.isDirectory()) return 'a folder';
    const file = workspace.openFile(given);
    try {
      return file.read(0, 100).toString();
    } finally {
      file.close();
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.code;
  }
}

/** The root's own host path, as a caller may have it from a shell. */
describe('a host path', () => {
  it.each([
    ['of the root', '', 'a folder'],
    ['of a file', '/src/a.ts', 'A'],
    ['of what is not there', '/src/b.ts', 'NOT_FOUND'],
    ['of what is blocked', '/.env', 'PATH_BLOCKED'],
    ['that climbs', '/../out', 'PATH_INVALID'],
  ])('%s means that place', (_, below, expected) => {
    const root = plant({ 'src/a.ts': 'A', '.env': 'E' });
    expect(opened(workspaceAt(root), root + below)).toBe(expected);
  });

  it('is a virtual path where one of that spelling exists', () => {
    const root = plant({ f: 'host' });
    const folder = scratch();
    const nested = plant({ [`${root}/f`]: 'virtual', f: 'host' }, folder);
    expect(opened(workspaceAt(nested), `${root}/f`)).toBe('virtual');
  });

  it('may be spelled as the operator did, through a link', () => {
    const root = plant({ f: 'F', '../alias': { linkTo: 'ws' } });
    const alias = join(root, '../alias');
    expect(opened(workspaceAt(alias), `${alias}/f`)).toBe('F');
    expect(opened(workspaceAt(alias), `${root}/f`)).toBe('F');
  });

  it('of a folder beside the root with the same beginning is a virtual path', () => {
    const root = plant({ '../ws-evil/f': 'OUTSIDE' });
    expect(opened(workspaceAt(root), `${root}-evil/f`)).toBe('NOT_FOUND');
  });
});

describe('a link that leaves', () => {
  it.each([
    ['and comes back', '../ws/f'],
    ['and comes back through the root of the system', '../../../../../../../../../../tmp/x'],
    ['to a folder, above what is asked', '../out'],
    ['by an absolute path that climbs out of the root', '$R/../out/f'],
    ['by an absolute path that comes back', '/x/..$R/f'],
  ])('%s is refused', (_, target) => {
    const root = plant({ f: 'F', '../out/f': 'OUTSIDE' });
    symlinkSync(target.replace('$R', root), join(root, 'link'));
    for (const path of ['link', 'link/f', 'link/nowhere']) {
      expect(opened(workspaceAt(root), path)).toBe('PATH_OUTSIDE_ROOT');
    }
  });

  it('is refused in the same words whether there is something or not', async () => {
    const { get } = await serviceOf({ a: { linkTo: '../out' }, '../out/there': 'OUTSIDE' });
    const [one, other] = await Promise.all(
      ['a/there', 'a/nope!'].map((path) => get('/read', { path }, { 'x-request-id': 'same' })),
    );
    expect(one?.body.replaceAll('a/there', '')).toBe(other?.body.replaceAll('a/nope!', ''));
  });

  it('in the middle of a chain is refused', () => {
    const tree: Tree = { a: { linkTo: 'b/f' }, b: { linkTo: 'c' }, c: { linkTo: '../out' }, '../out/f': 'OUTSIDE' };
    expect(opened(workspaceOf(tree), 'a')).toBe('PATH_OUTSIDE_ROOT');
  });
});

describe('a chain of links', () => {
  const chain = (length: number): Tree =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [`l${at}`, { linkTo: at === length - 1 ? 'f' : `l${at + 1}` }]),
    );

  it('of forty is followed', () => {
    expect(opened(workspaceOf({ f: 'F', ...chain(40) }), 'l0')).toBe('F');
  });

  it('of forty-one is refused as the kernel does', () => {
    expect(opened(workspaceOf({ f: 'F', ...chain(41) }), 'l0')).toBe('SYMLINK_LOOP');
  });

  it('that climbs up and down as often as its texts have room for ends soon', { timeout: 5_000 }, () => {
    const deep = 'd/'.repeat(150);
    const tree: Tree = { [`${deep}f`]: 'F', [`${deep}a`]: null };
    for (let at = 0; at < 39; at += 1) tree[`${deep}l${at}`] = { linkTo: `${'a/../'.repeat(800)}l${at + 1}` };
    expect(['F', 'SYMLINK_LOOP', 'NOT_FOUND']).toContain(opened(workspaceOf(tree), `${deep}l0`));
  });
});

describe('what a path reaches', () => {
  it('is shown as it was asked for', () => {
    const located = workspaceOf({ 'd/f': '', l: { linkTo: 'd' } }).locate({ path: 'l/f' });
    located.handle.close();
    expect(located).toMatchObject({ shown: ['l', 'f'], real: ['d', 'f'] });
  });

  it.each([
    ['f/x', 'NOT_FOUND'],
    ['f/x/y', 'NOT_FOUND'],
    ['f/', 'NOT_A_DIRECTORY'],
    ['to-f/', 'NOT_A_DIRECTORY'],
    ['to-f/x', 'NOT_FOUND'],
    ['to-f-slash', 'NOT_FOUND'],
    ['d/', 'a folder'],
    ['to-d/', 'a folder'],
    ['to-d-slash', 'a folder'],
    ['x'.repeat(256), 'NOT_FOUND'],
    ['x/'.repeat(3000), 'NOT_FOUND'],
  ])('by %s is %s', (path, expected) => {
    const tree: Tree = { f: 'F', d: null, 'to-f': { linkTo: 'f' }, 'to-d': { linkTo: 'd' } };
    const slashes: Tree = { 'to-f-slash': { linkTo: 'f/' }, 'to-d-slash': { linkTo: 'd/' } };
    expect(opened(workspaceOf({ ...tree, ...slashes }), path)).toBe(expected);
  });

  it.each([
    ['Zg==', 'F'],
    ['L2Y=', 'F'],
    ['Li4vb3V0', 'PATH_INVALID'],
    ['fg==', 'PATH_INVALID'],
    ['AA==', 'PATH_INVALID'],
    ['/y4u', 'NOT_FOUND'],
    ['/y8uLg==', 'PATH_INVALID'],
    ['/wA=', 'PATH_INVALID'],
    ['LmVudg==', 'PATH_BLOCKED'],
    ['!', 'INPUT_INVALID'],
  ])('by the bytes %s is %s', (pathBytes, expected) => {
    expect(opened(workspaceOf({ f: 'F', '.env': 'E' }), { pathBytes })).toBe(expected);
  });
});

describe.skipIf(!hasProc)(hasProc ? 'what is held' : 'what is held (SKIPPED: needs /proc)', () => {
  it('is let go when a path is refused, wherever it ends', () => {
    const links: Tree = {
      'd/out': { linkTo: '../../out' },
      'd/loop': { linkTo: 'loop' },
      'd/env': { linkTo: '../.env' },
    };
    const workspace = workspaceOf({ 'd/e/f': 'F', '.env': '', ...links });
    const before = descriptorsOf(process.pid);
    for (const path of ['d/e/x', 'd/e/f/x', 'd/e/f/', 'd/out/x', 'd/loop', 'd/env', '.env', 'd/..', 'd', 'd/e/f']) {
      opened(workspace, path);
    }
    expect(descriptorsOf(process.pid)).toBe(before);
  });
});

describe('any path at all', () => {
  const SEGMENTS = [
    '..',
    '.',
    'a',
    'b',
    'f',
    'in',
    'out',
    'up',
    'back',
    'abs',
    'env',
    '.env',
    '',
    '~',
    '\0',
    '%2e%2e',
    '..\\',
  ];
  const tree: Tree = {
    f: 'INSIDE',
    'a/f': 'INSIDE',
    'a/b/f': 'INSIDE',
    'a/in': { linkTo: 'b' },
    in: { linkTo: 'a/in' },
    out: { linkTo: '../out' },
    'a/out': { linkTo: '../../out' },
    'a/up': { linkTo: '..' },
    'a/b/up': { linkTo: '../../../out/../ws' },
    back: { linkTo: 'a/up/a/../out' },
    abs: { linkTo: '/' },
    env: { linkTo: '.env' },
    '.env': 'BLOCKED',
    '../out/f': 'OUTSIDE',
    '../out/out': 'OUTSIDE',
    '../f': 'OUTSIDE',
  };

  it('is a file or folder inside, or a refusal of the catalogue', () => {
    const workspace = workspaceOf(tree);
    const paths = fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 8 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(paths, fc.boolean(), (path, asBytes) => {
        const input = asBytes ? { pathBytes: Buffer.from(path).toString('base64') } : { path };
        const got = opened(workspace, input);
        expect(got).toMatch(
          /^(?:INSIDE|a folder|PATH_INVALID|PATH_OUTSIDE_ROOT|PATH_BLOCKED|NOT_FOUND|NOT_A_DIRECTORY|SYMLINK_LOOP)$/,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('that a link has as its text leads inside, or nowhere', () => {
    const root = plant(tree);
    const workspace = workspaceAt(root);
    let at = 0;
    const targets = fc
      .array(fc.constantFrom(...SEGMENTS.filter((name) => name !== '\0'), root.slice(1)), {
        minLength: 1,
        maxLength: 8,
      })
      .map((segments) => segments.join('/'))
      .filter((target) => target !== '');
    fc.assert(
      fc.property(targets, fc.constantFrom('', '/f', '/out/f', '/up/out/f'), (target, rest) => {
        at += 1;
        symlinkSync(target, join(root, `link${at}`));
        expect(['OUTSIDE', 'BLOCKED']).not.toContain(opened(workspace, `link${at}${rest}`));
      }),
      { numRuns: 1000 },
    );
  });
});
