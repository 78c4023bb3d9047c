import { closeSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hostPathOf, openRoot, type RootReference, RootRefused, toRoot, troubleOf } from '../../src/workspace/root.ts';
import { runnerOf, workspaceAt } from '../helpers/operations.ts';
import { run, start } from '../helpers/process.ts';
import { plant, scratch } from '../helpers/tree.ts';

function open(path: string, insist = false): RootReference {
  const root = openRoot(path, insist);
  onTestFinished(() => {
    if ('fd' in root.held) closeSync(root.held.fd);
  });
  return root;
}

function atHome(home: string): void {
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

describe('a root that is refused', () => {
  const SYSTEM =
    '/ /etc /etc/ssl /proc /proc/self /sys /dev /dev/shm /boot /root /home /usr /usr/bin /var /tmp /opt'.split(' ');

  it.each(SYSTEM.filter((path) => existsSync(path)))('P01: is %s', (path) => {
    expect(() => open(path)).toThrow(RootRefused);
  });

  it.each(['/etc/', '//etc', '/usr/../etc', '/tmp/..', '/.'])('P01: is a system folder spelled %s', (path) => {
    expect(() => open(path)).toThrow(RootRefused);
  });

  it('P01: is the home folder', () => {
    const home = plant({});
    atHome(home);
    expect(() => open(home)).toThrow(RootRefused);
  });

  it('P01: is the home folder by its real path, when HOME is a link', () => {
    const home = plant({ '../alias': { linkTo: 'ws' } });
    atHome(join(home, '../alias'));
    expect(() => open(home)).toThrow(RootRefused);
  });

  it.each(['.ssh', '.aws/x', '.gnupg', '.kube', '.docker', '.config/gcloud', '.config/gcloud/x', '.azure', '.ssh/a/b'])(
    'P02: is a folder %s, wherever it lies',
    (name) => {
      const folder = scratch();
      mkdirSync(join(folder, name), { recursive: true });
      expect(() => open(join(folder, name))).toThrow(RootRefused);
    },
  );

  it.each(['/etc', '/', '/etc/ssl/..'])('P03: is a link to %s', (target) => {
    const link = join(scratch(), 'link');
    symlinkSync(target, link);
    expect(() => open(link)).toThrow(RootRefused);
  });

  it('P03: is reached through a link in its path', () => {
    const folder = scratch();
    mkdirSync(join(folder, '.ssh/keys'), { recursive: true });
    symlinkSync('.ssh', join(folder, 'harmless'));
    expect(() => open(join(folder, 'harmless/keys'))).toThrow(RootRefused);
  });

  it.each(['a file', 'a FIFO', 'missing', 'a link to nothing', 'a link to itself', 'below a file'])(
    'P04: is %s',
    (name) => {
      const root = plant({
        'a file': '',
        'a FIFO': { fifo: true },
        'a link to nothing': { linkTo: 'missing' },
        'a link to itself': { linkTo: 'a link to itself' },
      });
      expect(() => open(join(root, name === 'below a file' ? 'a file/x' : name))).toThrow(RootRefused);
    },
  );

  it.each(['C:\\Windows', 'c:/windows/system32', 'C:\\', '\\\\srv\\share', '\\\\?\\C:\\Windows'])(
    'P05: is %s, a name like any other that is not there',
    (path) => {
      expect(() => open(path)).toThrow(RootRefused);
    },
  );

  it.skipIf(!existsSync('/proc/self'))('is what the kernel shows, even for an operator who insists', () => {
    expect(() => open('/proc', true)).toThrow(RootRefused);
  });

  it('ends the start with one line and exit code 2', async () => {
    const ended = await run({ args: ['--root', '/etc'] });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^fs-sidecar: --root: '\/etc' is a system or home folder[^\n]*\n$/);
  });

  it.each([
    ['--token-file', 'token'],
    ['--blocked-file', 'rules'],
    ['--socket', 'service.sock'],
  ])('P06: holds what %s names', async (flag, name) => {
    const root = plant({ [`sub/${name}`]: name === 'service.sock' ? null : 'secret\n' });
    rmSync(join(root, 'sub/service.sock'), { recursive: true, force: true });
    const ended = await run({ args: ['--root', root, '--port', '0', flag, join(root, 'sub', name)] });
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`${flag} lies inside the root`);
  });

  it.each([
    ['through a link to a folder', '../alias/token'],
    ['behind a link beside the root', '../link'],
    ['as a link to a file beside the root, which could be exchanged', 'link'],
  ])('P06: holds what --token-file names, %s', async (_, path) => {
    const root = plant({
      token: 'secret\n',
      link: { linkTo: '../other' },
      '../alias': { linkTo: 'ws' },
      '../link': { linkTo: 'ws/token' },
      '../other': 'secret\n',
    });
    const ended = await run({ args: ['--root', root, '--port', '0', '--token-file', join(root, path)] });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^fs-sidecar: --token-file lies inside the root[^\n]*\n$/);
  });

  it('P06: holds the program itself, of which the operator is warned', async () => {
    const service = await start(fileURLToPath(new URL('../..', import.meta.url)));
    const line = await service.log.line(({ level }) => level === 40);
    expect(line['msg']).toMatch(/^the service's own program lies inside the root/);
  });
});

