import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { type Reply, runnerOn } from '../helpers/operations.ts';

const MIB = 1024 * 1024;

async function matchIn(line: string | Buffer, fields: Record<string, unknown> = {}): Promise<Reply> {
  const content = Buffer.concat([Buffer.from('first\n'), Buffer.from(line), Buffer.from('\nlast\n')]);
  const { matches } = await eitherWay(runnerOn({ a: content }).grep, { pattern: 'hit', ...fields });
  expect(matches.length).toBe(1);
  return matches[0];
}

const length = (text: string) => Array.from(text).length;

describe('a line', () => {
  test.each([['x'], ['é'], ['漢'], ['😀']])('of exactly maxLineLength characters is whole: %s', async (char) => {
    const line = `${char.repeat(17)}hit`;

    expect(await matchIn(line, { maxLineLength: 20 })).toEqual({ path: '/a', line: 2, text: line });
  });

  test.each([['x'], ['é'], ['漢'], ['😀']])('of one character more is clipped: %s', async (char) => {
    const match = await matchIn(`${char.repeat(18)}hit`, { maxLineLength: 20 });

    expect(match).toEqual({ path: '/a', line: 2, text: `${char.repeat(17)}hit`, clipped: true, column: 19 });
  });

  test('is whole up to 500 characters by default', async () => {
    expect(await matchIn(`hit${'x'.repeat(497)}`)).not.toHaveProperty('clipped');
    expect(length((await matchIn(`hit${'x'.repeat(498)}`)).text)).toBe(500);
  });

  test('is not counted with its CR', async () => {
    expect(await matchIn('xxhit\r', { maxLineLength: 5 })).toEqual({ path: '/a', line: 2, text: 'xxhit' });
  });

  // The engine prints lines up to a length in bytes, others are read by blocks: every length around that.
  test.each(['', '\r'])('is found whatever its length in bytes, before %j and a line feed', async (end) => {
    const lengths = Array.from({ length: 30 }, (_, at) => at + 3);
    const lines = lengths.map((bytes) => `hit${'x'.repeat(bytes - 3)}${end}`);
    const { grep } = runnerOn({ a: `${lines.join('\n')}\n` });
    const { matches } = await eitherWay(grep, { pattern: 'hit', maxLineLength: 5 });

    expect(matches.map(({ line }: Reply) => line)).toEqual(lengths.map((_, at) => at + 1));
  });
});

describe('the window of a clipped line', () => {
  test.each([
    ['at the start', 0, 'hitxxxxx', 1],
    ['near the start', 1, 'xhitxxxx', 2],
    ['in the middle', 40, 'xxhitxxx', 41],
    ['near the end', 76, 'xxxxhitx', 77],
    ['at the end', 77, 'xxxxxhit', 78],
  ])('holds the match %s', async (_, before, text, column) => {
    const line = `${'x'.repeat(before)}hit${'x'.repeat(77 - before)}`;

    expect(await matchIn(line, { maxLineLength: 8 })).toEqual({ path: '/a', line: 2, text, clipped: true, column });
  });

  test.each([['é'], ['漢'], ['😀'], ['a😀é漢']])('begins and ends between characters: %s', async (char) => {
    const line = `${char.repeat(40)}hit${char.repeat(40)}`;

    const { text, column } = await matchIn(line, { maxLineLength: 9 });

    expect(line).toContain(text);
    expect([length(text), column, text.includes('hit'), text.isWellFormed()]).toEqual([
      9,
      length(char) * 40 + 1,
      true,
      true,
    ]);
  });

  test('is around the first match of the line', async () => {
    const line = `${'x'.repeat(30)}hit1${'x'.repeat(30)}hit2${'x'.repeat(30)}`;

    expect(await matchIn(line, { maxLineLength: 10 })).toMatchObject({
      column: 31,
      text: expect.stringContaining('hit1'),
    });
  });

  test('is as small as one character', async () => {
    expect(await matchIn('xxxxhitxxxx', { maxLineLength: 1 })).toMatchObject({ text: 'h', column: 5 });
  });

  test('has no CR at its end', async () => {
    expect((await matchIn(`${'x'.repeat(50)}hit\r`, { maxLineLength: 8 })).text).toBe('xxxxxhit');
  });

  test('tells of bytes that are not UTF-8 in it', async () => {
    const line = Buffer.from(`${'x'.repeat(50)}\xffhit${'x'.repeat(50)}`, 'latin1');

    expect(await matchIn(line, { maxLineLength: 8 })).toMatchObject({ text: 'x\ufffdhitxxx', lossy: true, column: 52 });
  });

  test('does not tell of such bytes that it does not show', async () => {
    const line = Buffer.from(`\xff${'x'.repeat(5000)}hit${'x'.repeat(5000)}\xff`, 'latin1');

    expect(await matchIn(line, { maxLineLength: 8 })).not.toHaveProperty('lossy');
  });
});

