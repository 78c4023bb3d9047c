import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { literalHits } from '../../src/search/literal.ts';
import type { Hit } from '../../src/search/output.ts';
import { inMemory, readable, toSource } from '../../src/search/source.ts';
import { resultOf } from '../helpers/scans.ts';

const MIB = 1024 * 1024;

function hitsIn(content: Buffer, text: string): Hit[] {
  const source = resultOf(toSource(inMemory(content), 'auto'));
  const hits = source === undefined ? [] : [...literalHits(source, Buffer.from(text))].flat();
  // A line may be told twice; whoever shows it takes the first.
  return hits.filter(({ line }, at) => line !== hits[at - 1]?.line);
}

/** The first `count` of what may have no end. */
function* take<T>(all: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const one of all) {
    if (left === 0) return;
    left -= 1;
    yield one;
  }
}

/** The same, line by line. */
function expectedHits(content: Buffer, text: string): Hit[] {
  const hits: Hit[] = [];
  let offset = 0;
  for (const [at, line] of content.toString('latin1').split('\n').entries()) {
    const found = Buffer.from(line, 'latin1').indexOf(Buffer.from(text));
    if (found !== -1) hits.push({ file: 0, line: at + 1, column: found + 1, offset });
    offset += line.length + 1;
  }
  return hits;
}

describe('the lines that hold a text', () => {
  test('are told with their number, their place and that of the first match in them', () => {
    const piece = fc.constantFrom('a', 'ab', 'é', '\n', '\r\n', '\r', '😀', '\xff', 'aa', '\n\n');
    const content = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join('')));
    fc.assert(
      fc.property(content, fc.constantFrom('a', 'ab', 'aab', 'é', '\r', 'aé', '😀a'), (bytes, text) => {
        expect(hitsIn(bytes, text)).toEqual(expectedHits(bytes, text));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('are told across the end of a block, %i bytes before it', (before) => {
    const block = 256 * 1024;
    const content = Buffer.alloc(3 * block + 100, 'xxxxxxxxx\n');
    for (const end of [block, 2 * block, 3 * block]) content.write('needle', end - before);

    expect(hitsIn(content, 'needle')).toEqual(expectedHits(content, 'needle'));
  });

  test('are told behind and in lines that are longer than blocks', () => {
    const long = 'x'.repeat(600_000);
    const content = Buffer.from(`needle\n${long}needle${long}needle\n${long}\nneedle${long}`);

    expect(hitsIn(content, 'needle')).toEqual(expectedHits(content, 'needle'));
  });

  test('are told in batches between which others have their turn, hits or not', () => {
    const content = Buffer.alloc(16 * 1024 * 1024, 'xxxxxxxxx\n');
    const source = resultOf(toSource(inMemory(content), 'auto'));

    const batches = source === undefined ? [] : [...literalHits(source, Buffer.from('needle'))];

    expect([batches.length > 1, batches.flat()]).toEqual([true, []]);
  });

  test.each([
    ['one line that holds it everywhere', Buffer.alloc(64 * MIB, 'needle ')],
    ['short lines, with it at the end', Buffer.concat([Buffer.alloc(32 * MIB, '\n'), Buffer.from('needle')])],
  ])('are told for the price of reading a file twice, with pauses: %s', (_, content) => {
    let bytesRead = 0;
    const read = (position: number, length: number) => {
      const bytes = content.subarray(position, position + length);
      bytesRead += bytes.length;
      return bytes;
    };
    const source = resultOf(toSource(readable(content.length, read), 'auto'));
    const batches = source === undefined ? [] : [...literalHits(source, Buffer.from('needle'))];
    const pauses = batches.filter((batch) => batch.length === 0).length;

    expect(batches.flat().at(-1)?.line).toBe(content.toString('latin1').split('\n').length);
    expect([bytesRead < 2.5 * content.length, pauses > content.length / MIB]).toEqual([true, true]);
  });

  test('end where a file ends that was cut off since its size was known, before its lines were counted', () => {
    const content = Buffer.alloc(2 * MIB, 'x');
    content.write('needle', content.length - 10);
    let isCut = false;
    const read = (position: number, length: number) => {
      const bytes = isCut ? Buffer.alloc(0) : content.subarray(position, position + length);
      isCut ||= bytes.includes('needle');
      return bytes;
    };
    const source = resultOf(toSource(readable(content.length, read), 'auto'));
    const hits = source === undefined ? [] : literalHits(source, Buffer.from('needle'));

    expect([...take(hits, 1_000)].length).toBeLessThan(100);
  });

  test('are none in an empty file', () => {
    expect(hitsIn(Buffer.alloc(0), 'a')).toEqual([]);
  });
});
