import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planter } from '../helpers/planter.ts';
import { trees } from '../helpers/random-trees.ts';

// Each run plants a tree, and those of grep start processes.
const WALKS = { numRuns: 100 };
const SEARCHES = { numRuns: 50 };

const globs = fc.constantFrom('*', '**', '*.txt', '**/*.js', 'a/**', '?', '{a,b}/*', '[!a]*');
const flags = { includeHidden: fc.boolean(), gitignore: fc.boolean() };
const list = fc.constantFrom([], ['node_modules'], ['a'], ['*.txt', 'b']);

const requests = {
  ls: fc.record({
    recursive: fc.boolean(),
    type: fc.constantFrom('any', 'file', 'directory'),
    includeGlob: list,
    ...flags,
  }),
  find: fc.record({
    pattern: fc.constantFrom('*', 'a*', '?', '*.*'),
    type: fc.constantFrom('any', 'file', 'directory'),
    excludeGlob: list,
    ...flags,
  }),
  glob: fc.record({ pattern: globs, type: fc.constantFrom('any', 'file', 'directory'), excludeGlob: list, ...flags }),
  grep: fc.record({
    pattern: fc.constantFrom('hit', 'a', 'é', '\u2028'),
    output: fc.constantFrom('lines', 'lines', 'files', 'count'),
    context: fc.constantFrom(0, 0, 1, 3),
    caseSensitive: fc.boolean(),
    multiline: fc.boolean(),
    excludeGlob: list,
    ...flags,
  }),
} as const;

const operations = [
  ['ls', WALKS],
  ['find', WALKS],
  ['glob', WALKS],
  ['grep', SEARCHES],
] as const;

/** The records of a JSON reply and the text before them, as sent. */
function beginningOf(json: string): string {
  return json.slice(0, json.lastIndexOf('],"count":'));
}

describe.each(operations)('%s on any tree', (operation, runs) => {
  const request: fc.Arbitrary<Record<string, unknown>> = requests[operation];
  const limit = fc.integer({ min: 1, max: 12 });

  test('gives under a limit the beginning of what it gives under a larger one, and says exactly when there is more', {
    timeout: 120_000,
  }, async () => {
    const { plantRun, run } = planter();
    await fc.assert(
      fc.asyncProperty(trees(), request, limit, limit, async (tree, fields, one, other) => {
        const input = { ...fields, path: plantRun({ '.gitignore': '*.js\n', ...tree }) };
        const full = await run(operation, input);
        const less = await run(operation, { ...input, maxResults: Math.min(one, other) });
        const more = await run(operation, { ...input, maxResults: Math.max(one, other) });

        expect(full.startsWith(beginningOf(more))).toBe(true);
        expect(more.startsWith(beginningOf(less))).toBe(true);
        const { count } = JSON.parse(full);
        expect(JSON.parse(less)).toMatchObject({
          count: Math.min(count, one, other),
          truncated: count > Math.min(one, other),
        });
        expect(JSON.parse(more)).toMatchObject({
          count: Math.min(count, Math.max(one, other)),
          truncated: count > Math.max(one, other),
        });
      }),
      runs,
    );
  });

  test('gives the same bytes twice, and in any order the same records', { timeout: 120_000 }, async () => {
    const { plantRun, run } = planter();
    await fc.assert(
      fc.asyncProperty(trees(), request, async (tree, fields) => {
        const input = { ...fields, path: plantRun({ '.gitignore': '*.js\n', ...tree }) };
        const first = await run(operation, input);
        const unsorted = await run(operation, { ...input, sort: 'none' });

        expect(await run(operation, input)).toBe(first);
        expect(recordsOf(unsorted).sort()).toEqual(recordsOf(first).sort());
      }),
      runs,
    );
  });

  test('gives paths in code-point order, folders compared by segment', { timeout: 120_000 }, async () => {
    const { plantRun, run } = planter();
    await fc.assert(
      fc.asyncProperty(trees(), request, async (tree, fields) => {
        const { entries, matches } = JSON.parse(await run(operation, { ...fields, path: plantRun(tree) }));
        const paths = (entries ?? matches).map(({ path }: { path: string }) => path);

        expect(paths).toEqual([...paths].sort(bySegments));
      }),
      runs,
    );
  });
});

function recordsOf(json: string): string[] {
  const { entries, matches } = JSON.parse(json);
  return (entries ?? matches).map((record: object) => JSON.stringify(record));
}

function bySegments(a: string, b: string): number {
  // A slash sorts before every character of a name when it stands for the end of one.
  return Buffer.compare(Buffer.from(a.replaceAll('/', '\0')), Buffer.from(b.replaceAll('/', '\0')));
}
