import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EncodingUnknown } from '../../src/errors.ts';
import { BINARY_SAMPLE, looksBinary } from '../../src/text/binary.ts';
import { Decoder, guessEncoding, isUtf8Sample, sniffBom, toEncoding, unitOf } from '../../src/text/encoding.ts';

const RUNS = { numRuns: 1000 };

describe('a byte order mark', () => {
  test.each([
    ['efbbbf', { encoding: 'utf-8', length: 3 }],
    ['efbbbf61', { encoding: 'utf-8', length: 3 }],
    ['fffe', { encoding: 'utf-16le', length: 2 }],
    // WHATWG knows no UTF-32: its little-endian mark begins as that of UTF-16.
    ['fffe0000', { encoding: 'utf-16le', length: 2 }],
    ['feff0061', { encoding: 'utf-16be', length: 2 }],
    ['efbb', undefined],
    ['ff', undefined],
    ['', undefined],
    ['61efbbbf', undefined],
  ])('of %s', (hex, bom) => {
    expect(sniffBom(Buffer.from(hex, 'hex'))).toEqual(bom);
  });
});

describe('a label', () => {
  test.each([
    ['utf-8', 'utf-8'],
    ['UTF8', 'utf-8'],
    [' unicode-1-1-utf-8\n', 'utf-8'],
    ['utf-16', 'utf-16le'],
    ['utf-16be', 'utf-16be'],
    ['latin1', 'windows-1252'],
    ['ascii', 'windows-1252'],
    ['iso-8859-1', 'windows-1252'],
    ['sjis', 'shift_jis'],
    ['gb2312', 'gbk'],
    ['x-user-defined', 'x-user-defined'],
  ])('%j names %s', (label, name) => {
    expect(toEncoding(label)).toBe(name);
  });

  test.each(['', 'nonsense', 'utf-7', 'utf-32', 'replacement', 'hz-gb-2312', 'utf\u212a8', 'auto'])(
    '%j is unknown',
    (label) => {
      expect(() => toEncoding(label)).toThrow(EncodingUnknown);
    },
  );

  test('that is very long is not given back as a whole', () => {
    expect(() => toEncoding('x'.repeat(10_000))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{0,400}$/) }),
    );
  });
});

test.each([
  ['utf-16le', 2],
  ['utf-16be', 2],
  ['utf-8', 1],
  ['gbk', 1],
])('a unit of %s has %i bytes', (encoding, unit) => {
  expect(unitOf(encoding)).toBe(unit);
});

/** Decodes `bytes` in chunks that end at `cuts`. */
function decode(encoding: string, bytes: Buffer, cuts: readonly number[] = []): { text: string; isLossy: boolean } {
  const decoder = new Decoder(encoding);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const chunks = [...ends, bytes.length].map((end, at) => bytes.subarray(at === 0 ? 0 : ends[at - 1], end));
  const text = chunks.map((chunk) => decoder.decode(chunk)).join('') + decoder.end();
  return { text, isLossy: decoder.isLossy };
}

