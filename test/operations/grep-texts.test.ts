import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type GrepInput, grep } from '../../src/operations/grep.ts';
import { checkInput } from '../../src/operations/input.ts';
import { OpenFile } from '../../src/workspace/open.ts';
import { filesWith, oddTexts } from '../helpers/odd-texts.ts';
import { runnerOn, workspaceOf } from '../helpers/operations.ts';
import { planter } from '../helpers/planter.ts';
import { skipped } from '../helpers/skipped.ts';

const PATTERNS = [
  'x',
  '^',
  '$',
  '^$',
  '.',
  '^x',
  'x$',
  '[^x]$',
  '\\s',
  '\\bx\\b',
  '\\Ax',
  'x\\z',
  '(?-m)^x',
  '\\x{feff}',
  'é|x',
];

const content = filesWith(oddTexts('\r'));
const request = fc.record({
  pattern: fc.constantFrom(...PATTERNS),
  output: fc.constantFrom('lines', 'lines', 'files', 'count'),
  context: fc.constantFrom(0, 0, 1),
  maxLineLength: fc.constantFrom(1, 500),
  maxMatchesPerFile: fc.constantFrom(undefined, undefined, 1, 2),
});

describe('small files, whose texts are searched together', () => {
  // Each run plants files and starts processes.
  test('match as each of them does alone', { timeout: 120_000 }, async () => {
    const { grep, plantRun } = planter();
    await fc.assert(
      fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 5 }), request, async (contents, fields) => {
        const path = plantRun(Object.fromEntries(contents.map((one, at) => [`f${at}`, one])));
        const asked = { ...fields, isRegex: true };

        const matches: unknown[] = [];
        let binary = 0;
        for (const at of contents.keys()) {
          const alone = await grep({ ...asked, path: `${path}/f${at}` });
          matches.push(...(alone.matches as unknown[]));
          binary += (alone.skipped as { binary: number }).binary;
        }

        const together = await grep({ ...asked, path });
        expect(together).toMatchObject({ matches, skipped: { binary } });
      }),
      { numRuns: 40 },
    );
  });

  test('come in order with large ones between them', async () => {
    const large = `${'y\n'.repeat(600_000)}needle large\n`;
    const { grep } = runnerOn({ a: 'needle a', b: large, c: '', d: 'y\nneedle d', e: large, f: '\nneedle f\n' });

    const { matches } = await grep({ pattern: 'ne+dle', isRegex: true });
    expect(matches).toMatchObject([
      { path: '/a', line: 1 },
      { path: '/b', line: 600_001 },
      { path: '/d', line: 2 },
      { path: '/e', line: 600_001 },
      { path: '/f', line: 2 },
    ]);
  });

  test('are all searched when they are more than one search is given at once', async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`f${String(at).padStart(3, '0')}`, `${'y\n'.repeat(at * 10)}x${at}`]),
    );
    const { matches } = await runnerOn(tree).grep({ pattern: 'x\\d', isRegex: true });

    expect(matches).toMatchObject(
      Object.keys(tree).map((name, at) => ({ path: `/${name}`, line: at * 10 + 1, text: `x${at}` })),
    );
  });

  test('that hold NULs in any number are counted when they match, and once', async () => {
    const { grep } = runnerOn({
      alternating: 'x\0'.repeat(200_000),
      matching: 'x\0',
      none: '\0y',
      text: 'x\n',
      zeros: Buffer.alloc(500_000),
    });

    expect(await grep({ pattern: 'X', caseSensitive: false })).toMatchObject({
      count: 1,
      skipped: skipped({ binary: 2 }),
    });
    expect(await grep({ pattern: '^$', isRegex: true })).toMatchObject({ count: 0, skipped: skipped({ binary: 2 }) });
  });

  test('of more than a mebibyte once they are decoded are searched to their end', async () => {
    const ascii = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`a${at}`, 'x\n'.repeat(360_000)]));
    const decoded = Buffer.from(`\ufeff${'漢'.repeat(500_000)}\nneedle1\n`, 'utf16le');
    const { grep } = runnerOn({ ...ascii, b: decoded, c: 'needle2' });

    expect(await grep({ pattern: 'NEEDLE', caseSensitive: false })).toMatchObject({
      matches: [
        { path: '/b', line: 2, text: 'needle1' },
        { path: '/c', line: 1, text: 'needle2' },
      ],
    });
  });

  test('of which one line each is asked for give it, however many match', async () => {
    const dense = 'hit\n'.repeat(50_000);
    const tree = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, `${dense}${at}`]));
    const { grep } = runnerOn(tree);

    const names = Object.keys(tree).sort();
    const asked = { pattern: 'HIT', caseSensitive: false };
    expect((await grep({ ...asked, output: 'files' })).matches).toEqual(names.map((name) => ({ path: `/${name}` })));
    expect((await grep({ ...asked, maxMatchesPerFile: 2 })).matches).toMatchObject(
      names.flatMap((name) => [1, 2].map((line) => ({ path: `/${name}`, line }))),
    );
  });

  test('are given before all others were looked at', async () => {
    const tree = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`f${at}`, 'x']));
    const { grep } = runnerOn({ ...tree, a: 'needle', b: 'needle' });
    const reading = vi.spyOn(OpenFile.prototype, 'readInto');
    onTestFinished(() => reading.mockRestore());

    const asked = { pattern: 'ne+dle', isRegex: true, maxResults: 1 };
    expect(await grep(asked)).toMatchObject({ count: 1, truncated: true });
    expect(reading.mock.calls.length).toBeLessThan(1000);
  });

  test.each([
    ['small', 20, 400, [false]],
    ['with many lines that match', 3000, 3, [false, true]],
  ])('%s keep other threads waiting only while they are given in pieces', async (_, lines, files, inside) => {
    const content = 'hit\n'.repeat(lines);
    const tree = Object.fromEntries(Array.from({ length: files }, (_, at) => [`f${at}`, content]));
    const { input } = checkInput(grep.input, { pattern: 'h[i]t', isRegex: true }, 'json');
    const { signal } = new AbortController();
    const run = grep.start(input as GrepInput, { workspace: workspaceOf(tree), signal, skip: () => {} });
    onTestFinished(() => run.close());

    const seen = new Set<boolean | undefined>();
    let count = 0;
    for await (const batch of run.records) {
      count += batch.length;
      seen.add(run.isInside?.());
    }
    expect([count, [...seen].sort()]).toEqual([lines * files, inside]);
  });
});
