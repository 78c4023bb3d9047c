import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { pathsOf, type Reply } from '../helpers/operations.ts';
import { planter } from '../helpers/planter.ts';
import { texts, trees } from '../helpers/random-trees.ts';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('glob', () => {
  const segment = fc.constantFrom(
    'a',
    'b',
    '*',
    '?',
    '*.txt',
    '[ab]',
    '[!a]*',
    'a*',
    '{a,b}',
    '{c,d}.*',
    '.*',
    '**',
    'é',
    '*b',
  );
  const last = fc.constantFrom('*', 'a', '?', '*.txt', '[!a]*', '{a,c.txt,d.js}', '.*', 'x y');
  const pattern = fc
    .tuple(fc.array(segment, { maxLength: 3 }), last)
    .map(([above, name]) => [...above, name].join('/'));

  // Each run plants a tree.
  test('gives the files of a flat list that picomatch picks', { timeout: 120_000 }, async () => {
    const { glob, plantRun } = planter();
    await fc.assert(
      fc.asyncProperty(trees(), pattern, async (any, asked) => {
        // picomatch's `?` is half of an astral character.
        const tree = Object.fromEntries(Object.entries(any).filter(([file]) => !file.includes('😀')));
        const path = plantRun(tree);
        const picks = picomatch(asked.includes('/') ? asked : `**/${asked}`, { dot: true, posix: true });

        const found = pathsOf(await glob({ path, pattern: asked, excludeGlob: [] }));

        const expected = Object.keys(tree).filter((file) => picks(file));
        expect(found.sort(byBytes)).toEqual(expected.map((file) => `${path}/${file}`).sort(byBytes));
      }),
      { numRuns: 300 },
    );
  });
});

/** The lines of a text: parted at line feeds, without the CR before one. */
function linesOf(content: string): string[] {
  const lines = content.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => line.replace(/\r$/, '')), ...(last === '' ? [] : [last])];
}

type Hit = [path: string, line: number, text: string];

function hitsIn(tree: Record<string, string>, top: string, matches: (line: string) => boolean): Hit[] {
  return Object.entries(tree).flatMap(([file, content]) =>
    linesOf(content).flatMap((text, at): Hit[] => (matches(text) ? [[`${top}/${file}`, at + 1, text]] : [])),
  );
}

const byPlace = ([a, line]: Hit, [b, other]: Hit) => byBytes(a, b) || line - other;
const toHits = (matches: Reply[]) => matches.map(({ path, line, text }): Hit => [path, line, text]);

// Each run plants a tree and starts a process or two.
const SEARCHES = { numRuns: 100 };

