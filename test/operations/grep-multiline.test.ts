import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
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

  // Each run starts two processes.
  test('gives each line on which a match starts', { timeout: 120_000 }, async () => {
    const { grep, plantRun, root } = planter();
    await fc.assert(
      fc.asyncProperty(regex, content, async (pattern, text) => {
        const path = `${plantRun({ a: text })}/a`;
        const reply: Reply = await grep({ pattern, isRegex: true, multiline: true, path }).catch(() => undefined);
        if (reply === undefined) return;

        expect(reply.matches.map(({ line }: Reply) => line)).toEqual(linesByRipgrep(join(root, path), pattern, text));
      }),
      { numRuns: 120 },
    );
  });
});

/** The lines on which the matches start that ripgrep tells by their offsets. */
function linesByRipgrep(file: string, pattern: string, text: string): number[] {
  const { stdout } = spawnSync(rgPath, ['--no-config', '--multiline', '--json', '-e', pattern, '--', file]);
  const starts = stdout
    .toString()
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    .filter(({ type }) => type === 'match')
    .flatMap(({ data }) => data.submatches.map(({ start }: Reply) => data.absolute_offset + start));
  return [...new Set(starts.map((at) => text.slice(0, at).split('\n').length))];
}
