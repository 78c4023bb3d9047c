import { chmodSync, cpSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { linesOf, serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
const pathsOf = (reply: any) => (reply.matches ?? reply.entries).map(({ path }: { path: string }) => path);

describe('C07: a cap that is reached is told', () => {
  const tree: Tree = Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`f${at}.txt`, 'hit\n']));

  it.each([
    ['/grep', { pattern: 'hit', maxResults: '4' }, 4, true],
    ['/grep', { pattern: 'hit', maxResults: '5' }, 5, false],
    ['/find', { pattern: '*.txt', maxResults: '4' }, 4, true],
    ['/find', { pattern: '*.txt', maxResults: '5' }, 5, false],
  ])('%s %j', async (path, query, count, truncated) => {
    const { get } = await serviceOf(tree);
    const end = linesOf((await get(`${path}/stream`, query)).body).at(-1)?.data;
    expect([(await get(path, query)).json(), end]).toMatchObject([
      { count, truncated },
      { count, truncated },
    ]);
  });
});

describe('C42: one folder that cannot be read', () => {
  async function denied() {
    const root = plant({ 'private/a.txt': 'hit\n', 'pub/b.txt': 'hit\n', 'pub/c.txt': 'hit\n' });
    chmodSync(join(root, 'private'), 0);
    chmodSync(join(root, 'pub/c.txt'), 0);
    const { get } = await serviceAt(root);
    return async (path: string, query: Record<string, string>) => {
      const reply = await underFileModes(() => get(path, query));
      chmodSync(join(root, 'private'), 0o700);
      return reply.json();
    };
  }

  it.skipIf(!CAN_BE_DENIED)('does not end a search, and is counted (skipped where nothing is denied)', async () => {
    const ask = await denied();
    const reply = await ask('/grep', { pattern: 'hit' });
    expect([pathsOf(reply), reply.skipped.unreadable]).toEqual([['/pub/b.txt'], 2]);
  });

  it.skipIf(!CAN_BE_DENIED).each([
    ['/glob', { pattern: '**/*.txt' }],
    ['/find', { pattern: '*.txt' }],
  ])('does not hide what %s finds elsewhere (skipped where nothing is denied)', async (path, query) => {
    const ask = await denied();
    const reply = await ask(path, query);
    expect([pathsOf(reply), reply.skipped.unreadable]).toEqual([['/pub/b.txt', '/pub/c.txt'], 1]);
  });

  it.skipIf(!CAN_BE_DENIED).each([
    ['/ls', { path: 'private' }],
    ['/read', { path: 'pub/c.txt' }],
    ['/read', { path: 'private/a.txt' }],
    ['/grep', { path: 'pub/c.txt', pattern: 'hit' }],
  ])('%s %j is denied when it is asked for (skipped where nothing is denied)', async (path, query) => {
    const ask = await denied();
    expect(await ask(path, query)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
  });
});

describe('C43: links that lead nowhere, and in circles', () => {
  const tree: Tree = {
    'a/b': null,
    'a/f.txt': 'hit\n',
    dead: { linkTo: 'nowhere' },
    self: { linkTo: 'self' },
    'a/b/up': { linkTo: '..' },
    'a/peer': { linkTo: 'b/up' },
    alias: { linkTo: 'a' },
  };

  it('are listed as links', async () => {
    const { get } = await serviceOf(tree);
    const { entries } = (await get('/ls')).json();
    expect(entries.map(({ path, type }: Record<string, string>) => `${path} ${type}`)).toEqual([
      '/a/ directory',
      '/alias symlink',
      '/dead symlink',
      '/self symlink',
    ]);
  });

  it.each([
    ['/grep', { pattern: 'hit' }],
    ['/find', { pattern: 'f.txt' }],
    ['/glob', { pattern: '**/f.txt' }],
  ])('are not followed by %s, which finds each file once', async (path, query) => {
    const { get } = await serviceOf(tree);
    expect(pathsOf((await get(path, query)).json())).toEqual(['/a/f.txt']);
  });

  it.each([
    ['dead', 404, 'NOT_FOUND'],
    ['self', 422, 'SYMLINK_LOOP'],
  ])('%s cannot be read, and that is told', async (path, status, code) => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path })).json()).toMatchObject({ status, code });
  });

  it.each(['alias/f.txt', 'a/peer/f.txt', 'a/b/up/b/up/f.txt'])('%s, which stays inside, is read', async (path) => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path })).json().content).toBe('hit\n');
  });
});

