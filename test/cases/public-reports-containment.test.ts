import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, scratch } from '../helpers/tree.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
const pathsOf = (reply: any) => (reply.matches ?? reply.entries).map(({ path }: { path: string }) => path);

/** A tree with neighbours outside its root, by paths from the folder that holds both. */
function plantBeside(inside: Parameters<typeof plant>[0], outside: Record<string, string>): string {
  const folder = scratch();
  for (const [path, content] of Object.entries(outside)) {
    execFileSync('mkdir', ['-p', join(folder, path, '..')]);
    writeFileSync(join(folder, path), content);
  }
  return plant(inside, folder);
}

describe('C01: a sibling folder that shares the name of the root', () => {
  const root = () => plantBeside({ 'a.txt': 'ok\n' }, { 'ws-evil/s.txt': 'SECRET\n' });

  it.each([
    ['/read', { path: '../ws-evil/s.txt' }],
    ['/ls', { path: '../ws-evil' }],
    ['/grep', { path: '../ws-evil', pattern: 'SECRET' }],
    ['/find', { path: '../ws-evil', pattern: '*' }],
  ])('is not reached by %s %j', async (path, query) => {
    const { get } = await serviceAt(root());
    const reply = await get(path, query);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'PATH_INVALID']);
    expect(reply.body).not.toMatch(/SECRET\\n|s\.txt"/);
  });

  it('is not reached by its host path', async () => {
    const { get, root: host } = await serviceAt(root());
    const reply = await get('/read', { path: `${host}-evil/s.txt` });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'NOT_FOUND']);
  });

  it("does not keep the root's own files from being read", async () => {
    const { get } = await serviceAt(root());
    expect((await get('/read', { path: 'a.txt' })).json().content).toBe('ok\n');
  });
});

describe('C02: a link inside the root that points outside', () => {
  const tree = { f: { linkTo: '../out/s.txt' }, dir: { linkTo: '../out/d' }, 'a.txt': 'ok\n' };
  async function linked() {
    const root = plantBeside(tree, { 'out/s.txt': 'SECRET\n', 'out/d/t.txt': 'SECRET\n' });
    execFileSync('ln', ['-s', join(root, '../out'), join(root, 'abs')]);
    return serviceAt(root);
  }

  it.each([
    ['/read', { path: 'f' }],
    ['/read', { path: 'dir/t.txt' }],
    ['/read', { path: 'abs/s.txt' }],
    ['/read/raw', { path: 'f' }],
    ['/ls', { path: 'dir' }],
    ['/grep', { path: 'dir', pattern: 'SECRET' }],
  ])('is not followed by %s %j', async (path, query) => {
    const { get } = await linked();
    const reply = await get(path, query);
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'PATH_OUTSIDE_ROOT']);
  });

  it.each([
    ['/grep', { pattern: 'SECRET' }],
    ['/find', { pattern: 't.txt' }],
    ['/glob', { pattern: '**/t.txt' }],
  ])('is not walked through by %s', async (path, query) => {
    const { get } = await linked();
    expect((await get(path, query)).json().count).toBe(0);
  });

  it('is listed as a link, and nothing is told of what it points to', async () => {
    const { get } = await linked();
    const { entries } = (await get('/ls')).json();
    expect(entries.filter(({ path }: { path: string }) => path !== '/a.txt')).toEqual(
      ['/abs', '/dir', '/f'].map((path) => ({
        path,
        is_dir: false,
        size: 0,
        modified_at: expect.any(String),
        type: 'symlink',
      })),
    );
  });
});

describe('C03: a glob that climbs out of the root', () => {
  const root = () => plantBeside({ 'a.txt': 'ok\n' }, { 'out/leak.txt': 'S\n' });

  it.each([
    ['/glob', { pattern: '../out/*' }],
    ['/glob', { pattern: '**/../../out/*' }],
    ['/glob', { pattern: '{a,..}/out/*' }],
    ['/grep', { pattern: 'S', includeGlob: '../out/**' }],
  ])('%s %j is refused', async (path, query) => {
    const { get } = await serviceAt(root());
    const reply = await get(path, query);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'PATTERN_INVALID']);
  });

  it.each([
    ['/glob', { pattern: '/etc/pass*' }],
    ['/find', { pattern: '*', includeGlob: '../out/*' }],
  ])('%s %j finds nothing', async (path, query) => {
    const { get } = await serviceAt(root());
    expect((await get(path, query)).json().count).toBe(0);
  });

  it('gets the same answer whether what it names is there or not', async () => {
    const { get } = await serviceAt(root());
    const headers = { 'x-request-id': 'same' };
    const replies = [
      await get('/glob', { pattern: '../out/leak.txt' }, headers),
      await get('/glob', { pattern: '../out/none.txt' }, headers),
    ];
    expect(replies[1]?.body.replaceAll('none', 'leak')).toBe(replies[0]?.body);
  });
});