describe('grep', () => {
  test.each([false, true])(
    'gives the lines that hold a text, multiline: %s',
    { timeout: 120_000 },
    async (multiline) => {
      const { grep, plantRun } = planter();
      const pattern = fc.constantFrom('a', 'b', 'ab', 'hit', 'é', '漢', '😀', ' ', '\u2028', 'bé', 'hita');
      await fc.assert(
        fc.asyncProperty(trees(), pattern, async (tree, text) => {
          const path = plantRun(tree);

          const { matches } = await grep({ path, pattern: text, excludeGlob: [], multiline });

          expect(toHits(matches).sort(byPlace)).toEqual(
            hitsIn(tree, path, (line) => line.includes(text)).sort(byPlace),
          );
        }),
        SEARCHES,
      );
    },
  );

  test('gives the lines that a regex matches', { timeout: 120_000 }, async () => {
    const { grep, plantRun } = planter();
    // In these the engines agree, and none matches a CR; no file ends in one, which is then no end of line.
    const pattern = fc.constantFrom(
      ...[
        'a.b',
        '^a',
        'b$',
        '[ab]+h',
        'a|漢',
        '^$',
        '^b?a$',
        '(ab)+$',
        '^[^a\\r]',
        'h.t',
        '^(é|😀)',
        'a{2}',
        '[\u2028 ]$',
      ],
    );
    const contents = texts.map((text) => text.replace(/\r+$/, ''));
    await fc.assert(
      fc.asyncProperty(trees(contents), pattern, fc.boolean(), async (tree, regex, caseSensitive) => {
        const path = plantRun(tree);
        const matcher = new RegExp(regex, caseSensitive ? 'us' : 'usi');

        const { matches } = await grep({ path, pattern: regex, isRegex: true, caseSensitive, excludeGlob: [] });

        expect(toHits(matches).sort(byPlace)).toEqual(hitsIn(tree, path, (line) => matcher.test(line)).sort(byPlace));
      }),
      SEARCHES,
    );
  });

  test('counts the lines that it would give, and names the files that hold them', { timeout: 120_000 }, async () => {
    const { grep, plantRun } = planter();
    await fc.assert(
      fc.asyncProperty(trees(), async (tree) => {
        const fields = { path: plantRun(tree), pattern: 'hit', excludeGlob: [] };

        const lines = pathsOf(await grep(fields));
        const counts: Reply[] = (await grep({ ...fields, output: 'count' })).matches;

        expect(counts.flatMap(({ path, count }) => Array.from({ length: count }, () => path))).toEqual(lines);
        expect(pathsOf(await grep({ ...fields, output: 'files' }))).toEqual([...new Set(lines)]);
      }),
      { numRuns: 50 },
    );
  });

  test('gives each line of a file in one context, as often as windows reach it: once', {
    timeout: 120_000,
  }, async () => {
    const { grep, plantRun } = planter();
    const sizes = fc.integer({ min: 0, max: 4 });
    await fc.assert(
      fc.asyncProperty(texts, sizes, sizes, async (content, before, after) => {
        fc.pre(before + after > 0);
        const path = `${plantRun({ a: content })}/a`;

        const { matches } = await grep({ path, pattern: 'hit', before, after });

        const shown = matches.flatMap((match: Reply) =>
          [...match.before, match.text, ...match.after].map((text, at) => [
            match.line - match.before.length + at,
            text,
          ]),
        );
        const lines = linesOf(content);
        const wanted = lines.flatMap((text, at) => {
          const window = lines.slice(Math.max(0, at - after), at + before + 1);
          return window.some((line) => line.includes('hit')) ? [[at + 1, text]] : [];
        });
        expect(shown).toEqual(wanted);
      }),
      SEARCHES,
    );
  });
});

describe('read', () => {
  const number = fc.integer({ min: 1, max: 8 });

  // Each run writes a file.
  test('gives a slice of the lines', async () => {
    const { plantRun, read } = planter();
    await fc.assert(
      fc.asyncProperty(texts, number, number, number, async (content, startLine, more, startColumn) => {
        const lines = content.split(/(?<=\n)/);
        const first = Array.from(lines[startLine - 1] ?? '');
        fc.pre(content !== '' && startLine <= lines.length && startColumn <= first.length);

        const reply = await read({
          path: `${plantRun({ a: content })}/a`,
          startLine,
          endLine: startLine + more,
          startColumn,
        });

        const rest = lines.slice(startLine, startLine + more);
        expect(reply).toMatchObject({
          content: first.slice(startColumn - 1).join('') + rest.join(''),
          start_line: startLine,
          end_line: startLine + rest.length,
          total_lines: lines.length,
          truncated: false,
        });
        expect(reply.next).toEqual(startLine + more < lines.length ? { startLine: startLine + more + 1 } : undefined);
      }),
      { numRuns: 300 },
    );
  });

  // Each run starts a process, and reads as often as there are hits.
  test.each([
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('of the line of any hit of grep holds its text: %s', { timeout: 120_000 }, async (_, encode) => {
    const { grep, plantRun, read } = planter();
    const length = fc.constantFrom(4, 9, 500);
    await fc.assert(
      fc.asyncProperty(texts, length, async (content, maxLineLength) => {
        const path = `${plantRun({ a: encode(content) })}/a`;

        const { matches } = await grep({ path, pattern: '[aéh漢]', isRegex: true, maxLineLength });

        for (const { clipped, line, text } of matches) {
          const whole = (await read({ path, startLine: line, endLine: line })).content;
          expect(clipped ? whole.includes(text) : whole.replace(/\r?\n$/, '') === text).toBe(true);
        }
      }),
      SEARCHES,
    );
  });
});
