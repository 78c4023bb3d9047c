import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextLine, endOfLine, excerptOf, maxBytesOf, previousLine } from '../../src/search/excerpt.ts';
import { inMemory, readable, Source } from '../../src/search/source.ts';
import { pausesOf, resultOf } from '../helpers/scans.ts';

function sourceOf(content: string | Buffer): Source {
  return new Source(inMemory(Buffer.from(content as string)));
}

/** An excerpt of the second line of a text, which is `line`; the match is at its character `at`. */
function excerpt(line: string, at: number, maxLength: number, end = '\n') {
  const before = Buffer.byteLength(Array.from(line).slice(0, at).join(''));
  const printed = Buffer.from(end === '\r\n' ? `${line}\r` : line);
  const hit = { file: 0, line: 2, column: before + 1, offset: 2, printed };
  return resultOf(excerptOf(sourceOf(`1\n${line}${end}`), hit, maxLength));
}

const characters = fc.constantFrom('a', 'é', '漢', '😀', '\r', '\u2028');
const lines = fc.array(characters, { minLength: 1, maxLength: 60 }).map((pieces) => `${pieces.join('')}.`);

describe('an excerpt', () => {
  test('is the line, or a window of it around the match, on character boundaries', () => {
    fc.assert(
      fc.property(
        lines,
        fc.nat(60),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('\n', '\r\n', ''),
        (line, n, maxLength, end) => {
          const all = Array.from(line);
          const at = n % all.length;
          const found = excerpt(line, at, maxLength, end);

          expect(found?.end).toBe(2 + Buffer.byteLength(line) + (end === '\r\n' ? 1 : 0));
          if (all.length <= maxLength) {
            expect(found).toEqual({ text: line, end: found?.end });
            return;
          }
          expect(found).toMatchObject({ cut: expect.anything(), column: at + 1 });
          const window = Array.from(found?.text ?? '');
          expect(window.length).toBe(maxLength);
          const starts = all.map((_, start) => start).filter((start) => start <= at && at < start + maxLength);
          expect(starts.some((start) => all.slice(start, start + maxLength).join('') === found?.text)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each([
    [0, 1, 'abcdefgh', 1],
    [10, 11, 'ijklmnop', 11],
    [25, 26, 'stuvwxyz', 26],
  ])('shows what is before the match in its first quarter: match at %i', (at, _, text, column) => {
    expect(excerpt('abcdefghijklmnopqrstuvwxyz', at, 8)).toMatchObject({ text, column });
  });

  test('of a line that is not the one that was printed is none', () => {
    const source = sourceOf('1\nother\n');

    expect(
      resultOf(excerptOf(source, { file: 0, line: 2, column: 1, offset: 2, printed: Buffer.from('line') }, 500)),
    ).toBeUndefined();
  });

  test('of a line that has become shorter than where its match was begins within it', () => {
    const hit = { file: 0, line: 1, column: 20, offset: 0 };

    expect(resultOf(excerptOf(sourceOf(`${'x'.repeat(10)}\n${'y'.repeat(14)}`), hit, 4))).toMatchObject({
      text: 'xxxx',
      column: 11,
    });
  });

  test('of a line that is longer than is printed goes by the match alone', () => {
    const line = `${'x'.repeat(100)}hit`;
    const hit = { file: 0, line: 1, column: 101, offset: 0, printed: Buffer.from('[Omitted long matching line]') };

    expect(resultOf(excerptOf(sourceOf(line), hit, 4))).toEqual({
      text: 'xhit',
      cut: { start: true, end: false },
      column: 101,
      end: 103,
    });
  });

  test('holds four bytes a character and a CR at most', () => {
    expect(maxBytesOf(500)).toBe(2001);
  });
});

describe('lines around', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'é', '\n', '\r\n', '\r', '😀'), { maxLength: 30 })
    .map((pieces) => pieces.join(''));
  const startsIn = (bytes: Buffer) => [0, ...[...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1)];

  test('begin behind the line feed before', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = Buffer.from(text);
        const starts = startsIn(bytes);
        const source = sourceOf(bytes);
        expect(starts.map((start) => resultOf(previousLine(source, start)))).toEqual([
          undefined,
          ...starts.slice(0, -1),
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  test('end at the line feed after, or at the end', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, n) => {
        const bytes = Buffer.from(text);
        const at = n % (bytes.length + 1);
        const feed = bytes.indexOf(0x0a, at);
        expect(resultOf(endOfLine(sourceOf(bytes), at))).toBe(feed === -1 ? bytes.length : feed);
      }),
      { numRuns: 1000 },
    );
  });

  test('are the same whichever way one comes to them, across blocks of the file', () => {
    const length = fc.oneof(fc.constantFrom(0, 1, 900), fc.integer({ min: 32_700, max: 32_800 }), fc.constant(65_500));
    const steps = fc.array(fc.nat(200), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(length, { minLength: 1, maxLength: 12 }), steps, (lengths, visited) => {
        const lines = lengths.map((size, at) => String.fromCharCode(0x61 + at).repeat(size));
        const starts = lines.map((_, at) => lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0));
        const source = sourceOf(lines.join('\n'));
        const found = visited.map((step) => {
          const at = step % lines.length;
          const offset = starts[at] ?? 0;
          return [
            resultOf(previousLine(source, offset)),
            resultOf(endOfLine(source, offset)),
            contextLine(source, offset, 500),
            resultOf(excerptOf(source, { file: 0, line: at + 1, column: 1, offset }, 500))?.end,
          ];
        });

        expect(found).toEqual(
          visited.map((step) => {
            const at = step % lines.length;
            const end = (starts[at] ?? 0) + (lines[at]?.length ?? 0);
            return [at === 0 ? undefined : starts[at - 1], end, lines[at]?.slice(0, 500), end];
          }),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('are shown from their beginning, without the ending', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 6 }), (text, maxLength) => {
        const bytes = Buffer.from(text);
        const lines = text.split('\n');
        const shown = lines.map((line, at) => (at < lines.length - 1 ? line.replace(/\r$/, '') : line));

        expect(startsIn(bytes).map((start) => contextLine(sourceOf(bytes), start, maxLength))).toEqual(
          shown.map((line) => Array.from(line).slice(0, maxLength).join('')),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('are found across blocks', () => {
    const long = 'x'.repeat(200_000);
    const source = sourceOf(`${long}\n${long}\n`);

    expect([
      resultOf(previousLine(source, 200_001)),
      resultOf(previousLine(source, 400_002)),
      resultOf(endOfLine(source, 0)),
      resultOf(endOfLine(source, 200_001)),
    ]).toEqual([0, 200_001, 200_000, 400_001]);
  });
});

test('a file that has become shorter has no line before what is gone, and ends where it ended', () => {
  const left = Buffer.from('one\ntwo\n');
  const source = new Source(readable(2_000_000, (position, length) => left.subarray(position, position + length)));

  expect([resultOf(previousLine(source, 1_500_000)), resultOf(endOfLine(source, 1_500_000))]).toEqual([
    undefined,
    2_000_000,
  ]);
  expect(contextLine(source, 1_500_000, 80)).toBe('');
});

test('a line of megabytes is looked through with pauses', () => {
  const source = sourceOf(`${'x'.repeat(2 * 1024 * 1024)}hit${'x'.repeat(2 * 1024 * 1024)}`);
  const hit = { file: 0, line: 1, column: 2 * 1024 * 1024 + 1, offset: 0 };

  expect([excerptOf(source, hit, 8), endOfLine(source, 0), previousLine(source, source.size)].map(pausesOf)).toEqual([
    expect.toSatisfy((pauses: number) => pauses > 30),
    expect.toSatisfy((pauses: number) => pauses > 30),
    expect.toSatisfy((pauses: number) => pauses > 30),
  ]);
});