describe('C05: a blocked path in a search that starts above it', () => {
  const tree = { 'secret/k.txt': 'KEY=1\n', 'src/a.txt': 'KEY=2\n' };
  const blocked = { policy: ['secret'] };

  it.each([
    ['/grep', { pattern: 'KEY' }, ['/src/a.txt']],
    ['/glob', { pattern: '**/*.txt' }, ['/src/a.txt']],
    ['/find', { pattern: 'k.txt' }, []],
    ['/find', { pattern: 'secret', type: 'any' }, []],
    ['/ls', {}, ['/src/']],
    ['/ls', { recursive: 'true' }, ['/src/', '/src/a.txt']],
  ])('is not shown by %s %j, and not counted', async (path, query, paths) => {
    const { get } = await serviceOf(tree, blocked);
    const reply = (await get(path, query)).json();
    expect([pathsOf(reply), Object.values(reply.skipped)]).toEqual([paths, [0, 0, 0, 0, 0, 0]]);
  });

  it.each([
    ['secret/k.txt', 403, 'PATH_BLOCKED'],
    ['./secret//k.txt', 403, 'PATH_BLOCKED'],
    ['SECRET/k.txt', 403, 'PATH_BLOCKED'],
    ['ｓｅｃｒｅｔ/k.txt', 403, 'PATH_BLOCKED'],
    ['src/../secret/k.txt', 400, 'PATH_INVALID'],
  ])('is not read as %s', async (path, status, code) => {
    const { get } = await serviceOf(tree, blocked);
    const reply = await get('/read', { path });
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });
});

describe('C24: a FIFO, a socket or a device', () => {
  const tree = { p: { fifo: true as const }, 'a.txt': 'hit\n', z: { linkTo: '/dev/zero' } };
  async function special() {
    const service = await serviceOf(tree);
    const socket = createServer();
    socket.listen(join(service.root, 's.sock'));
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    return service;
  }

  it.each([
    ['p', 422, 'NOT_A_FILE'],
    ['s.sock', 422, 'NOT_A_FILE'],
    ['z', 403, 'PATH_OUTSIDE_ROOT'],
  ])('%s is refused at once', async (path, status, code) => {
    const { get } = await special();
    const replies = [
      await get('/read', { path }),
      await get('/read/raw', { path }),
      await get('/grep', { path, pattern: 'x' }),
    ];
    expect(replies.map((reply) => [reply.statusCode, reply.json().code])).toEqual(replies.map(() => [status, code]));
  });

  it('does not stop a search', async () => {
    const { get } = await special();
    expect((await get('/grep', { pattern: 'hit' })).json().matches).toEqual([{ path: '/a.txt', line: 1, text: 'hit' }]);
  });

  it('is listed as what it is', async () => {
    const { get } = await special();
    const { entries } = (await get('/ls')).json();
    expect(entries.map(({ path, type }: Record<string, string>) => `${path} ${type}`)).toEqual([
      '/a.txt file',
      '/p other',
      '/s.sock other',
      '/z symlink',
    ]);
  });

  it('asked for twenty times at once does not keep files from being read', async () => {
    const { get } = await special();
    const asked = Array.from({ length: 20 }, () => get('/read', { path: 'p' }));
    expect((await get('/read', { path: 'a.txt' })).json().content).toBe('hit\n');
    await Promise.all(asked);
  });
});

describe('C55: names that merely hold two dots', () => {
  const tree = { '..foo': 'a\n', 'notes..md': 'b\n', '..data/k': 'c\n', 'src..old/x': 'd\n', '...': 'e\n' };

  it.each(Object.entries(tree))('%s is read', async (path, content) => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path })).json().content).toBe(content);
  });

  it.each(['src..old/../notes..md', '..', '../', './..', '..data/..'])('%s climbs, and is refused', async (path) => {
    const { get } = await serviceOf(tree);
    const replies = [await get('/read', { path }), await get('/ls', { path })];
    expect(replies.map((reply) => reply.json().code)).toEqual(['PATH_INVALID', 'PATH_INVALID']);
  });
});

