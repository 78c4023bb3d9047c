import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SearchPattern } from '../../src/search/argv.ts';
import type { SearchEvent } from '../../src/search/output.ts';
import { checkPattern, Search, type SearchTarget } from '../../src/search/ripgrep.ts';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { plant, scratch } from '../helpers/tree.ts';

const HIT: SearchPattern = {
  text: 'hit',
  isRegex: false,
  caseSensitive: true,
  wordRegexp: false,
  multiline: false,
  encoding: 'auto',
};
const BOUNDS = { maxColumns: 2001, maxPerFile: 0 };

function start(
  target: SearchTarget,
  { signal = new AbortController().signal, ...pattern }: Partial<SearchPattern> & { signal?: AbortSignal } = {},
) {
  return new Search({ ...HIT, ...pattern }, target, BOUNDS, signal);
}

async function eventsOf(search: Search): Promise<SearchEvent[]> {
  const all: SearchEvent[] = [];
  for await (const events of search.events()) all.push(...events);
  return all;
}

function descriptorOf(content: string): number {
  const path = join(scratch(), 'file');
  writeFileSync(path, content);
  const descriptor = openSync(path, 'r');
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

describe('a search', () => {
  test('of files tells in which, on which line and where a match is', async () => {
    const folder = plant({ a: 'no\na hit\n', b: 'no\n', c: 'é hit hit\nhit' });

    expect(await eventsOf(start({ folder, files: ['./a', './b', './c'] }))).toEqual([
      { file: 0, line: 2, column: 3, offset: 3, printed: Buffer.from('a hit') },
      { file: 2, line: 1, column: 4, offset: 0, printed: Buffer.from('é hit hit') },
      { file: 2, line: 2, column: 1, offset: 11, printed: Buffer.from('hit') },
    ]);
  });

  test('of one open file tells the same', async () => {
    expect(await eventsOf(start({ descriptor: descriptorOf('no\na hit\n') }))).toEqual([
      { file: 0, line: 2, column: 3, offset: 3, printed: Buffer.from('a hit') },
    ]);
  });

  test('keeps the order of the files', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `./f${(at * 7) % 300}`);
    const folder = plant(Object.fromEntries(names.map((name) => [name, 'hit\n'])));

    expect((await eventsOf(start({ folder, files: names }))).map(({ file }) => file)).toEqual(names.map((_, at) => at));
  });

  test('takes no name for an option, and none for a pattern', async () => {
    const files = ['--version', '-e', '--files', '-', '--pre=x', '*', '{a,b}', '[x]'];
    const folder = plant(Object.fromEntries(files.map((name) => [name, 'hit\n'])));

    expect((await eventsOf(start({ folder, files: files.map((name) => `./${name}`) }))).length).toBe(files.length);
  });

  test('takes its configuration from nowhere', async () => {
    const folder = plant({
      '.ripgreprc': '--invert-match\n',
      '.ignore': 'a\n',
      '.rgignore': 'a\n',
      '.gitignore': 'a\n',
      a: 'hit\n',
      b: 'no\n',
    });

    expect(await eventsOf(start({ folder, files: ['./a', './b'] }))).toMatchObject([{ file: 0 }]);
  });

  test('notes a file with a NUL', async () => {
    const folder = plant({ a: 'hit\0\n', b: 'hit\n' });

    expect(await eventsOf(start({ folder, files: ['./a', './b'] }))).toEqual([
      { file: 0, isBinary: true },
      { file: 1, line: 1, column: 1, offset: 0, printed: Buffer.from('hit') },
    ]);
  });

  test('leaves a file after so many lines', async () => {
    const folder = plant({ a: 'hit\n'.repeat(9), b: 'hit\n' });
    const search = new Search(
      HIT,
      { folder, files: ['./a', './b'] },
      { maxColumns: 0, maxPerFile: 2 },
      new AbortController().signal,
    );

    expect((await eventsOf(search)).map(({ file }) => file)).toEqual([0, 0, 1]);
  });

  test('that finds nothing ends without a word', async () => {
    const search = start({ folder: plant({ a: 'no\n', b: '' }), files: ['./a', './b'] });

    expect([await eventsOf(search), search.unreadable]).toEqual([[], 0]);
  });

  test('passes by a file that is gone', async () => {
    const search = start({ folder: plant({ a: 'hit\n' }), files: ['./gone', './a', './gone/too'] });

    expect([(await eventsOf(search)).map(({ file }) => file), search.unreadable]).toEqual([[1], 0]);
  });

  test.skipIf(!CAN_BE_DENIED)(
    'counts files that it may not open (skipped where file modes cannot be made to hold)',
    async () => {
      const closed = { content: 'hit\n', mode: 0 };
      const folder = plant({ a: closed, b: 'hit\n', c: closed });

      chmodSync(join(folder, '..'), 0o755);
      const search = await underFileModes(async () => start({ folder, files: ['./a', './b', './c'] }));

      expect([(await eventsOf(search)).map(({ file }) => file), search.unreadable]).toEqual([[1], 2]);
    },
  );
});

describe('a search ends', () => {
  /** A file whose search prints more than a pipe holds. */
  const long = 'hit\n'.repeat(500_000);

  test('when its signal aborts, without an error', async () => {
    const ending = new AbortController();
    const batches = start({ descriptor: descriptorOf(long) }, { signal: ending.signal }).events();

    const first = await batches.next();
    ending.abort();
    let left = 0;
    for await (const events of batches) left += events.length;

    expect([first.done, left < 500_000]).toEqual([false, true]);
  });

  test('at once when its signal has aborted before', async () => {
    expect(await eventsOf(start({ descriptor: descriptorOf('hit\n') }, { signal: AbortSignal.abort() }))).toEqual([]);
  });

  test('when its reader leaves', async () => {
    const search = start({ descriptor: descriptorOf(long) });
    for await (const events of search.events()) {
      expect(events.length > 0).toBe(true);
      break;
    }

    expect(await eventsOf(search)).toEqual([]);
  });

  test('when it is stopped before it is read, or twice', async () => {
    const search = start({ descriptor: descriptorOf(long) });
    search.stop();
    search.stop();

    expect(await eventsOf(search)).toEqual([]);
  });
});

describe('a regex that is none', () => {
  test('fails the search', async () => {
    const search = start({ folder: plant({ a: '' }), files: ['./a'] }, { text: '[z-a]', isRegex: true });

    await expect(eventsOf(search)).rejects.toMatchObject({ code: 'PATTERN_INVALID', members: { position: 1 } });
  });

  test('is told by a check without files, and one that is one passes', async () => {
    const check = (text: string) => checkPattern({ ...HIT, text, isRegex: true }, new AbortController().signal);

    await expect(check('[z-a]')).rejects.toMatchObject({ code: 'PATTERN_INVALID' });
    await expect(check('a+$')).resolves.toBeUndefined();
  });
});
