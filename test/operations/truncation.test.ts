import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { pathsOf, runnerOn } from '../helpers/operations.ts';

const three = { 'a.txt': 'hit\n', 'b.txt': 'hit\n', 'c.txt': 'hit\n' };
const lists = [
  ['ls', {}],
  ['find', { pattern: '*.txt' }],
  ['glob', { pattern: '*.txt' }],
  ['grep', { pattern: 'hit' }],
  ['grep', { pattern: 'hit', output: 'files' }],
  ['grep', { pattern: 'hit', output: 'count' }],
  ['grep', { pattern: 'hit', context: 2 }],
  ['grep', { pattern: 'hit', sort: 'none' }],
  ['grep', { pattern: 'hit$', isRegex: true }],
] as const;

/** `names` files that hold a hit each. */
function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 'hit\n']));
}

describe.each(lists)('%s with %j', (operation, fields) => {
  test.each([
    [1, 1, true],
    [2, 2, true],
    [3, 3, false],
    [4, 3, false],
  ])('and maxResults %i gives %i of three results, truncated: %s', async (maxResults, count, truncated) => {
    const reply = await runnerOn(three)[operation]({ ...fields, maxResults });

    expect(reply).toMatchObject({ count, truncated, ...(truncated ? { truncated_by: 'maxResults' } : {}) });
    expect([pathsOf(reply).length, 'truncated_by' in reply]).toEqual([count, truncated]);
  });

  test("is cut by the server's cap as by `limit`, and not when that is exactly enough", async () => {
    const { run } = runnerOn(three);
    const under = async (cap: number) => JSON.parse(await run(operation, fields, { limits: { cap } }));

    expect(await under(2)).toMatchObject({ count: 2, truncated: true, truncated_by: 'limit' });
    expect(await under(3)).toMatchObject({ count: 3, truncated: false });
  });

  test('is cut by `limit` when maxResults is above the cap', async () => {
    const reply = await runnerOn(three).run(operation, fields, { limits: { cap: 2, maxResults: 9 } });

    expect(JSON.parse(reply)).toMatchObject({ count: 2, truncated: true, truncated_by: 'limit' });
  });

  test('that finds nothing is not truncated', async () => {
    expect(await runnerOn({})[operation]({ ...fields, maxResults: 1 })).toMatchObject({ count: 0, truncated: false });
  });
});

// Folders are read, and files are searched, in portions of these sizes: a cut between two must be as exact as one within.
describe.each([
  ['ls', {}, 256],
  ['find', { pattern: 'f*' }, 256],
  ['glob', { pattern: 'f*' }, 256],
  ['grep', { pattern: 'hit' }, 32],
  ['grep', { pattern: 'hit', isRegex: true }, 32],
] as const)('%s %j at the end of a portion', (operation, fields, size) => {
  test.each([
    [size, false],
    [size + 1, true],
  ])(`of ${size} is exact: of %i results, truncated: %s`, async (files, truncated) => {
    const reply = await runnerOn(many(files))[operation]({ ...fields, maxResults: size });

    expect(reply).toMatchObject({ count: size, truncated });
  });
});

describe('maxFiles', () => {
  const tree = { a: 'hit\nhit\nhit\n', b: 'no\n', c: 'hit\nhit\n' };

  test.each([
    [1, 3, true],
    [2, 5, false],
    [3, 5, false],
  ])('%i gives all %i matches of as many files, truncated: %s', async (maxFiles, count, truncated) => {
    const reply = await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxFiles });

    expect(reply).toMatchObject({ count, truncated, ...(truncated ? { truncated_by: 'maxResults' } : {}) });
  });

  test.each([
    [2, 1, 2, true],
    [3, 1, 3, true],
    [4, 1, 3, true],
    [4, 2, 4, true],
    [5, 2, 5, false],
  ])('and maxResults both hold: %i and %i give %i, truncated: %s', async (maxResults, maxFiles, count, truncated) => {
    expect(await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxResults, maxFiles })).toMatchObject({
      count,
      truncated,
    });
  });

  test.each([['files'], ['count']])('counts files with output=%s, too', async (output) => {
    const reply = await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxFiles: 1, output });

    expect(reply).toMatchObject({ count: 1, truncated: true, truncated_by: 'maxResults' });
  });
});

describe('maxMatchesPerFile', () => {
  const tree = { a: 'hit 1\nno\nhit 2\nhit 3\n', b: 'hit 4\n' };

  test.each([
    [1, ['hit 1', 'hit 4']],
    [2, ['hit 1', 'hit 2', 'hit 4']],
    [3, ['hit 1', 'hit 2', 'hit 3', 'hit 4']],
    [9, ['hit 1', 'hit 2', 'hit 3', 'hit 4']],
  ])('%i gives the first lines of each file', async (maxMatchesPerFile, texts) => {
    const reply = await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxMatchesPerFile });

    expect(reply.matches.map(({ text }: { text: string }) => text)).toEqual(texts);
  });

  test('leaves the context of the last line given as it is', async () => {
    const reply = await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxMatchesPerFile: 1, after: 2, path: 'a' });

    expect(reply.matches).toEqual([{ path: '/a', line: 1, text: 'hit 1', before: [], after: ['no', 'hit 2'] }]);
  });

  test('bounds what output=count counts', async () => {
    const reply = await eitherWay(runnerOn(tree).grep, { pattern: 'hit', maxMatchesPerFile: 2, output: 'count' });

    expect(reply.matches).toEqual([
      { path: '/a', count: 2 },
      { path: '/b', count: 1 },
    ]);
  });

  test('counts lines, also when a line has several matches, or a match several lines', async () => {
    const { grep } = runnerOn({ a: 'hit hit\nhit\nx\nhit\n' });

    const reply = await grep({ pattern: 'hit', maxMatchesPerFile: 2, multiline: true });

    expect(reply.matches.map(({ line }: { line: number }) => line)).toEqual([1, 2]);
  });
});

describe('the time', () => {
  test('that runs out leaves a count that would be too low', async () => {
    const { run } = runnerOn({ a: 'hit\n'.repeat(4_000_000) });

    const reply = await run('grep', { pattern: 'hit', isRegex: true, output: 'count' }, { timeoutMs: 200 });

    expect(JSON.parse(reply)).toMatchObject({ matches: [], truncated: true, truncated_by: 'timeout' });
  });

  test('that runs out ends the reply with what there is, and says so', async () => {
    const { run } = runnerOn(three);

    const reply = JSON.parse(await run('grep', { pattern: 'hit', isRegex: true }, { timeoutMs: 0 }));

    expect(reply).toMatchObject({ truncated: true, truncated_by: 'timeout' });
  });
});
