import { chmodSync, closeSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import type { SearchPattern } from '../../src/search/argv.ts';
import type { SearchEvent } from '../../src/search/output.ts';
import { checkPattern, Search, type SearchTarget } from '../../src/search/ripgrep.ts';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { hasProc } from '../helpers/proc.ts';
import { plant, type Tree } from '../helpers/tree.ts';

const HIT: SearchPattern = {
  text: 'hit',
  isRegex: false,
  caseSensitive: true,
  wordRegexp: false,
  multiline: false,
  encoding: 'auto',
};
const BOUNDS = { maxColumns: 2001, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes };

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

function open(path: string): number {
  const descriptor = openSync(path, 'r');
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

function filesOf(tree: Tree, names = Object.keys(tree)): SearchTarget {
  const folder = plant(tree);
  return { descriptors: names.map((name) => open(join(folder, name))) };
}

describe('a search', () => {
  test('of files tells in which, on which line and where a match is', async () => {
    const files = filesOf({ a: 'no\na hit\n', b: 'no\n', c: 'é hit hit\nhit' });

    expect(await eventsOf(start(files))).toEqual([
      { file: 0, line: 2, column: 3, offset: 3, printed: Buffer.from('a hit') },
      { file: 2, line: 1, column: 4, offset: 0, printed: Buffer.from('é hit hit') },
      { file: 2, line: 2, column: 1, offset: 11, printed: Buffer.from('hit') },
    ]);
  });

  test('of a text tells the same', async () => {
    expect(await eventsOf(start({ text: Buffer.from('no\na hit\n') }))).toEqual([
      { file: 0, line: 2, column: 3, offset: 3, printed: Buffer.from('a hit') },
    ]);
  });

  test('keeps the order of the files', async () => {
    const names = Array.from({ length: 256 }, (_, at) => `f${(at * 7) % 256}`);
    const files = filesOf(Object.fromEntries(names.map((name) => [name, 'hit\n'])), names);

    expect((await eventsOf(start(files))).map(({ file }) => file)).toEqual(names.map((_, at) => at));
  });

  test('searches what was opened, whatever stands under its name by now', async () => {
    const folder = plant({ a: 'hit\n', b: 'hit and more\n' });
    const descriptors = [open(join(folder, 'a'))];
    rmSync(join(folder, 'a'));
    symlinkSync('b', join(folder, 'a'));

    expect(await eventsOf(start({ descriptors }))).toMatchObject([{ printed: Buffer.from('hit') }]);
  });

  test('takes its configuration from nowhere', async () => {
    const files = filesOf({
      '.ripgreprc': '--invert-match\n',
      '.ignore': 'a\n',
      '.rgignore': 'a\n',
      '.gitignore': 'a\n',
      a: 'hit\n',
      b: 'no\n',
    });

    expect(await eventsOf(start(files))).toMatchObject([{ file: 4 }]);
  });

  test('notes a file with a NUL', async () => {
    expect(await eventsOf(start(filesOf({ a: 'hit\0\n', b: 'hit\n' })))).toEqual([
      { file: 0, isBinary: true },
      { file: 1, line: 1, column: 1, offset: 0, printed: Buffer.from('hit') },
    ]);
  });

  test('leaves a file after so many lines', async () => {
    const search = new Search(
      HIT,
      filesOf({ a: 'hit\n'.repeat(9), b: 'hit\n' }),
      { ...BOUNDS, maxPerFile: 2 },
      new AbortController().signal,
    );

    expect((await eventsOf(search)).map(({ file }) => file)).toEqual([0, 0, 1]);
  });

  test('that finds nothing ends without a word', async () => {
    const search = start(filesOf({ a: 'no\n', b: '' }));

    expect([await eventsOf(search), search.unreadable]).toEqual([[], new Set()]);
  });

  test.skipIf(!CAN_BE_DENIED)(
    'tells the files that it may not read (skipped where file modes cannot be made to hold)',
    async () => {
      const folder = plant({ a: 'hit\n', b: 'hit\n', c: 'hit\n' });
      const descriptors = ['a', 'b', 'c'].map((name) => open(join(folder, name)));
      for (const name of ['a', 'c']) chmodSync(join(folder, name), 0);
      const search = await underFileModes(async () => start({ descriptors }));

      expect([(await eventsOf(search)).map(({ file }) => file), search.unreadable]).toEqual([[1], new Set([0, 2])]);
    },
  );

  test.skipIf(!hasProc)('tells the files that fail while they are read, as many as there may be', async () => {
    // Nothing lies at the start of a process's memory: reading there is EIO (proc_pid_mem(5)).
    const broken = open('/proc/self/mem');
    const descriptors = Array.from({ length: 1024 }, (_, at) =>
      at === 7 ? open(join(plant({ a: 'hit\n' }), 'a')) : broken,
    );
    const search = start({ descriptors });

    expect((await eventsOf(search)).map(({ file }) => file)).toEqual([7]);
    expect([search.unreadable.size, search.unreadable.has(7), search.unreadable.has(1023)]).toEqual([
      1023,
      false,
      true,
    ]);
  });
});

describe('a search ends', () => {
  /** A file whose search prints more than a pipe holds. */
  const long = { file: 'hit\n'.repeat(500_000) };

  test('when its signal aborts, without an error', async () => {
    const ending = new AbortController();
    const batches = start(filesOf(long), { signal: ending.signal }).events();

    const first = await batches.next();
    ending.abort();
    let left = 0;
    for await (const events of batches) left += events.length;

    expect([first.done, left < 500_000]).toEqual([false, true]);
  });

  test('at once when its signal has aborted before', async () => {
    expect(await eventsOf(start(filesOf({ a: 'hit\n' }), { signal: AbortSignal.abort() }))).toEqual([]);
  });

  test('when its reader leaves', async () => {
    const search = start(filesOf(long));
    for await (const events of search.events()) {
      expect(events.length > 0).toBe(true);
      break;
    }

    expect(await eventsOf(search)).toEqual([]);
  });

  test('when it is stopped before it is read, or twice', async () => {
    const search = start(filesOf(long));
    search.stop();
    search.stop();

    expect(await eventsOf(search)).toEqual([]);
  });
});

describe('a regex that is none', () => {
  test('fails the search', async () => {
    const search = start(filesOf({ a: '' }), { text: '[z-a]', isRegex: true });

    await expect(eventsOf(search)).rejects.toMatchObject({ code: 'PATTERN_INVALID', members: { position: 1 } });
  });

  test('is told by a check without files, and one that is one passes', async () => {
    const check = (text: string) => checkPattern({ ...HIT, text, isRegex: true }, new AbortController().signal, BOUNDS);

    await expect(check('[z-a]')).rejects.toMatchObject({ code: 'PATTERN_INVALID' });
    await expect(check('a+$')).resolves.toBeUndefined();
  });
});
