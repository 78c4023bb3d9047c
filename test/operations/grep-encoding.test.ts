import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { type Reply, runnerOn } from '../helpers/operations.ts';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

async function matchesIn(content: Buffer | string, fields: Record<string, unknown>): Promise<Reply[]> {
  const { matches }: Reply = await eitherWay(runnerOn({ a: content, other: 'nothing\n' }).grep, fields);
  return matches.map(({ path: _, ...match }: Reply) => match);
}

describe('a byte order mark', () => {
  test.each([
    ['UTF-8', Buffer.from('\ufeffété\nß x\n')],
    ['UTF-16, little-endian', Buffer.from('\ufeffété\nß x\n', 'utf16le')],
    ['UTF-16, big-endian', utf16be('\ufeffété\nß x\n')],
  ])('decides the encoding, and is no text: %s', async (_, content) => {
    expect(await matchesIn(content, { pattern: '^été$|ß', isRegex: true })).toEqual([
      { line: 1, text: 'été' },
      { line: 2, text: 'ß x' },
    ]);
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'gbk'])(
    'decides it against encoding=%s',
    async (encoding) => {
      expect(await matchesIn(utf16be('\ufeffété\n'), { pattern: 'été', encoding })).toEqual([{ line: 1, text: 'été' }]);
    },
  );

  test('at the start of a second line is text', async () => {
    expect(await matchesIn('a\n\ufeffx\n', { pattern: 'x' })).toEqual([{ line: 2, text: '\ufeffx' }]);
  });

  test('alone is an empty file', async () => {
    expect(await matchesIn('\ufeff', { pattern: '^', isRegex: true, path: 'a' })).toEqual([]);
  });
});

describe('encoding', () => {
  test.each([
    ['utf-16le', Buffer.from('été\r\nx', 'utf16le')],
    ['utf-16be', utf16be('été\r\nx')],
    ['UTF-16', Buffer.from('été\r\nx', 'utf16le')],
    ['latin1', Buffer.from('été\r\nx', 'latin1')],
    ['windows-1252', Buffer.from('été\r\nx', 'latin1')],
    ['iso-8859-15', Buffer.from('été\r\nx', 'latin1')],
    ['utf-8', Buffer.from('été\r\nx')],
    ['AUTO', Buffer.from('été\r\nx')],
  ])('=%s decodes files', async (encoding, content) => {
    expect(await matchesIn(content, { pattern: 'été', encoding })).toEqual([{ line: 1, text: 'été' }]);
  });

  test.each([
    ['gbk', 'c4e3bac30a', '你好'],
    ['gb18030', 'c4e3bac30a', '你好'],
    ['big5', 'a741a66e0a', '你好'],
    ['shift_jis', '93fa967b0a', '日本'],
    ['euc-jp', 'c6fccbdc0a', '日本'],
    ['euc-kr', 'c7d1b1db0a', '한글'],
    ['koi8-r', 'c4c10a', 'да'],
    ['windows-1251', 'e4e00a', 'да'],
  ])('=%s decodes files of many bytes a character', async (encoding, hex, text) => {
    expect(await matchesIn(Buffer.from(hex, 'hex'), { pattern: text, encoding })).toEqual([{ line: 1, text }]);
  });

  test('=auto does not guess: legacy text is searched as bytes, and shown with U+FFFD', async () => {
    const latin1 = Buffer.from('été x\n', 'latin1');

    expect([await matchesIn(latin1, { pattern: 'été' }), await matchesIn(latin1, { pattern: 'x' })]).toEqual([
      [],
      [{ line: 1, text: '\ufffdt\ufffd x', lossy: true }],
    ]);
  });

  test.each(['auto', 'utf-8'])('=%s finds lines with bytes that are not UTF-8', async (encoding) => {
    const content = Buffer.from('a\nx \xff\xfe y\n', 'latin1');

    expect(await matchesIn(content, { pattern: 'x', encoding })).toEqual([
      { line: 2, text: 'x \ufffd\ufffd y', lossy: true },
    ]);
  });

  test.each([
    ['gbk', '78ff790a'],
    ['shift_jis', '78ff790a'],
    ['euc-kr', '78ff790a'],
    ['big5', '78ff790a'],
    ['windows-1253', '78d2790a'],
    ['utf-16le', '780000d879000a00'],
    ['utf-16be', '0078dc000079000a'],
  ])('=%s finds lines with bytes that are no text in it', async (encoding, hex) => {
    const [match] = await matchesIn(Buffer.from(hex, 'hex'), { pattern: 'x', encoding });

    expect(match).toMatchObject({ line: 1, text: 'x\ufffdy' });
  });

  test('shows a clipped line with columns of decoded characters', async () => {
    const content = Buffer.from(`${'c4e3'.repeat(20)}${Buffer.from('hit').toString('hex')}${'bac3'.repeat(20)}`, 'hex');

    expect(await matchesIn(content, { pattern: 'hit', encoding: 'gbk', maxLineLength: 8 })).toEqual([
      { line: 1, text: '你你hit好好好', clipped: true, column: 21 },
    ]);
  });

  test.each([[undefined], ['a']])('holds for the one file that is asked for, too: path %s', async (path) => {
    const content = Buffer.from('\n\ncafé\n', 'latin1');

    expect(await matchesIn(content, { pattern: 'é', encoding: 'latin1', path })).toEqual([{ line: 3, text: 'café' }]);
  });

  test.each(['nonsense', 'utf-7', 'replacement', 'utf8\0'])('that is no label is refused: %j', async (encoding) => {
    await expect(runnerOn({ a: 'x' }).grep({ pattern: 'x', encoding })).rejects.toMatchObject({
      code: 'ENCODING_UNKNOWN',
    });
  });
});

describe('UTF-16', () => {
  test('finds characters whose bytes look like line feeds, and lines behind them', async () => {
    const content = Buffer.from('\ufeff\u0a0a\u0a00\u000b\n\u010ax\n', 'utf16le');

    expect(await matchesIn(content, { pattern: 'x' })).toEqual([{ line: 2, text: '\u010ax' }]);
  });

  test('finds astral characters', async () => {
    expect(await matchesIn(Buffer.from('\ufeffa😀b\n', 'utf16le'), { pattern: '😀' })).toEqual([
      { line: 1, text: 'a😀b' },
    ]);
  });

  test('with an odd number of bytes is searched to its end', async () => {
    const content = Buffer.concat([Buffer.from('\ufeffx\ny', 'utf16le'), Buffer.from([0x41])]);

    expect(await matchesIn(content, { pattern: 'y' })).toMatchObject([{ line: 2, text: 'y\ufffd' }]);
  });

  test('over a MiB is searched', async () => {
    const content = Buffer.from(`\ufeff${'some words\n'.repeat(100_000)}the end\n`, 'utf16le');

    expect(await matchesIn(content, { pattern: 'end' })).toEqual([{ line: 100_001, text: 'the end' }]);
  });
});
