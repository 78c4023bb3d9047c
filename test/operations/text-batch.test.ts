import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { TextBatch, withoutNuls } from '../../src/operations/text-batch.ts';
import type { SearchPattern } from '../../src/search/argv.ts';
import type { SearchEvent } from '../../src/search/output.ts';
import { Search, type Searching } from '../../src/search/ripgrep.ts';
import { textOf } from '../../src/search/source.ts';
import { TextSearch } from '../../src/search/text-search.ts';
import { OpenFile } from '../../src/workspace/open.ts';
import { filesWith, oddTexts } from '../helpers/odd-texts.ts';
import { plant } from '../helpers/tree.ts';

const BOUNDS = { maxColumns: 2001, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes };
const { signal } = new AbortController();

// At the end of a file without a line feed, ripgrep does not find the empty text.
const content = filesWith(oddTexts().map((one) => (/[^\n\0]$/.test(one) ? `${one}\n` : one)));
const pattern = fc.record({
  text: fc.constantFrom('x', '^', '$', '^$', '.', '^x', 'x$', '[^x]$', '\\s', '\\bx\\b', '\\x{feff}', 'É|yy'),
  isRegex: fc.constant(true),
  caseSensitive: fc.boolean(),
  wordRegexp: fc.boolean(),
  multiline: fc.constant(false),
  encoding: fc.constant('auto'),
});

async function eventsOf(search: Searching, located = (events: SearchEvent[]) => events): Promise<SearchEvent[]> {
  const all: SearchEvent[] = [];
  for await (const events of search.events()) all.push(...located(events));
  return all;
}

/** Hits of files without a NUL by their places; of others only that there are some. */
function placesOf(events: readonly SearchEvent[]): unknown[] {
  const binary = new Set(events.flatMap((event) => ('isBinary' in event ? [event.file] : [])));
  const hits = events.flatMap((event) =>
    'line' in event && !binary.has(event.file) ? [[event.file, event.line, event.column, event.offset]] : [],
  );
  return [...hits, ...[...binary].map((file) => [file, 'binary'])];
}

async function byRipgrep(contents: readonly Buffer[], asked: SearchPattern): Promise<unknown[]> {
  const root = plant(Object.fromEntries(contents.map((one, at) => [`f${at}`, one])));
  const descriptors = contents.map((_, at) => openSync(join(root, `f${at}`), 'r'));
  try {
    return placesOf(await eventsOf(new Search(asked, { descriptors }, BOUNDS, signal)));
  } finally {
    descriptors.forEach(closeSync);
  }
}

async function byText(contents: readonly Buffer[], asked: SearchPattern): Promise<unknown[]> {
  const batch = new TextBatch(Buffer.allocUnsafeSlow(1024 * 1024), 0, () => {});
  const search = new TextSearch(asked, BOUNDS, signal);
  try {
    for (const [at, one] of contents.entries()) {
      const decoded = Buffer.from(textOf(one, 'auto'));
      const shown = decoded.includes(0) ? withoutNuls(Buffer.from(decoded)) : decoded;
      const candidate = { path: String(at), text: '', file: new OpenFile(-1, 0) };
      if (shown.length > 0) batch.add(candidate, shown, decoded.includes(0));
    }
    const part = search.search(batch.target.text);
    const found = await eventsOf(part, (events) => batch.located(events));
    return placesOf(found.map((event) => ({ ...event, file: Number(batch.candidates[event.file]?.path) })));
  } finally {
    search.stop();
  }
}

// Each run plants files and starts processes.
test('joined texts hold what ripgrep finds in the files', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 5 }), pattern, async (contents, asked) => {
      expect(await byText(contents, asked)).toEqual(await byRipgrep(contents, asked));
    }),
    { numRuns: 100 },
  );
});

test('the memory of a batch is given back once', () => {
  const free = vi.fn();
  const batch = new TextBatch(Buffer.alloc(8), 0, free);
  batch.close();
  batch.close();

  expect(free).toHaveBeenCalledTimes(1);
});

test('a batch has room for a text with the line feed that it lacks', () => {
  const batch = new TextBatch(Buffer.alloc(8), 0, () => {});
  const add = (one: string) => batch.add({ path: '', text: '', file: new OpenFile(-1, 0) }, Buffer.from(one), false);
  add('abc');

  expect(batch.hasRoomFor(Buffer.from('abcd'))).toBe(false);
  expect(() => add('abcd')).toThrow('no room');
  add('abc');
  expect(batch.target.text.toString()).toBe('abc\nabc\n');
});

test.each([
  ['\0', '\n'],
  ['a\0b', 'a\nb'],
  ['\0\0a', '\n\na'],
  ['a\0\0\0', 'a\n\n'],
  [`a${'\0'.repeat(4097)}b\0c`, 'a\n\nb\nc'],
  [`${'\0'.repeat(4096)}`, '\n\n'],
  [`a${'\0'.repeat(10_000)}`, 'a\n\n'],
  ['a\0'.repeat(1000), 'a\n'.repeat(1000)],
])('NULs end lines, of which no more than one in a row is empty (%#)', (text, lines) => {
  expect(withoutNuls(Buffer.from(text)).toString()).toBe(lines);
});
