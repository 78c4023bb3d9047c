import { chmodSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { eitherWay } from '../helpers/either-way.ts';
import { pathsOf, runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';
import { plantSparse } from '../helpers/sparse.ts';
import { plant } from '../helpers/tree.ts';

const MIB = 1024 * 1024;

describe('excluded', () => {
  test('counts a folder once, and a file once', async () => {
    const { grep } = runnerOn({ 'node_modules/a': 'hit', 'node_modules/b/c': 'hit', 'x/dist/d': 'hit', build: 'hit' });

    expect((await grep({ pattern: 'hit' })).skipped).toEqual(skipped({ excluded: 3 }));
  });

  test('does not count what a level above has left out, or what is hidden', async () => {
    const { find } = runnerOn({ 'node_modules/node_modules/a': '', '.git/b': '' });

    expect((await find({ pattern: '*', includeHidden: false })).skipped).toEqual(skipped({ excluded: 1 }));
  });

  test('goes before ignored', async () => {
    const { find } = runnerOn({ '.gitignore': 'dist\n*.log\n', 'dist/a': '', 'b.log': '' });

    expect((await find({ pattern: '*', gitignore: true })).skipped).toEqual(skipped({ excluded: 1, ignored: 1 }));
  });

  test('does not count what the policy blocks', async () => {
    const { find } = runnerOn({ '.env': '', 'node_modules/.env': '' });

    expect((await find({ pattern: '*', excludeGlob: ['.env'] })).skipped).toEqual(skipped());
  });
});

describe('ignored', () => {
  test('counts a folder once, with all below it', async () => {
    const { ls } = runnerOn({ '.gitignore': 'out/\n*.log\n', 'out/a': '', 'out/b': '', 'c.log': '', 'd/e.log': '' });

    expect((await ls({ recursive: true, gitignore: true })).skipped).toEqual(skipped({ ignored: 3 }));
  });

  test('counts nothing unless gitignore is asked for', async () => {
    const reply = await runnerOn({ '.gitignore': '*\n', a: '' }).ls();

    expect([pathsOf(reply), reply.skipped]).toEqual([['/.gitignore', '/a'], skipped()]);
  });
});

describe.skipIf(!CAN_BE_DENIED)('unreadable (skipped where file modes cannot be made to hold)', () => {
  const closed = { content: 'hit\n', mode: 0 };

  test('counts a file that grep may not open, and the others are searched', async () => {
    const { grep } = runnerOn({ a: 'hit\n', b: closed, c: 'hit\n' });

    const reply = await underFileModes(() => eitherWay(grep, { pattern: 'hit' }));

    expect([pathsOf(reply), reply.skipped]).toEqual([['/a', '/c'], skipped({ unreadable: 1 })]);
  });

  test('counts it when no file at all is readable, too', async () => {
    const { grep } = runnerOn({ a: closed, b: closed });

    const reply = await underFileModes(() => eitherWay(grep, { pattern: 'hit', output: 'files' }));

    expect([reply.count, reply.skipped]).toEqual([0, skipped({ unreadable: 2 })]);
  });

  test.each([
    ['ls', { recursive: true }],
    ['find', { pattern: '*' }],
    ['glob', { pattern: '**' }],
    ['grep', { pattern: 'hit' }],
  ] as const)('counts a folder that %s may not list', async (operation, fields) => {
    const root = plant({ 'a/x': 'hit\n', 'closed/y': 'hit\n' });
    chmodSync(join(root, 'closed'), 0);
    onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
    const { [operation]: act } = runnerOf(workspaceAt(root));

    const reply = await underFileModes(() => act(fields));

    expect(reply.skipped).toEqual(skipped({ unreadable: 1 }));
    expect(pathsOf(reply)).toContain('/a/x');
  });

  test('is an error of its own where the path names it', async () => {
    const { grep, read } = runnerOn({ a: closed });

    await expect(underFileModes(() => read({ path: 'a' }))).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(underFileModes(() => grep({ path: 'a', pattern: 'x' }))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  test('leaves a file in a list with its size', async () => {
    const { ls } = runnerOn({ a: closed });

    expect((await underFileModes(() => ls())).entries).toMatchObject([{ path: '/a', size: 4 }]);
  });
});

describe('binary', () => {
  const nul = (before: number) => `hit\n${'x'.repeat(before)}\0\n`;

  test.each([
    ['in the line of the match', 'hit\0\n'],
    ['before it', '\0\nhit\n'],
    ['at the very start', '\0hit\n'],
    ['after it, within 8 KiB', nul(100)],
    ['after it, beyond 8 KiB', nul(9000)],
    ['after it, beyond 64 KiB', nul(100_000)],
    ['after it, beyond 1 MiB', nul(1_100_000)],
    ['as the last byte', `${'hit\n'.repeat(3)}\0`],
    ['after thousands of matches', `${'hit\n'.repeat(5000)}\0\n`],
  ])('counts a file that matches and has a NUL %s, and shows none of it', async (_, content) => {
    const { grep } = runnerOn({ bin: content, text: 'hit\n' });

    for (const fields of [
      {},
      { path: 'bin' },
      { output: 'files' },
      { output: 'count' },
      { maxMatchesPerFile: 1 },
      { multiline: true },
    ]) {
      const reply = await eitherWay(grep, { pattern: 'hit', ...fields });
      expect([fields, reply.skipped.binary, pathsOf(reply).includes('/bin')]).toEqual([fields, 1, false]);
    }
  });

  test('does not count a file that has no NUL and a note about one', async () => {
    const note = 'hit: binary file matches (found "\\0" byte around offset 3)';
    const { grep } = runnerOn({ note: `${note}\n` });

    expect(await eitherWay(grep, { pattern: 'hit' })).toMatchObject({ matches: [{ text: note }], skipped: skipped() });
  });

  test('does not count it when it is the one file that is asked for, either', async () => {
    const note = 'hit: binary file matches (found "\\0" byte around offset 3)';
    const { grep } = runnerOn({ note: `${note}\n` });

    expect(await eitherWay(grep, { pattern: 'hit', path: 'note' })).toMatchObject({
      matches: [{ text: note }],
      skipped: skipped(),
    });
  });

  test('does not count UTF-16 with a byte order mark', async () => {
    const { grep } = runnerOn({ wide: Buffer.from('\ufeffhit\n', 'utf16le') });

    expect(await grep({ pattern: 'hit' })).toMatchObject({ count: 1, skipped: skipped() });
  });
});

describe('too large', () => {
  test('counts files over 4 GiB, which are not searched', async () => {
    const root = plant({ a: 'hit\n', huge: 'hit\n' });
    truncateSync(join(root, 'huge'), 4 * 1024 * MIB + 1);

    const reply = await eitherWay(runnerOf(workspaceAt(root)).grep, { pattern: 'hit' });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/a'], skipped({ too_large: 1 })]);
  });

  test('counts one that is asked for by name', async () => {
    const root = plantSparse({ huge: 'hit\n' }, { huge: 4 * 1024 * MIB + 1 });

    const reply = await eitherWay(runnerOf(workspaceAt(root)).grep, { pattern: 'hit', path: 'huge' });

    expect([reply.count, reply.skipped]).toEqual([0, skipped({ too_large: 1 })]);
  });
});

describe('undecodable', () => {
  test.each(['hit', 'absent'])(
    'counts files over 64 MiB that would have to be decoded, once each: %s',
    async (pattern) => {
      const lines = Buffer.from('hit\n'.repeat(1000), 'utf16le');
      const { grep } = runnerOn({
        a: 'hit\n',
        wide: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.alloc(64 * MIB, lines)]),
      });

      const reply = await eitherWay(grep, { pattern, maxMatchesPerFile: 3 });

      expect([pathsOf(reply), reply.skipped]).toEqual([pattern === 'hit' ? ['/a'] : [], skipped({ undecodable: 1 })]);
    },
  );

  test('counts those over 64 MiB in an encoding that is asked for, and no smaller ones', async () => {
    const root = plantSparse({ a: 'hit\n', b: '' }, { a: 64 * MIB, b: 64 * MIB + 1 });

    const reply = await runnerOf(workspaceAt(root)).grep({ pattern: 'absent', encoding: 'gbk' });

    expect(reply.skipped).toEqual(skipped({ undecodable: 1 }));
  });

  test('counts them in no other way, too, when they hold a NUL', async () => {
    const root = plant({ wide: Buffer.from('\ufeffhit\n', 'utf16le') });
    truncateSync(join(root, 'wide'), 64 * MIB + 2);

    const reply = await eitherWay(runnerOf(workspaceAt(root)).grep, { pattern: 'hit' });

    expect(reply.skipped.undecodable + reply.skipped.binary).toBe(1);
  });
});
