import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Handle } from '../../src/workspace/handle.ts';
import { breakReads, canFail, fault, replaceCall } from '../helpers/faults.ts';
import { pathsOf, runnerOn, workspaceOf } from '../helpers/operations.ts';
import { hasOpen } from '../helpers/proc.ts';
import { skipped } from '../helpers/skipped.ts';

const LINE = 'needle\n';

/** What reading a file of three lines to its end gives, or the code of its failure. */
function contentOf(length = 100): string {
  const file = workspaceOf({ f: LINE.repeat(3) }).openFile({ path: 'f' });
  try {
    return file.read(0, length).toString();
  } finally {
    file.close();
  }
}

describe.skipIf(!canFail)('a read that comes short', () => {
  test('is gone on with to the end', () => {
    replaceCall<number>('read', (ask, [descriptor, bytes, position]) =>
      ask(descriptor, (bytes as Buffer).subarray(0, 5), position),
    );
    expect(contentOf()).toBe(LINE.repeat(3));
  });

  test('fails where the next one does', () => {
    breakReads(LINE.length, 'EIO');
    expect(() => contentOf()).toThrow('EIO');
    expect(contentOf(LINE.length)).toBe(LINE);
  });

  test('ends where the file does by now', () => {
    breakReads(LINE.length);
    expect(contentOf()).toBe(LINE);
  });

  test('is the only one where it reaches the size of the file', () => {
    let reads = 0;
    replaceCall<number>('read', (ask, given) => {
      reads += 1;
      return ask(...given);
    });
    contentOf();
    expect(reads).toBe(1);
  });

  test('of a file that fails after it is counted', async () => {
    breakReads(LINE.length, 'EIO');
    expect(await runnerOn({ good: LINE, f: LINE.repeat(3) }).grep({ pattern: 'needle' })).toMatchObject({
      count: 1,
      skipped: skipped({ unreadable: 1 }),
    });
  });
});

describe.skipIf(!canFail)('nothing stays open', () => {
  test.each(['EIO', 'ESTALE'])('of a file that a walk found and that has no facts: %s', async (code) => {
    const { grep } = runnerOn({ f: LINE });
    replaceCall('facts', () => {
      throw fault(code, 'statx');
    });
    const asked = grep({ pattern: 'needle' });

    if (code === 'EIO') await expect(asked).rejects.toThrow(code);
    else expect(await asked).toMatchObject({ count: 0 });
    expect(hasOpen(process.pid, 'f')).toBe(false);
  });

  test('of a path whose last part has no facts', () => {
    const workspace = workspaceOf({ 'd/held': LINE });
    const { stats } = Handle.prototype;
    const broken = vi.spyOn(Handle.prototype, 'stats').mockImplementation(function (this: Handle) {
      if (this.hostPath().endsWith('/held')) throw fault('EIO', 'fstat');
      return stats.call(this);
    });
    onTestFinished(() => broken.mockRestore());

    expect(() => workspace.locate({ path: 'd/held' })).toThrow('EIO');
    expect(hasOpen(process.pid, 'held')).toBe(false);
  });
});

describe.skipIf(!canFail)('a file of rules', () => {
  const tree = { '.agentignore': '# rules\nf\n', 'd/.gitignore': 'g\n', 'd/g': '', f: LINE };

  /** What is found in the tree when one opening fails; the first that counts is that of the file of that name. */
  async function found(code: string, name: string, path = '/', opening = 1): Promise<string[]> {
    let at = 0;
    // By which every opening goes.
    replaceCall<number | undefined>('openIfThere', (ask, given) => {
      if (given[1] === name || at > 0) at += 1;
      if (at === opening) throw fault(code);
      return ask(...given);
    });
    try {
      return pathsOf(await runnerOn(tree).glob({ pattern: '**', gitignore: true, path }));
    } finally {
      expect(['.agentignore', '.gitignore', 'd'].filter((held) => hasOpen(process.pid, held))).toEqual([]);
    }
  }

  const PLACES = [
    ['.agentignore', '/'],
    ['.gitignore', '/'],
    ['.gitignore', '/d'],
  ] as const;
  // Of an ignore file below the root, the first two are the search in the root and the folder itself.
  const OPENINGS = [1, 2, 3, 4];

  test.each(PLACES)('that no descriptor is left for is not taken for none: %s, from %s', async (name, path) => {
    for (const opening of OPENINGS) {
      await expect(found('EMFILE', name, path, opening)).rejects.toMatchObject({ code: 'BUSY' });
    }
  });

  test.each(PLACES)('that fails is not taken for none: %s, from %s', async (name, path) => {
    for (const opening of OPENINGS) await expect(found('EIO', name, path, opening)).rejects.toThrow('EIO');
  });

  test.each(['EACCES', 'ENOENT', 'ELOOP'])('that cannot be had holds no rules: %s', async (code) => {
    expect(await found(code, '.agentignore')).toContain('/f');
    expect(await found(code, '.gitignore', '/d', 3)).toContain('/d/g');
  });

  test('is read to its end, however short the reads', () => {
    replaceCall<number>('read', (ask, [descriptor, bytes, position]) =>
      ask(descriptor, (bytes as Buffer).subarray(0, 5), position),
    );
    expect(() => workspaceOf(tree).locate({ path: 'f' })).toThrow(expect.objectContaining({ code: 'PATH_BLOCKED' }));
  });

  test('is not taken for its first part when the rest fails', () => {
    breakReads(5, 'EIO');
    expect(() => workspaceOf(tree)).toThrow('EIO');
  });
});
