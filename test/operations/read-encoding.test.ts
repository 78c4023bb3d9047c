import { describe, expect, test } from 'vitest';
import { runnerOn } from '../helpers/operations.ts';

const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const hex = (digits: string) => Buffer.from(digits, 'hex');

function read(content: Buffer | string, fields: Record<string, unknown> = {}) {
  return runnerOn({ a: content }).read({ path: 'a', ...fields });
}

describe('a byte order mark', () => {
  const text = 'é\r\n\u0a0a\u0a00\n😀';

  test.each([
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', utf16le(`\ufeff${text}`)],
    ['utf-16be', utf16be(`\ufeff${text}`)],
  ])('decides for %s, is stripped and told', async (encoding, content) => {
    for (const asked of [undefined, 'auto', 'windows-1252', 'utf-16le', 'utf-16be', 'gbk']) {
      expect(await read(content, { encoding: asked })).toMatchObject({
        content: text,
        encoding,
        bom: true,
        total_lines: 3,
        size: content.length,
      });
    }
  });

  test('alone is an empty file', async () => {
    expect(await read('\ufeff')).toMatchObject({ content: '', bom: true, start_line: 0, end_line: 0, total_lines: 0 });
  });

  test('does not count as a column', async () => {
    expect((await read('\ufeffabc', { startColumn: 2 })).content).toBe('bc');
  });

  test('is not told of a file without one', async () => {
    expect(await read('abc')).not.toHaveProperty('bom');
  });
});