describe('a very long line', () => {
  test.each([
    ['at its start', 0, 3 * MIB],
    ['in its middle', 1.5 * MIB, 1.5 * MIB],
    ['across a block', 64 * 1024 - 1, 2 * MIB],
    ['at its end', 3 * MIB, 0],
  ])('has a window around a match %s, and the lines after it their numbers', async (_, before, after) => {
    const { grep } = runnerOn({ a: `first\n${'x'.repeat(before)}hit${'y'.repeat(after)}\nhit\n` });

    const { matches } = await eitherWay(grep, { pattern: 'hit' });

    expect(matches).toEqual([
      { path: '/a', line: 2, text: expect.stringMatching(/^x{0,497}hity{0,497}$/), clipped: true, column: before + 1 },
      { path: '/a', line: 3, text: 'hit' },
    ]);
    expect(matches[0].text.length).toBe(500);
  });

  test.each([['é'], ['漢'], ['😀']])('of %s is counted in characters', async (char) => {
    const { grep } = runnerOn({ a: `${char.repeat(400_000)}hit${char.repeat(400_000)}` });

    expect((await eitherWay(grep, { pattern: 'hit', maxLineLength: 8 })).matches).toEqual([
      { path: '/a', line: 1, text: `${char.repeat(2)}hit${char.repeat(3)}`, clipped: true, column: 400_001 },
    ]);
  });

  test('without a final line feed is one, too', async () => {
    const { grep } = runnerOn({ a: `${'x'.repeat(2 * MIB)}hit` });

    expect((await eitherWay(grep, { pattern: 'hit', maxLineLength: 6 })).matches).toEqual([
      { path: '/a', line: 1, text: 'xxxhit', clipped: true, column: 2 * MIB + 1 },
    ]);
  });

  test('in UTF-16 is one, too', async () => {
    const { grep } = runnerOn({ a: Buffer.from(`\ufeff${'😀'.repeat(MIB / 2)}hit\n`, 'utf16le') });

    expect((await eitherWay(grep, { pattern: 'hit', maxLineLength: 6 })).matches).toMatchObject([
      { text: '😀😀😀hit', column: MIB / 2 + 1 },
    ]);
  });
});

describe('`column` is where read finds the match', () => {
  test.each([
    ['ASCII', Buffer.from(`${'x'.repeat(900)}hit${'x'.repeat(900)}`)],
    ['astral characters', Buffer.from(`${'😀'.repeat(999)}hit${'x'.repeat(999)}`)],
    ['bytes that are not UTF-8, in a line that is printed', Buffer.from(`${'\xff'.repeat(600)}hit`, 'latin1')],
    [
      'bytes that are not UTF-8, in a line that is not',
      Buffer.from(`${'\xff'.repeat(9000)}hit${'x'.repeat(99)}`, 'latin1'),
    ],
    ['stray continuation bytes', Buffer.from(`${'\x80'.repeat(9000)}hit${'x'.repeat(99)}`, 'latin1')],
  ])('behind %s', async (_, line) => {
    const { grep, read } = runnerOn({ a: Buffer.concat([Buffer.from('first\n'), line, Buffer.from('\n')]) });

    const [{ line: startLine, column: startColumn }] = (await eitherWay(grep, { pattern: 'hit' })).matches;

    expect((await read({ path: 'a', startLine, startColumn })).content).toMatch(/^hit/);
  });
});

describe('in the text form', () => {
  const CASES: [line: string, shown: string][] = [
    ['hit', 'hit'],
    [`hit${'x'.repeat(20)}`, 'hitxxxxx…'],
    [`${'x'.repeat(20)}hit`, '…xxxxxhit'],
    [`${'x'.repeat(20)}hit${'x'.repeat(20)}`, '…xxhitxxx…'],
    [`${'x'.repeat(2 * MIB)}hit`, '…xxxxxhit'],
    [`hit${'x'.repeat(2 * MIB)}`, 'hitxxxxx…'],
  ];

  test.each(CASES)('a line is marked where it is cut', async (line, shown) => {
    const { run } = runnerOn({ a: `${line}\n` });

    expect(await run('grep', { pattern: 'hit', maxLineLength: 8 }, { form: 'text' })).toBe(`/a:1:${shown}\n`);
  });
});
