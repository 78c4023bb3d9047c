import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reply, runnerOn } from '../helpers/operations.ts';
import { planter } from '../helpers/planter.ts';

describe('with multiline, a regex that can match nothing', () => {
  test.each(['^', '$', '^\\s*', 'a*', '(a|b?)', '(?:ab){0,2}', '\\b', '^$', 'a{0}', 'x|', '(?x) a* # more', 'a+*'])(
    'is refused, since no line could be told: %s',
    async (pattern) => {
      const { grep } = runnerOn({ a: 'a\n\nb\n' });

      await expect(grep({ pattern, isRegex: true, multiline: true })).rejects.toMatchObject({
        code: 'PATTERN_INVALID',
        message: expect.stringContaining('multiline'),
      });
      await expect(grep({ pattern, isRegex: true })).resolves.toMatchObject({ count: expect.any(Number) });
    },
  );
});

describe('with multiline, a regex that takes something', () => {
  const piece = fc.constantFrom(
    ...['a', 'b', 'ab', '\\n', '[^a]', '\\s+', '(?s:.)', '.', '^', '$', '\\b', 'a?', '\\n*', '(a|\\n)', '(b|)+', '|'],
  );
  const regex = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const content = fc
    .array(fc.constantFrom('a', 'b', '\n', 'ab\n', '\n\n', ' '), { maxLength: 14 })
    .map((pieces) => pieces.join(''));

  test('gives each line on which a match starts', { timeout: 120_000 }, async () => {
    const { grep, plantRun } = planter();
    await fc.assert(
      fc.asyncProperty(regex, content, async (pattern, text) => {
        const path = `${plantRun({ a: text })}/a`;
        const reply: Reply = await grep({ pattern, isRegex: true, multiline: true, path }).catch(() => undefined);
        if (reply === undefined) return;

        expect(reply.matches.map(({ line }: Reply) => line)).toEqual(linesByRegExp(pattern, text));
      }),
      { numRuns: 200, examples: [['\\b\\s+a', 'a\na\n\na']] },
    );
  });
});

/** The lines on which matches start, by the engine of the language; `(?s:.)` came to it only with Node 23. */
function linesByRegExp(pattern: string, text: string): number[] {
  const matches = text.matchAll(new RegExp(pattern.replaceAll('(?s:.)', '[^]'), 'gmu'));
  return [...new Set([...matches].map(({ index }) => text.slice(0, index).split('\n').length))];
}