describe('C56: a NUL in a path', () => {
  const tree = { 'a.txt': 'a\n' };

  it.each([
    [{ action: 'read', input: { path: 'a.txt\u0000.png' } }, 'PATH_INVALID'],
    [{ action: 'glob', input: { pattern: '*\u0000' } }, 'PATTERN_INVALID'],
    [{ action: 'grep', input: { pattern: 'a\u0000b' } }, 'PATTERN_INVALID'],
  ])('%j is refused, and the next request works', async (body, code) => {
    const { execute } = await serviceOf(tree);
    const refused = (await execute(body)).json();
    expect([refused.status, refused.code]).toEqual([400, code]);
    expect((await execute({ action: 'ls', input: { path: '' } })).json().result.count).toBe(1);
  });

  it('or a path of 5000 characters is no failure of the service', async () => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path: 'a'.repeat(5000) })).json()).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});

describe('C58: /proc, absolute paths, a tilde and file URLs', () => {
  const tree = {
    '~/x': 'tilde\n',
    'a.txt': 'ok\n',
    env: { linkTo: '/proc/self/environ' },
    r: { linkTo: '/proc/self/root' },
  };

  it.each([
    ['/proc/self/root/etc/passwd', 404, 'NOT_FOUND'],
    ['/etc/passwd', 404, 'NOT_FOUND'],
    ['file:///etc/passwd', 404, 'NOT_FOUND'],
    ['env', 403, 'PATH_OUTSIDE_ROOT'],
    ['r/etc/passwd', 403, 'PATH_OUTSIDE_ROOT'],
    ['~/x', 400, 'PATH_INVALID'],
    ['~root/.bashrc', 400, 'PATH_INVALID'],
  ])('%s shows no file of the host', async (path, status, code) => {
    const { get } = await serviceOf(tree);
    const reply = await get('/read', { path });
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  // The folder is there; its name cannot be told from what a shell would expand.
  it('./~/x is refused with a hint, and the folder can be listed from above', async () => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path: './~/x' })).json()).toMatchObject({ code: 'PATH_INVALID' });
    expect(pathsOf((await get('/glob', { pattern: '**/x' })).json())).toEqual(['/~/x']);
  });

  it('a leading slash is the root', async () => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path: '/a.txt' })).json().content).toBe('ok\n');
  });
});

describe('C59: a link that is swapped between the check and the open', () => {
  const SWAP = `
    import { renameSync, symlinkSync } from 'node:fs';
    for (process.send('swapping'); ; ) for (const to of ['../out', 'in']) { symlinkSync(to, 'tmp'); renameSync('tmp', 'd'); }`;

  async function swapped() {
    const root = plantBeside({ 'in/f': 'ok\n', d: { linkTo: 'in' } }, { 'out/f': 'SECRET\n' });
    const child = spawn(process.execPath, ['--input-type=module', '-e', SWAP], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await once(child, 'message');
    return serviceAt(root);
  }

  it.each([
    ['/read', { path: 'd/f' }, 2000],
    ['/ls', { path: 'd' }, 200],
    ['/grep', { path: 'd', pattern: 'SECRET' }, 200],
  ])('%s %j never shows what is outside', async (path, query, times) => {
    const { get } = await swapped();
    const answers = new Set<string>();
    for (let left = times; left > 0; left -= 1) {
      const reply = await get(path, query);
      expect(reply.body).not.toContain('SECRET\\n');
      answers.add(reply.statusCode === 200 ? '200' : reply.json().code);
    }
    expect([...answers].filter((answer) => !['200', 'PATH_OUTSIDE_ROOT', 'NOT_FOUND'].includes(answer))).toEqual([]);
  });
});

describe('C60: hard links', () => {
  async function linked() {
    const root = plant({ 'pub/a.txt': 'hit\n', 'secret/k': 'KEY\n' });
    linkSync(join(root, 'pub/a.txt'), join(root, 'pub/b.txt'));
    linkSync(join(root, 'secret/k'), join(root, 'pub/k2'));
    return serviceAt(root, { policy: ['secret'] });
  }

  it('both names of a file are found and read', async () => {
    const { get } = await linked();
    const contents = await Promise.all(['pub/a.txt', 'pub/b.txt'].map((path) => get('/read', { path })));
    expect(contents.map((reply) => reply.json().content)).toEqual(['hit\n', 'hit\n']);
    expect(pathsOf((await get('/grep', { pattern: 'hit' })).json())).toEqual(['/pub/a.txt', '/pub/b.txt']);
  });

  it('an open name of a blocked file is open: the policy is about names', async () => {
    const { get } = await linked();
    expect((await get('/read', { path: 'pub/k2' })).json().content).toBe('KEY\n');
  });
});
