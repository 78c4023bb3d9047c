import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Search } from '../../src/search/ripgrep.ts';
import { OpenFile } from '../../src/workspace/open.ts';
import { runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { hasOpen, hasProc } from '../helpers/proc.ts';
import { skipped } from '../helpers/skipped.ts';
import { plantSparse } from '../helpers/sparse.ts';

const MIB = 1024 * 1024;

/** Files that make a batch for one search, and one more, which waits for company. */
const small = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, 'needle\n']));

/** Lets files of more than `size` bytes fail as on a disk that is broken. */
function breakReading(error: object = { code: 'EIO', syscall: 'read' }, size = -1): void {
  const { readInto } = OpenFile.prototype;
  const broken = vi.spyOn(OpenFile.prototype, 'readInto').mockImplementation(function (this: OpenFile, ...asked) {
    if (this.size > size) throw Object.assign(new Error('EIO: i/o error, read'), error);
    return readInto.apply(this, asked);
  });
  onTestFinished(() => broken.mockRestore());
}

/** Lets ripgrep tell at its end that it could not read the files at these places. */
function tellUnreadable(places: readonly number[]): void {
  const { events } = Search.prototype;
  const told = vi.spyOn(Search.prototype, 'events').mockImplementation(async function* (this: Search) {
    yield* events.call(this);
    this.unreadable = new Set(places);
  });
  onTestFinished(() => told.mockRestore());
}

describe.skipIf(!hasProc)('a search leaves no file open', () => {
  test('when it ends while a large one waits for the small ones before it', async () => {
    const { grep } = runnerOf(workspaceAt(plantSparse({ ...small, large: '' }, { large: 16 * MIB })));

    expect((await grep({ pattern: 'ne+dle', isRegex: true, maxResults: 1 })).count).toBe(1);
    expect(hasOpen(process.pid, 'large')).toBe(false);
  });

  test.each([
    ['a text', { pattern: 'needle' }],
    ['a regex', { pattern: 'needle+', isRegex: true }],
  ])('when one cannot be read as %s is looked for, which is counted', async (_, asked) => {
    breakReading(undefined, 'needle\n'.length);
    const { grep } = runnerOn({ good: 'needle\n', unreadable: 'needle\nneedle\n' });

    expect(await grep(asked)).toMatchObject({ count: 1, skipped: skipped({ unreadable: 1 }) });
    expect(hasOpen(process.pid, 'unreadable')).toBe(false);
  });

  test.each([
    ['fails for both', 7, [1], 1, { unreadable: 1 }],
    ['fails for ripgrep alone, after its first hit', Number.POSITIVE_INFINITY, [1], 3, { unreadable: 1 }],
    ['holds a NUL before', Number.POSITIVE_INFINITY, [2], 3, { binary: 1 }],
  ])('when one %s, which is counted once', async (_, size, unreadable, count, counts) => {
    breakReading(undefined, size);
    tellUnreadable(unreadable);
    const tree = { a: 'needle\n', b: 'needle\nneedle\n', ...('binary' in counts ? { c: 'needle\n\0' } : {}) };

    // Over several lines, ripgrep is given the files.
    const asked = { pattern: 'needle|x', isRegex: true, multiline: true };
    expect(await runnerOn(tree).grep(asked)).toMatchObject({
      count,
      skipped: skipped(counts),
    });
  });

  test.each([2, 65])('when a large one cannot be read, which is counted: of %i MiB', async (size) => {
    const { grep } = runnerOf(workspaceAt(plantSparse({ good: 'needle\n', larger: '' }, { larger: size * MIB })));
    breakReading(undefined, MIB);

    for (const path of ['/', '/larger']) {
      const reply = await grep({ pattern: 'needle', path });
      expect(reply).toMatchObject({ count: path === '/' ? 1 : 0, skipped: skipped({ unreadable: 1 }) });
    }
    expect(hasOpen(process.pid, 'larger')).toBe(false);
  });

  test('when something else is wrong', async () => {
    breakReading({});

    await expect(runnerOn({ unreadable: 'needle\n' }).grep({ pattern: 'needle' })).rejects.toThrow('EIO');
    expect(hasOpen(process.pid, 'unreadable')).toBe(false);
  });
});
