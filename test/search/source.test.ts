import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inMemory, type Readable, readable, type Source, toSource } from '../../src/search/source.ts';
import { pausesOf, resultOf } from '../helpers/scans.ts';

const MIB = 1024 * 1024;

function sourceOf(bytes: Readable, encoding: string): Source | undefined {
  return resultOf(toSource(bytes, encoding));
}

function textOf(source: Source | undefined): string | undefined {
  return source?.read(0, source.size).toString('utf8');
}

describe('a source', () => {
  test.each<[what: string, content: Buffer, encoding: string, text: string]>([
    ['UTF-8', Buffer.from('aé\n'), 'auto', 'aé\n'],
    ['UTF-8 with a mark', Buffer.from('\ufeffaé\n'), 'auto', 'aé\n'],
    ['UTF-16 with a mark', Buffer.from('\ufeffaé😀', 'utf16le'), 'auto', 'aé😀'],
    ['big-endian UTF-16 with a mark', Buffer.from('\ufeffaé', 'utf16le').swap16(), 'auto', 'aé'],
    ['UTF-16 that is asked for', Buffer.from('aé', 'utf16le'), 'utf-16le', 'aé'],
    ['a legacy encoding', Buffer.from('a\xe9', 'latin1'), 'windows-1252', 'aé'],
    ['a mark against what is asked for', Buffer.from('\ufeffaé'), 'windows-1252', 'aé'],
    ['nothing', Buffer.alloc(0), 'auto', ''],
    ['a mark alone', Buffer.from('\ufeff'), 'auto', ''],
  ])('is UTF-8 without a mark, of %s', (_, content, encoding, text) => {
    const source = sourceOf(inMemory(content), encoding);

    expect([textOf(source), source?.size]).toEqual([text, Buffer.byteLength(text)]);
  });

  test('keeps bytes of UTF-8 that are no text as they are', () => {
    const bytes = Buffer.from([0x61, 0xff, 0xc3]);

    expect(sourceOf(inMemory(bytes), 'auto')?.read(0, 3)).toEqual(bytes);
  });

  test('of a large file gives what is at any place of it, through blocks', () => {
    const bytes = Buffer.alloc(MIB + 300_000);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 31 + (at >> 9)) & 0xff;
    bytes.set([0xef, 0xbb, 0xbf]);
    const source = sourceOf(inMemory(bytes), 'auto');
    const content = bytes.subarray(3);
    const read = fc.tuple(fc.nat(content.length + 10), fc.oneof(fc.nat(100), fc.nat(200_000)));
    fc.assert(
      fc.property(fc.array(read, { maxLength: 5 }), (reads) => {
        for (const [position, length] of reads) {
          expect(source?.read(position, length).equals(content.subarray(position, position + length))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('of a large file gives what lies across the end of the block that it holds', () => {
    const bytes = Buffer.from('0123456789'.repeat(200_000));
    const places = Array.from({ length: 12 }, (_, at) => 65_536 - at);
    const short = places.filter((position) => {
      const source = sourceOf(inMemory(bytes), 'auto');
      source?.read(0, 1);
      return source?.read(position, 10).equals(bytes.subarray(position, position + 10)) !== true;
    });

    expect(short).toEqual([]);
  });

  test('decodes characters across the ends of what is read at once', () => {
    const text = `a${'😀'.repeat(400_000)}`;

    expect(textOf(sourceOf(inMemory(Buffer.from(text, 'utf16le')), 'utf-16le')) === text).toBe(true);
  });

  test.each([
    ['utf-16le', 64 * MIB + 1, false],
    ['gbk', 64 * MIB + 1, false],
    ['auto', 64 * MIB + 1, true],
    ['utf-8', 64 * MIB + 1, true],
  ])('of %s and %i bytes: %s', (encoding, size, isThere) => {
    const huge = readable(size, (_, length) => Buffer.alloc(Math.min(length, 16), 'x'));

    expect(sourceOf(huge, encoding) !== undefined).toBe(isThere);
  });
});

describe('a source is binary', () => {
  test.each([
    ['without a NUL', Buffer.alloc(10, 'x'), 'auto', false],
    ['with a NUL at its start', Buffer.from('\0x'), 'auto', true],
    ['with a NUL at its end', Buffer.from('x\0'), 'auto', true],
    ['with a NUL far behind', Buffer.concat([Buffer.alloc(3 * MIB, 'x'), Buffer.from([0])]), 'auto', true],
    ['as UTF-16 without a NUL character', Buffer.from('\ufeffab', 'utf16le'), 'auto', false],
    ['as UTF-16 with one', Buffer.from('\ufeffa\0b', 'utf16le'), 'auto', true],
    ['when it is empty', Buffer.alloc(0), 'auto', false],
  ])('%s', (_, content, encoding, is) => {
    const source = sourceOf(inMemory(content), encoding);

    expect(source === undefined ? undefined : resultOf(source.isBinary())).toBe(is);
  });
});

test('a large source is looked through with pauses', () => {
  const source = sourceOf(inMemory(Buffer.alloc(5 * MIB, 'x')), 'auto');

  expect(source === undefined ? 0 : pausesOf(source.isBinary())).toBeGreaterThan(2);
});

test.each([
  [MIB, true],
  [MIB + 1, false],
])('a source of %i bytes is small: %s', (size, is) => {
  expect(sourceOf(inMemory(Buffer.alloc(size, 'x')), 'auto')?.isSmall).toBe(is);
});

test.each([
  ['utf-16le', Buffer.alloc(3 * MIB, 'a\0')],
  ['windows-1252', Buffer.alloc(3 * MIB, '\xe9', 'latin1')],
])('a source in %s is decoded with pauses, and put together with pauses', (encoding, content) => {
  expect(pausesOf(toSource(inMemory(content), encoding))).toBeGreaterThan(20);
});