/** Whether the bytes are text in the encoding, as Node's decoder has it. */
function isText(encoding: string, bytes: Buffer): boolean {
  try {
    new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe('decoding', () => {
  // Bytes that matter: parts of U+FFFD and of long characters in each encoding, and what breaks them.
  const byte = fc.constantFrom(
    0x61,
    0x0a,
    0xef,
    0xbf,
    0xbd,
    0xfd,
    0xff,
    0xf0,
    0x9f,
    0x98,
    0x80,
    0xe2,
    0xd8,
    0xdc,
    0x84,
    0x31,
    0xa4,
    0x37,
    0x00,
    0xc3,
  );
  const replacement = fc.constantFrom('efbfbd', 'fdff', 'fffd', '8431a437').map((hex) => Buffer.from(hex, 'hex'));
  const bytes = fc
    .array(
      fc.oneof(
        { weight: 4, arbitrary: byte.map((value) => Buffer.from([value])) },
        { weight: 1, arbitrary: replacement },
      ),
      { maxLength: 20 },
    )
    .map((parts) => Buffer.concat(parts));
  const cuts = fc.array(fc.nat(40), { maxLength: 5 });

  test.each(['utf-8', 'utf-16le', 'utf-16be'])('%s is as Node decodes it, however the bytes are cut', (encoding) => {
    fc.assert(
      fc.property(bytes, cuts, (content, ends) => {
        const expected = new TextDecoder(encoding, { ignoreBOM: true }).decode(content);
        expect(decode(encoding, content, ends).text).toBe(expected);
      }),
      RUNS,
    );
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be'])(
    'of %s is lossy exactly when bytes are no text, however they are cut',
    (encoding) => {
      fc.assert(
        fc.property(bytes, cuts, (content, ends) => {
          expect(decode(encoding, content, ends).isLossy).toBe(!isText(encoding, content));
        }),
        RUNS,
      );
    },
  );

  test.each(['gb18030', 'gbk', 'shift_jis', 'euc-kr', 'big5', 'euc-jp', 'iso-2022-jp', 'windows-1253'])(
    'of %s does not depend on how the bytes are cut',
    (encoding) => {
      fc.assert(
        fc.property(bytes, cuts, (content, ends) => {
          expect(decode(encoding, content, ends)).toEqual(decode(encoding, content));
        }),
        RUNS,
      );
    },
  );

  test('keeps a byte order mark: whoever reads strips it', () => {
    expect(decode('utf-8', Buffer.from('\ufeffa')).text).toBe('\ufeffa');
  });
});

describe('a guess', () => {
  test('is windows-1252 when nothing says anything', () => {
    expect(guessEncoding(Buffer.from([0x80]))).toBe('windows-1252');
    expect(guessEncoding(Buffer.alloc(0))).toBe('windows-1252');
  });

  test.each([[[0x1b, 0x4e, 0xff]], [[0x1b, 0x24, 0x29, 0x43, 0xe9]], [[0x1b, 0x24, 0x29, 0x41, 0xe9]]])(
    'is none of the encodings that a decoder may only replace (WHATWG Encoding, "replacement"): %j',
    (bytes) => {
      expect(guessEncoding(Buffer.from(bytes))).toBe('windows-1252');
    },
  );

  test('is a name that can be decoded, and neither UTF-8 nor UTF-16, for any bytes', () => {
    // A guess looks at the bytes with some thirty recognisers.
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (content) => {
        const name = guessEncoding(content);
        expect([toEncoding(name), /^utf-/.test(name)]).toEqual([name, false]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a sample', () => {
  test.each([
    ['', true],
    ['abc', true],
    ['é漢😀', true],
  ])('of whole characters is UTF-8: %j', (text, is) => {
    expect([isUtf8Sample(Buffer.from(text), false), isUtf8Sample(Buffer.from(text), true)]).toEqual([is, is]);
  });

  test.each([1, 2, 3])('that ends %i bytes into a character is UTF-8 when it is the beginning of more', (length) => {
    const sample = Buffer.concat([Buffer.from('abc'), Buffer.from('😀').subarray(0, length)]);

    expect([isUtf8Sample(sample, true), isUtf8Sample(sample, false)]).toEqual([true, false]);
  });

  test.each(['61ff', 'ff616161', 'c3286161', 'eda080616161'])('with other bytes is not: %s', (hex) => {
    expect(isUtf8Sample(Buffer.from(`${hex}61616161`, 'hex'), true)).toBe(false);
  });
});

describe('a file looks binary', () => {
  test.each([
    [0, true],
    [BINARY_SAMPLE - 1, true],
    [BINARY_SAMPLE, false],
  ])('by a NUL among the first 8,192 bytes: at %i', (at, is) => {
    const start = Buffer.alloc(BINARY_SAMPLE + 10, 'x');
    start[at] = 0;

    expect(looksBinary(start)).toBe(is);
  });

  test('not when it is empty, or full of other control characters', () => {
    expect([looksBinary(Buffer.alloc(0)), looksBinary(Buffer.from('\u0001\u001b\u007f'))]).toEqual([false, false]);
  });
});
