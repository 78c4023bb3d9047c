import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { OpenFile } from '../../src/workspace/open.ts';
import { runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { hasOpen, hasProc } from '../helpers/proc.ts';
import { plantSparse } from '../helpers/sparse.ts';

const MIB = 1024 * 1024;

/** Files that make a batch for one search, and one more, which waits for company. */
const small = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`f${at}`, 'needle\n']));

function breakReading(method: 'read' | 'readInto'): void {
  const broken = vi.spyOn(OpenFile.prototype, method).mockImplementation(() => {
    throw new Error('EIO: i/o error, read');
  });
  onTestFinished(() => broken.mockRestore());
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
  ])('when one cannot be read as %s is looked for', async (_, asked) => {
    breakReading('readInto');

    await expect(runnerOn({ unreadable: 'needle\n' }).grep(asked)).rejects.toThrow('EIO');
    expect(hasOpen(process.pid, 'unreadable')).toBe(false);
  });

  test.each([2, 65])('when a large one cannot be read: of %i MiB', async (size) => {
    const { grep } = runnerOf(workspaceAt(plantSparse({ larger: '' }, { larger: size * MIB })));
    breakReading('read');

    await expect(grep({ pattern: 'needle' })).rejects.toThrow('EIO');
    expect(hasOpen(process.pid, 'larger')).toBe(false);
  });
});
