import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { type Reply, runnerOn } from '../helpers/operations.ts';

/** Lines `1` to `count`, those in `hits` with a mark. */
function numbered(count: number, hits: readonly number[], end = '\n'): string {
  const lines = Array.from({ length: count }, (_, at) => (hits.includes(at + 1) ? `${at + 1} hit` : `${at + 1}`));
  return lines.join(end) + end;
}

/** Each record as one text: `before|text|after`. */
async function windowsOf(content: string, fields: Record<string, unknown>): Promise<string[]> {
  const { matches }: Reply = await eitherWay(runnerOn({ a: content }).grep, { pattern: 'hit', ...fields });
  return matches.map(({ before, text, after }: Reply) => [before.join(','), text, after.join(',')].join('|'));
}

describe('context', () => {
  test.each([
    [{ before: 2 }, ['3,4|5 hit|']],
    [{ after: 2 }, ['|5 hit|6,7']],
    [{ before: 1, after: 2 }, ['4|5 hit|6,7']],
    [{ context: 2 }, ['3,4|5 hit|6,7']],
    [{ context: 2, after: 1 }, ['3,4|5 hit|6']],
    [{ context: 1, before: 3 }, ['2,3,4|5 hit|6']],
    [{ context: 20 }, ['1,2,3,4|5 hit|6,7,8,9']],
  ])('is the lines before and after: %j', async (fields, windows) => {
    expect(await windowsOf(numbered(9, [5]), fields)).toEqual(windows);
  });

  test('is absent unless it is asked for', async () => {
    const { matches } = await runnerOn({ a: numbered(3, [2]) }).grep({ pattern: 'hit' });

    expect(matches).toEqual([{ path: '/a', line: 2, text: '2 hit' }]);
  });

  test.each([
    [1, ['|1 hit|2']],
    [9, ['8|9 hit|']],
  ])('ends with the file, at line %i', async (hit, windows) => {
    expect(await windowsOf(numbered(9, [hit]), { context: 1 })).toEqual(windows);
  });

  test('ends with a file that has no final line feed', async () => {
    expect(await windowsOf('a\nhit\nlast', { context: 3 })).toEqual(['a|hit|last']);
  });

  test.each([
    ['next to each other', [4, 5], ['2,3|4 hit|', '|5 hit|6,7']],
    ['one line apart', [4, 6], ['2,3|4 hit|5', '|6 hit|7,8']],
    ['two lines apart', [4, 7], ['2,3|4 hit|5,6', '|7 hit|8,9']],
    ['three lines apart', [3, 7], ['1,2|3 hit|4,5', '6|7 hit|8,9']],
    ['far apart', [2, 8], ['1|2 hit|3,4', '6,7|8 hit|9,10']],
    ['three in a row', [4, 5, 6], ['2,3|4 hit|', '|5 hit|', '|6 hit|7,8']],
  ])('shows no line twice where windows overlap: %s', async (_, hits, windows) => {
    expect(await windowsOf(numbered(10, hits), { context: 2 })).toEqual(windows);
  });

  test('shows no line twice with `before` alone, nor with `after` alone', async () => {
    expect(await windowsOf(numbered(9, [3, 5]), { before: 3 })).toEqual(['1,2|3 hit|', '4|5 hit|']);
    expect(await windowsOf(numbered(9, [3, 5]), { after: 3 })).toEqual(['|3 hit|4', '|5 hit|6,7,8']);
  });

  test('begins anew in each file', async () => {
    const { matches }: Reply = await runnerOn({ a: '1\nhit\n', b: '1\nhit\n3\n' }).grep({ pattern: 'hit', context: 1 });

    expect(matches.map(({ before, after }: Reply) => [before, after])).toEqual([
      [['1'], []],
      [['1'], ['3']],
    ]);
  });

  test('has no line endings, CRs of CRLF neither', async () => {
    expect(await windowsOf(numbered(5, [3], '\r\n'), { context: 1 })).toEqual(['2|3 hit|4']);
  });

  test('keeps a lone CR, and a CR at the very end', async () => {
    expect(await windowsOf('a\rb\nhit\nc\r', { context: 1 })).toEqual(['a\rb|hit|c\r']);
  });

  test('has no byte order mark', async () => {
    expect(await windowsOf('\ufeffa\nhit\n', { context: 1 })).toEqual(['a|hit|']);
  });

  test('shows the beginning of lines that are too long', async () => {
    expect(await windowsOf(`${'é'.repeat(9)}\nhit\n${'😀'.repeat(9)}\n`, { context: 1, maxLineLength: 4 })).toEqual([
      'éééé|hit|😀😀😀😀',
    ]);
  });

  test('is found around lines and through gaps of more than one block', async () => {
    const long = 'x'.repeat(200_000);
    const content = `first\n${long}\nhit ${long}\n${long}\nlast\n`;

    expect(await windowsOf(content, { context: 2, maxLineLength: 5 })).toEqual(['first,xxxxx|hit x|xxxxx,last']);
  });

  test('is that of a large file, far behind its beginning', async () => {
    const content = numbered(200_000, [199_990]);

    expect(await windowsOf(content, { context: 1 })).toEqual(['199989|199990 hit|199991']);
  });

  test('is decoded as the file is', async () => {
    const wide = Buffer.from('\ufeffé\r\nhit\r\nß\r\n', 'utf16le');
    const { matches }: Reply = await runnerOn({ a: wide }).grep({ pattern: 'hit', context: 1 });

    expect(matches).toEqual([{ path: '/a', line: 2, text: 'hit', before: ['é'], after: ['ß'] }]);
  });

  test('as text, is told from matches by dashes', async () => {
    const { run } = runnerOn({ a: numbered(4, [2]) });

    expect(await run('grep', { pattern: 'hit', context: 1 }, { form: 'text' })).toBe('/a-1-1\n/a:2:2 hit\n/a-3-3\n');
  });
});
