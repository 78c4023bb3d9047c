import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterLineFeed,
  countCharacters,
  countLineFeeds,
  fitUtf8,
  indexOfCharacter,
  lineFeedOf,
} from '../../src/text/lines.ts';

const RUNS = { numRuns: 1000 };

const characters = fc.constantFrom(
  'a',
  '\n',
  '\r',
  'é',
  '漢',
  '😀',
  '\u0a0a',
  '\u0a00',
  '\u000b',
  '\u010a',
  '\u2028',
  '\0',
);
const texts = fc.array(characters, { maxLength: 30 }).map((pieces) => pieces.join(''));

const encoders: [encoding: string, encode: (text: string) => Buffer][] = [
  ['utf-8', (text) => Buffer.from(text)],
  ['utf-16le', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', (text) => Buffer.from(text, 'utf16le').swap16()],
];

test('line feeds are counted, however near to each other they are', () => {
  const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 600 })), { maxLength: 300 });
  fc.assert(
    fc.property(gaps, (lengths) => {
      const bytes = Buffer.from(lengths.map((length) => 'x'.repeat(length)).join('\n'));
      expect(countLineFeeds(bytes, lineFeedOf('utf-8'))).toBe(Math.max(0, lengths.length - 1));
    }),
    { numRuns: 300 },
  );
});

describe.each(encoders)('line feeds in %s', (encoding, encode) => {
  const feed = lineFeedOf(encoding);

  test('are counted as in the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(countLineFeeds(encode(text), feed)).toBe(text.split('\n').length - 1);
      }),
      RUNS,
    );
  });

  test('are found by number: what is before the place after the nth holds n of them and ends in one', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 8 }), (text, nth) => {
        const lines = text.split('\n');
        const before = `${lines.slice(0, nth).join('\n')}\n`;
        expect(afterLineFeed(encode(text), nth, feed)).toBe(nth < lines.length ? encode(before).length : -1);
      }),
      RUNS,
    );
  });
});

test.each([['windows-1252'], ['gbk'], ['shift_jis'], ['iso-2022-jp']])('a line feed of %s is one byte', (encoding) => {
  expect(lineFeedOf(encoding)).toEqual({ unit: 1, at: 0 });
});

test('half a line feed of UTF-16 at the end is none', () => {
  expect(countLineFeeds(Buffer.from([0x61, 0x00, 0x0a]), lineFeedOf('utf-16le'))).toBe(0);
  expect(countLineFeeds(Buffer.from([0x00, 0x61, 0x00]), lineFeedOf('utf-16be'))).toBe(0);
});

describe('characters', () => {
  const any = fc.string({ unit: 'binary', maxLength: 30 });

  test('are counted by code point, halves of pairs as one each', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          any,
          fc.array(fc.constantFrom('\ud83d', '\ude00', 'a')).map((units) => units.join('')),
        ),
        (text) => {
          expect(countCharacters(text)).toBe(Array.from(text).length);
        },
      ),
      RUNS,
    );
  });

  test('are found by number, the end of the text where there are fewer', () => {
    fc.assert(
      fc.property(any, fc.nat(40), (text, nth) => {
        expect(indexOfCharacter(text, nth)).toBe(Array.from(text).slice(0, nth).join('').length);
      }),
      RUNS,
    );
  });
});

describe('what fits into bytes of UTF-8', () => {
  test('is the longest beginning of whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: -3, max: 100 }), (text, bytes) => {
        let expected = '';
        for (const character of text) {
          if (Buffer.byteLength(expected + character) > bytes) break;
          expected += character;
        }
        expect(fitUtf8(text, bytes)).toBe(expected);
      }),
      RUNS,
    );
  });

  test.each([
    ['a', 0, ''],
    ['é', 1, ''],
    ['é', 2, 'é'],
    ['😀', 3, ''],
    ['😀', 4, '😀'],
    ['aé漢😀', 9, 'aé漢'],
    ['aé漢😀', 10, 'aé漢😀'],
  ])('of %j is with %i bytes %j', (text, bytes, fitting) => {
    expect(fitUtf8(text, bytes)).toBe(fitting);
  });
});
