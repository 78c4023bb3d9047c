import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OutputParser, type SearchEvent, STDIN } from '../../src/search/output.ts';

const FILES = ['./a', './b: c', './d:1:2:3:x', './é', './ binary file matches', './-x'].map((path) =>
  Buffer.from(path),
);
const NOTE = 'binary file matches (found "\\0" byte around offset 12)';

function print(event: SearchEvent): Buffer {
  const path = FILES[event.file] ?? Buffer.alloc(0);
  if ('isBinary' in event) return Buffer.concat([path, Buffer.from(`: ${NOTE}\n`)]);
  const { column, line, offset, printed = Buffer.alloc(0) } = event;
  return Buffer.concat([path, Buffer.from(`\0${line}:${column}:${offset}:`), printed, Buffer.from('\n')]);
}

/** Pushes `bytes` in chunks that end at `cuts`. */
function parse(parser: OutputParser, bytes: Buffer, cuts: readonly number[]): SearchEvent[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.flatMap((end, at) => parser.push(bytes.subarray(ends[at - 1] ?? 0, end)));
}

const lines = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a))),
  fc.constantFrom('', ':', '1:2:3:', `x: ${NOTE}`, NOTE, './a\x001:1:0:x').map((text) => Buffer.from(text)),
);
const number = fc.oneof(fc.nat(9), fc.nat(), fc.constantFrom(2 ** 31, 2 ** 40, 2 ** 48 - 1));
const events = fc
  .array(
    fc.oneof(
      fc.record({ file: fc.nat(FILES.length - 1), line: number, column: number, offset: number, printed: lines }),
      fc.record({ file: fc.nat(FILES.length - 1), isBinary: fc.constant(true as const) }),
    ),
    { maxLength: 8 },
  )
  .map((list): SearchEvent[] => list.toSorted((a, b) => a.file - b.file));
const cuts = fc.array(fc.nat(400), { maxLength: 8 });

describe('what ripgrep prints', () => {
  test('is read as it was meant, however it comes in chunks', () => {
    fc.assert(
      fc.property(events, cuts, (expected, at) => {
        const bytes = Buffer.concat(expected.map(print));
        expect(parse(new OutputParser(FILES), bytes, at)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('about standard input goes by its name', () => {
    const parser = new OutputParser([STDIN]);
    const expected = [
      { file: 0, line: 7, column: 3, offset: 90, printed: Buffer.from(`x: ${NOTE}`) },
      { file: 0, isBinary: true },
    ];

    expect(parse(parser, Buffer.from(`<stdin>\x007:3:90:x: ${NOTE}\n<stdin>: ${NOTE}\n`), [5])).toEqual(expected);
  });

  test('that is neither a hit nor a note is a fault', () => {
    expect(() => new OutputParser(FILES).push(Buffer.from('./a:1:1:0:x\n'))).toThrow(/neither/);
  });

  test('is held back until its line is whole', () => {
    const parser = new OutputParser(FILES);

    expect(parser.push(Buffer.from('./a\x001:1:0:he'))).toEqual([]);
    expect(parser.push(Buffer.from('llo\n'))).toEqual([
      { file: 0, line: 1, column: 1, offset: 0, printed: Buffer.from('hello') },
    ]);
  });

  test.each([['./z\x001:1:0:x\n'], [`./z: ${NOTE}\n`]])('about a file that was not given is a fault: %j', (output) => {
    expect(() => new OutputParser(FILES).push(Buffer.from(output))).toThrow(/was not given/);
  });

  test('about files in another order than given is a fault', () => {
    const parser = new OutputParser(FILES);
    parser.push(Buffer.from('./é\x001:1:0:x\n'));

    expect(() => parser.push(Buffer.from('./a\x001:1:0:x\n'))).toThrow(/was not given/);
  });
});