describe('C47: a time limit', () => {
  /** One hit, and after it more than can be searched in time. */
  function endless(): string {
    const root = plant({ 'a/0.txt': 'hit\n', 'z/hole': '' });
    truncateSync(join(root, 'z/hole'), 4 * 1024 ** 3);
    return root;
  }

  it('that is the shortest gives no empty reply that claims to be whole', async () => {
    const { get } = await serviceAt(endless());
    expect((await get('/grep', { pattern: 'hit', timeoutMs: '1' })).json()).toMatchObject({
      truncated: true,
      truncated_by: 'timeout',
    });
  });

  it('keeps what was found before it', async () => {
    const { get } = await serviceAt(endless());
    expect((await get('/grep', { pattern: 'hit', timeoutMs: '700' })).json()).toMatchObject({
      matches: [{ path: '/a/0.txt', line: 1, text: 'hit' }],
      truncated: true,
      truncated_by: 'timeout',
    });
  });

  it('is not needed where the one result that was asked for is all there is', async () => {
    const { get } = await serviceOf({ 'a/0.txt': 'hit\n', 'z/1.txt': '', 'z/2.txt': '' });
    expect((await get('/grep', { pattern: 'hit', maxResults: '1' })).json()).toMatchObject({
      count: 1,
      truncated: false,
    });
  });
});

describe('C48: the order does not change from call to call', () => {
  const names = ['3', '1', '2', '10'].flatMap((name) => [`${name}.txt`, `x/${name}.txt`]);
  const tree: Tree = Object.fromEntries(
    ['b', 'a', 'C', '_'].flatMap((top) => names.map((name) => [`${top}/${name}`, 'hit\n'])),
  );
  const inOrder = ['C', '_', 'a', 'b'].flatMap((top) =>
    ['1.txt', '10.txt', '2.txt', '3.txt', 'x/1.txt', 'x/10.txt', 'x/2.txt', 'x/3.txt'].map((name) => `/${top}/${name}`),
  );

  it.each([
    ['/glob', { pattern: '**/*.txt' }, inOrder],
    ['/grep', { pattern: 'hit' }, inOrder],
    ['/find', { pattern: '*.txt' }, inOrder],
    ['/glob', { pattern: '**/*.txt', maxResults: '5' }, inOrder.slice(0, 5)],
    ['/grep', { pattern: 'hit', maxResults: '5' }, inOrder.slice(0, 5)],
  ])('%s %j is in code-point order, twenty times over, on a copy, too', async (path, query, paths) => {
    const { get, root } = await serviceOf(tree);
    const copy = join(scratch(), 'copy');
    cpSync(root, copy, { recursive: true, preserveTimestamps: true });
    const onCopy = await serviceAt(copy);
    const replies = [await onCopy.get(path, query)];
    for (let left = 20; left > 0; left -= 1) replies.push(await get(path, query));
    expect(replies.map((reply) => pathsOf(reply.json()))).toEqual(replies.map(() => paths));
    expect(new Set(replies.slice(1).map(({ body }) => body)).size).toBe(1);
  });
});

describe('C49: numbers out of range', () => {
  const tree: Tree = { '1.txt': 'hit\n', '2.txt': 'hit\n', '3.txt': 'hit\n', 'n.md': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' };

  it.each(['0', '-1', '1.5', 'ten'])('maxResults=%s is refused with its true minimum', async (maxResults) => {
    const { get } = await serviceOf(tree);
    expect((await get('/find', { pattern: '*.txt', maxResults })).json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '#/maxResults', detail: expect.stringMatching(/\b1\b/) }],
    });
  });

  it('a maximum above all bounds is clamped, and told where that cuts', async () => {
    const { get } = await serviceOf(tree, { maxResults: 2 });
    const [few, all] = [
      (await get('/find', { pattern: '*.txt', maxResults: '1000000000000' })).json(),
      (await get('/find', { pattern: '1.txt', maxResults: '1000000000000' })).json(),
    ];
    expect([few.truncated_by, all.truncated]).toEqual(['limit', false]);
  });

  it('null is the default', async () => {
    const { execute } = await serviceOf(tree);
    const body = { action: 'find', input: { pattern: '*.txt', maxResults: null } };
    expect((await execute(body)).json().result.count).toBe(3);
  });

  it.each([
    [{ startLine: '0' }, 'startLine'],
    [{ startLine: '-1' }, 'startLine'],
    [{ endLine: '-1' }, 'endLine'],
    [{ startLine: '5', endLine: '2' }, 'endLine'],
    [{ maxBytes: '-1' }, 'maxBytes'],
  ])('read with %j is refused, naming %s', async (range: Record<string, string>, field) => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path: 'n.md', ...range })).json()).toMatchObject({
      status: 400,
      errors: [{ pointer: `#/${field}` }],
    });
  });

  it('maxBytes=0 is the limit of the server', async () => {
    const { get } = await serviceOf(tree, { maxReadBytes: 4 });
    expect((await get('/read', { path: 'n.md', maxBytes: '0' })).json()).toMatchObject({
      content: '1\n2\n',
      truncated_by: 'limit',
    });
  });
});