describe('a root that is taken', () => {
  it('P07: lies below the home folder', () => {
    const home = scratch();
    atHome(home);
    mkdirSync(join(home, 'project'));
    expect(hostPathOf(open(join(home, 'project')))).toBe(join(home, 'project'));
  });

  it.each(['etc', 'etcetera', '.sshd', 'my.ssh', 'proc', '.config', 'gcloud'])(
    'P08: is called %s, which only resembles what is refused',
    (name) => {
      const folder = scratch();
      mkdirSync(join(folder, name));
      expect(() => open(join(folder, name))).not.toThrow();
    },
  );

  it('is a system folder that the operator insists on', () => {
    expect(hostPathOf(open('/etc', true))).toBe('/etc');
  });
});

describe('a root that is pinned', () => {
  it('is served when it was renamed and another put in its place', async () => {
    const root = plant({ f: 'INSIDE', '../other/f': 'OUTSIDE' });
    const { read } = runnerOf(workspaceAt(root));
    renameSync(root, join(root, '../moved'));
    renameSync(join(root, '../other'), root);
    expect((await read({ path: 'f' })).content).toBe('INSIDE');
  });

  it('still takes its old host path', async () => {
    const root = plant({ f: 'INSIDE' });
    const { read } = runnerOf(workspaceAt(root));
    renameSync(root, join(root, '../moved'));
    expect((await read({ path: `${root}/f` })).content).toBe('INSIDE');
  });

  it('is not what is made under its name when it was deleted', async () => {
    const root = plant({ f: 'INSIDE' });
    const { read } = runnerOf(workspaceAt(root));
    rmSync(root, { recursive: true });
    mkdirSync(root);
    writeFileSync(join(root, 'g'), 'OUTSIDE');
    await expect(read({ path: 'g' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is in trouble when it was deleted, and the reason names no host path', () => {
    const root = plant({});
    const reference = open(root);
    expect(troubleOf(reference)).toBeUndefined();
    rmSync(root, { recursive: true });
    expect(troubleOf(reference)).toMatch(/^[^/]+$/);
  });
});

describe('a host path', () => {
  it.each([
    ['/a/ws/x/y', ['x', 'y']],
    ['/a/ws', []],
    ['/a/ws-evil/x', undefined],
    ['/a', undefined],
    ['/', undefined],
    ['/b/alias/x', ['x']],
  ])('%s lies %j below a root at /a/ws and /b/alias', (path, below) => {
    const { held } = open(plant({}));
    const root = toRoot({ held, hostPaths: ['/a/ws', '/b/alias'] });
    expect(root.below(path.split('/').filter((name) => name !== ''))).toEqual(below);
  });
});
