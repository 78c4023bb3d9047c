import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import type { SearchPattern } from '../../src/search/argv.ts';
import type { SearchEvent } from '../../src/search/output.ts';
import type { Searching } from '../../src/search/ripgrep.ts';
import { TextSearch } from '../../src/search/text-search.ts';

const HIT: SearchPattern = {
  text: 'hit',
  isRegex: false,
  caseSensitive: false,
  wordRegexp: false,
  multiline: false,
  encoding: 'auto',
};
const BOUNDS = { maxColumns: 101, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes };

function start(pattern: Partial<SearchPattern> = {}, bounds: object = {}, signal = new AbortController().signal) {
  const search = new TextSearch({ ...HIT, ...pattern }, { ...BOUNDS, ...bounds }, signal);
  onTestFinished(() => search.stop());
  return search;
}

async function eventsOf(part: Searching): Promise<SearchEvent[]> {
  const all: SearchEvent[] = [];
  for await (const events of part.events()) all.push(...events);
  return all;
}

/** The lines, from the first text on, and the offsets in the text, of what is found. */
async function placesOf(part: Searching): Promise<number[][]> {
  return (await eventsOf(part)).map((event) => ('line' in event ? [event.line, event.offset, event.column] : []));
}

describe('a search of text after text', () => {
  test('finds all of each before the next one is given', async () => {
    const search = start();

    expect(await placesOf(search.search(Buffer.from('no\na HIT hit\n')))).toEqual([[2, 3, 3]]);
    expect(await placesOf(search.search(Buffer.from('no\n')))).toEqual([]);
    expect((await placesOf(search.search(Buffer.from('hit\nhit\n')))).map(([, offset]) => offset)).toEqual([0, 4]);
  });

  test('finds all of each when they are given at once', async () => {
    const search = start();
    const parts = ['hit\n', 'no\n', 'x hit\n'].map((text) => search.search(Buffer.from(text)));

    const found: number[][][] = [];
    for (const part of parts) found.push(await placesOf(part));
    expect(found.map((places) => places.map(([, offset, column]) => [offset, column]))).toEqual([
      [[0, 1]],
      [],
      [[0, 3]],
    ]);
  });

  test.each([64 * 1024 - 1, 64 * 1024, 3 * 64 * 1024 - 1, 3 * 64 * 1024, 9 * 64 * 1024, 1024 * 1024 + 1, 2_000_000])(
    'tells when it is done with lines of %i bytes',
    async (length) => {
      const search = start();
      const lines = ['first', 'x'.repeat(length), `hit${'x'.repeat(length - 3)}`, 'x'.repeat(length), 'last hit', ''];

      expect((await placesOf(search.search(Buffer.from(lines.join('\n'))))).map(([line]) => line)).toEqual([3, 5]);
      expect((await placesOf(search.search(Buffer.from('no\nhit\n')))).length).toBe(1);
    },
  );

  test.each([
    ['everything', { text: '', isRegex: true }, 3],
    ['the ends of lines', { text: '^|$', isRegex: true }, 3],
    ['blanks', { text: ' +', isRegex: true }, 1],
    ['whole words', { wordRegexp: true }, 1],
    ['a letter of the marks, in any case', { text: '[A-F]', isRegex: true }, 1],
    ['with flags for what follows', { text: '(?x)h i t # hit', isRegex: true }, 1],
  ])('knows its own lines from those of a text when it looks for %s', async (_, pattern, count) => {
    const search = start(pattern);

    for (let time = 0; time < 3; time += 1) {
      expect((await eventsOf(search.search(Buffer.from('a hit\n\nzz\n')))).length).toBe(count);
    }
  });

  test('takes bytes at the start of a text as they are', async () => {
    const search = start();

    expect(await placesOf(search.search(Buffer.from('\ufeffhit\n')))).toEqual([[1, 0, 4]]);
    expect((await placesOf(search.search(Buffer.from('\xff\xfehit\n', 'latin1')))).length).toBe(1);
  });

  test('refuses a pattern that ripgrep cannot use, with its position', async () => {
    const part = start({ text: String.raw`ab\p{Foo}`, isRegex: true }).search(Buffer.from('x\n'));

    await expect(eventsOf(part)).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringContaining('(position 2)'),
    });
  });

  test('bounds what is printed of each text', async () => {
    const search = start({}, { outputBytes: 100_000 });
    const few = Buffer.from('hit\n'.repeat(500));

    for (let time = 0; time < 5; time += 1) {
      const part = search.search(few);
      expect([(await eventsOf(part)).length, part.isCut]).toEqual([500, false]);
    }
    const much = search.search(Buffer.from('hit\n'.repeat(100_000)));
    expect([(await eventsOf(much)).length < 100_000, much.isCut]).toEqual([true, true]);
  });

  test('ends with what it has when the time is up', async () => {
    const ending = new AbortController();
    const search = start({}, {}, ending.signal);
    const parts = [search.search(Buffer.from('hit\n')), search.search(Buffer.from('hit\n'.repeat(100_000)))];

    expect((await placesOf(parts[0] as Searching)).length).toBe(1);
    ending.abort();
    expect((await eventsOf(parts[1] as Searching)).length).toBeLessThan(100_000);
  });

  test('is over when a part is left before its end', async () => {
    const search = start();
    const part = search.search(Buffer.from('hit\n'.repeat(100_000)));
    for await (const _ of part.events()) break;
    part.stop();

    expect(await eventsOf(search.search(Buffer.from('hit\n')))).toEqual([]);
  });
});