describe('an encoding that is asked for', () => {
  test.each([
    ['utf-16le', utf16le('a\né\n'), 'a\né\n', 'utf-16le'],
    ['UTF-16', utf16le('a\né\n'), 'a\né\n', 'utf-16le'],
    ['utf-16be', utf16be('a\né\n'), 'a\né\n', 'utf-16be'],
    ['latin1', hex('e9740a80'), 'ét\n€', 'windows-1252'],
    ['iso-8859-2', hex('b3f3'), 'łó', 'iso-8859-2'],
    ['windows-1251', hex('e4e00a'), 'да\n', 'windows-1251'],
    ['gbk', hex('c4e3bac30a'), '你好\n', 'gbk'],
    ['gb2312', hex('c4e3bac30a'), '你好\n', 'gbk'],
    ['gb18030', hex('c4e381308130'), '你\u0080', 'gb18030'],
    ['big5', hex('a741a66e'), '你好', 'big5'],
    ['Shift_JIS', hex('93fa967b0a'), '日本\n', 'shift_jis'],
    ['euc-jp', hex('c6fccbdc'), '日本', 'euc-jp'],
    ['iso-2022-jp', hex('1b2442467c4b5c1b28420a'), '日本\n', 'iso-2022-jp'],
    ['euc-kr', hex('c7d1b1db'), '한글', 'euc-kr'],
    [' utf-8 ', Buffer.from('é'), 'é', 'utf-8'],
  ])('as %s is used, and named as WHATWG has it', async (label, content, text, encoding) => {
    const reply = await read(content, { encoding: label });

    expect([reply.content, reply.encoding, 'lossy' in reply, 'encoding_guessed' in reply]).toEqual([
      text,
      encoding,
      false,
      false,
    ]);
  });

  test.each(['nonsense', 'utf-7', 'replacement', 'utf-8\0', 'cesu-8'])(
    'and is unknown is refused: %j',
    async (encoding) => {
      await expect(read('x', { encoding })).rejects.toMatchObject({ code: 'ENCODING_UNKNOWN', statusCode: 400 });
    },
  );

  test('and is too long to be one is refused', async () => {
    await expect(read('x', { encoding: 'x'.repeat(65) })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});

describe('encoding=auto', () => {
  test.each([
    ['ASCII', Buffer.from('abc\n')],
    ['UTF-8', Buffer.from('été 日本 😀\n')],
    ['UTF-8 that is cut at the end of what is looked at', Buffer.from(`x${'é'.repeat(600_000)}`)],
  ])('knows %s', async (_, content) => {
    const reply = await read(content, { encoding: 'auto', endLine: 1 });

    expect([reply.encoding, 'encoding_guessed' in reply, 'lossy' in reply]).toEqual(['utf-8', false, false]);
  });

  test.each([
    [
      'Cyrillic',
      'windows-1251',
      hex('cff0e8e2e5f22c20eae0ea20e4e5ebe03f20dfe7fbea20f0f3f1f1eae8e920e820e5f9b820f2e5eaf1f2'),
      'Привет, как дела? Язык русский и ещё текст',
    ],
    [
      'Japanese',
      'shift_jis',
      hex('93fa967b8cea82cc83658358836782c582b781428aaf8e9a82c682d082e782aa82c8'),
      '日本語のテストです。官字とひらがな',
    ],
  ])('guesses %s, and says that it is a guess', async (_, encoding, content, text) => {
    expect(await read(content, { encoding: 'auto' })).toMatchObject({
      content: text,
      encoding,
      encoding_guessed: true,
    });
  });

  test('reads any bytes but NUL as some text', async () => {
    const bytes = Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1));

    const reply = await read(bytes, { encoding: 'auto' });

    expect([reply.encoding_guessed, reply.content.length > 0]).toEqual([true, true]);
  });
});

describe('lossy', () => {
  test.each([
    ['a byte that begins nothing', hex('61ff62'), 'a\ufffdb', {}],
    ['a character that is cut', hex('61e282'), 'a\ufffd', {}],
    ['an overlong form', hex('c0af'), '\ufffd\ufffd', {}],
    ['a surrogate', hex('eda080'), '\ufffd\ufffd\ufffd', {}],
    ['half a pair of UTF-16', utf16le('a\ud83db'), 'a\ufffdb', { encoding: 'utf-16le' }],
    ['an odd byte of UTF-16', hex('610062'), 'a\ufffd', { encoding: 'utf-16le' }],
    ['a byte that the code page has no character for', hex('61d2'), 'a\ufffd', { encoding: 'windows-1253' }],
    ['half a character of GBK', hex('c4'), '\ufffd', { encoding: 'gbk' }],
    ['broken bytes beside those of a U+FFFD', hex('818431a43741'), undefined, { encoding: 'gbk' }],
    ['broken bytes next to a true U+FFFD', hex('efbfbdff'), '\ufffd\ufffd', {}],
  ])('tells of %s', async (_, content, text, fields) => {
    const reply = await read(content, fields);

    expect(reply.lossy).toBe(true);
    if (text !== undefined) expect(reply.content).toBe(text);
  });

  test.each([
    ['UTF-8', Buffer.from('a\ufffdb'), {}],
    ['UTF-16', utf16le('\ufeffa\ufffdb'), {}],
    ['UTF-16, big-endian', utf16be('\ufffd'), { encoding: 'utf-16be' }],
  ])('does not tell of a U+FFFD that the file holds: %s', async (_, content, fields) => {
    const reply = await read(content, fields);

    expect([reply.content.includes('\ufffd'), 'lossy' in reply]).toEqual([true, false]);
  });

  // Bytes are decoded in chunks of 64 KiB: characters lie across their ends.
  test.each([0, 1, 2, 3])('is not told of characters across chunks, %i bytes shifted', async (shift) => {
    const content = 'x'.repeat(shift) + '\ufffd😀é漢'.repeat(30_000);

    const reply = await read(content);

    expect([reply.content === content, 'lossy' in reply]).toEqual([true, false]);
  });

  test('is told of what is read with the range, up to the end of a chunk', async () => {
    const content = Buffer.concat([Buffer.from('one\ntwo\n'), hex('ff'), Buffer.from('\n')]);

    expect(await read(content, { endLine: 1 })).toMatchObject({
      content: 'one\n',
      lossy: true,
      total_lines: 3,
      next: { startLine: 2 },
    });
    expect(await read(content.subarray(0, 8), { endLine: 1 })).not.toHaveProperty('lossy');
  });

  test('is told of what is shown alone', async () => {
    expect(
      await read(Buffer.concat([Buffer.from('ok\n'), Buffer.from('x'.repeat(70_000)), hex('ff')]), { endLine: 1 }),
    ).not.toHaveProperty('lossy');
  });
});

describe('a binary file', () => {
  test.each([
    ['at its start', '\0abc'],
    ['as the last of the first 8 KiB', `${'x'.repeat(8191)}\0`],
    ['in UTF-16 without a mark', utf16le('text')],
  ])('with a NUL %s is refused, saying how to get it', async (_, content) => {
    for (const encoding of ['utf-8', 'auto', 'windows-1252', 'gbk']) {
      await expect(read(content, { encoding })).rejects.toMatchObject({
        code: 'FILE_IS_BINARY',
        statusCode: 415,
        message: expect.stringMatching(/as=base64.*\/read\/raw/),
      });
    }
  });

  test('is refused whatever its range', async () => {
    await expect(read('\0\nabc\n', { startLine: 2 })).rejects.toMatchObject({ code: 'FILE_IS_BINARY' });
  });

  test('is text when it has a mark, or is asked for as UTF-16', async () => {
    expect((await read('\ufeffa\0b')).content).toBe('a\0b');
    expect((await read(utf16le('a\0b'), { encoding: 'utf-16le' })).content).toBe('a\0b');
  });
});

describe('lines of UTF-16', () => {
  test.each([
    ['utf-16le', utf16le],
    ['utf-16be', utf16be],
  ] as const)('end at U+000A alone, not at bytes that look like it: %s', async (encoding, encode) => {
    const content = encode('\u0a0a\u0a00\u000b\nx\u010a\ny');

    expect(await read(content, { encoding, startLine: 2, endLine: 2 })).toMatchObject({
      content: 'x\u010a\n',
      total_lines: 3,
      next: { startLine: 3 },
    });
  });

  test('are counted in a file with an odd number of bytes, too', async () => {
    expect(await read(hex('fffe61000a0062'))).toMatchObject({ content: 'a\n\ufffd', total_lines: 2, end_line: 2 });
    expect(await read(hex('fffe6100610a00'))).toMatchObject({ content: 'a\u0a61\ufffd', total_lines: 1, end_line: 1 });
  });

  test('are found far in a large file', async () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `${at + 1}\u0a0a\n`);

    expect(await read(utf16le(`\ufeff${lines.join('')}`), { startLine: 199_999, endLine: 199_999 })).toMatchObject({
      content: '199999\u0a0a\n',
      total_lines: 200_000,
    });
  });
});
