import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { type Reply, runnerOn } from '../helpers/operations.ts';

/** The records of a file's matches, without its path. */
async function matchesIn(content: string | Buffer, pattern: string, fields: Record<string, unknown> = {}) {
  const { matches }: Reply = await eitherWay(runnerOn({ a: content }).grep, { pattern, ...fields });
  return matches.map(({ path: _, ...match }: { path: string }) => match);
}

describe('a line ends at a line feed, and', () => {
  test('its text has neither it nor the CR before it', async () => {
    expect(await matchesIn('one\r\ntwo x\r\nthree x\n', 'x')).toEqual([
      { line: 2, text: 'two x' },
      { line: 3, text: 'three x' },
    ]);
  });

  test('only one CR goes with it', async () => {
    expect(await matchesIn('x\r\r\n', 'x')).toEqual([{ line: 1, text: 'x\r' }]);
  });

  test('a last line without one counts', async () => {
    expect(await matchesIn('one\nx', 'x')).toEqual([{ line: 2, text: 'x' }]);
  });

  test('a CR at the very end of the file is text', async () => {
    expect(await matchesIn('one\nx\r', 'x')).toEqual([{ line: 2, text: 'x\r' }]);
  });

  test.each([
    ['a lone CR', '\r'],
    ['a form feed', '\f'],
    ['a vertical tab', '\v'],
    ['U+0085', '\u0085'],
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
  ])('not at %s', async (_, char) => {
    expect(await matchesIn(`a${char}b\nx${char}y\n`, 'y')).toEqual([{ line: 2, text: `x${char}y` }]);
  });

  test('a pattern may hold such a character', async () => {
    expect(await matchesIn('x\ry\nx\u2028y\n', '\r')).toEqual([{ line: 1, text: 'x\ry' }]);
    expect(await matchesIn('x\ry\nx\u2028y\n', '\u2028')).toEqual([{ line: 2, text: 'x\u2028y' }]);
  });

  test('empty lines are lines', async () => {
    expect(await matchesIn('\n\r\nx\n\n', '^$', { isRegex: true })).toEqual([
      { line: 1, text: '' },
      { line: 2, text: '' },
      { line: 4, text: '' },
    ]);
  });
});

describe('a `$`', () => {
  const content = 'ab\r\nab\nabc\r\nab\rc\nab$\n';

  test.each([
    ['matches before LF and CRLF', 'b$', [1, 2]],
    ['matches in a group', '(b|x)(?:$)', [1, 2]],
    ['matches in one alternative', '^abc$|zzz$', [3]],
    ['matches before a repeated or optional end', 'b$+', [1, 2]],
    ['does not match at a lone CR', 'b$', [1, 2]],
    ['is text when it is escaped', 'b\\$', [5]],
    ['is text in a class', 'b[$]', [5]],
    ['is text in a class that begins with a bracket', 'b[]$]', [5]],
    ['is text in a negated class', 'b[^$c\\r]', []],
    ['is text in a class in a class', 'b[x[$]]', [5]],
    ['is an anchor after a class that is closed', '[ab]$', [1, 2]],
    ['is an anchor after an escaped bracket', '(?:\\[|b)$', [1, 2]],
    ['is an anchor after an escaped backslash', '(?:\\\\|b)$', [1, 2]],
    ['is an anchor after a POSIX class', '[[:alpha:]&&[^c]]$', [1, 2]],
    ['is text in quoted braces', 'b\\x{24}', [5]],
  ])('%s: %s', async (_, pattern, lines) => {
    const found = await matchesIn(content, pattern, { isRegex: true });

    expect(found.map(({ line }: { line: number }) => line)).toEqual(lines);
  });

  test('matches before CRLF over several lines, too', async () => {
    expect(await matchesIn('ab\r\ncd\r\n', 'b$\\s+cd$', { isRegex: true, multiline: true })).toEqual([
      { line: 1, text: 'ab' },
    ]);
  });

  test('is text in a literal pattern', async () => {
    expect(await matchesIn(content, 'b$')).toEqual([{ line: 5, text: 'ab$' }]);
  });

  test('and a `^` frame the text of a line', async () => {
    const found = await matchesIn(content, '^ab$', { isRegex: true });

    expect(found).toEqual([
      { line: 1, text: 'ab' },
      { line: 2, text: 'ab' },
    ]);
  });
});

describe('`line` is the line that read gives', () => {
  test.each([
    ['with CRLF', 'a\r\nb\r\nx\r\n'],
    ['with lone CRs', 'a\rb\nc\r\rx\n'],
    ['with U+2028', 'a\u2028b\n\u2028x\n'],
    ['with a BOM', '\ufeffa\nx\n'],
    ['without a final line feed', 'a\nx'],
    ['in UTF-16', Buffer.from('\ufeffa\r\n\u0a0a\nx\n', 'utf16le')],
  ])('%s', async (_, content) => {
    const { grep, read } = runnerOn({ a: content });

    const { line, text } = (await grep({ pattern: 'x' })).matches[0];

    const { content: whole } = await read({ path: 'a', startLine: line, endLine: line });
    expect(whole.replace(/\r?\n$/, '')).toBe(text);
  });
});

describe('a line of many kinds of characters', () => {
  test.each([
    'tab\there',
    'é',
    '日本語',
    '😀👩‍👩‍👧',
    'e\u0301',
    '\u202eevil',
    '\u001b[31mred\u001b[0m',
    '"quoted" \\ back',
    '\u007f',
    '  spaces  ',
  ])('is given as it stands: %j', async (text) => {
    expect(await matchesIn(`${text}x\n`, 'x')).toEqual([{ line: 1, text: `${text}x` }]);
  });

  test('shows U+FFFD for bytes that are not UTF-8, and tells so', async () => {
    expect(await matchesIn(Buffer.from('caf\xe9 x\n', 'latin1'), 'x')).toEqual([
      { line: 1, text: 'caf\ufffd x', lossy: true },
    ]);
  });

  test('is not lossy for a U+FFFD of its own', async () => {
    expect(await matchesIn('caf\ufffd x\n', 'x')).toEqual([{ line: 1, text: 'caf\ufffd x' }]);
  });
});
