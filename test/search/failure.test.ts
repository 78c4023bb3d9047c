import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { toArguments } from '../../src/search/argv.ts';
import { toPatternError } from '../../src/search/failure.ts';

const REGEX = { isRegex: true, caseSensitive: true, wordRegexp: false, multiline: false, encoding: 'auto' };

/** What becomes of what ripgrep says to a regex. */
function errorOf(text: string, more: { multiline?: boolean; wordRegexp?: boolean } = {}) {
  const pattern = { ...REGEX, text, ...more };
  const list = toArguments(pattern, { maxColumns: 0, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes });
  return toPatternError(spawnSync(rgPath, [...list, '/dev/null'], { encoding: 'utf8' }).stderr, pattern);
}

describe('what ripgrep says of a regex', () => {
  test.each([
    ['[z-a]', 1, /range/],
    ['ab[z-a]', 3, /range/],
    ['é[z-a]', 2, /range/],
    ['x$y$[z-a]', 5, /range/],
    ['[$][z-a]', 4, /range/],
    ['a{2,1}', 1, /repetition/],
    ['\\y', 0, /escape/],
    ['(?<n>a)(?<n>b)', 3, /duplicate/],
  ])('%s becomes an error with its reason and position %i', (regex, position, reason) => {
    expect(errorOf(regex)).toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringMatching(reason),
      members: { position },
    });
  });

  test('with words around it has the same position', () => {
    expect(errorOf('ab[z-a]', { wordRegexp: true })).toMatchObject({
      members: { position: 3 },
    });
  });

  test('over several lines has its reason', () => {
    const regex = 'a\n[z-a]';

    expect(errorOf(regex, { multiline: true })).toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringContaining('range'),
    });
  });

  test.each(['a\\nb', '\\n', '[\\n]', '(ab|\\n)'])('that finds line feeds tells of multiline: %s', (regex) => {
    expect(errorOf(regex)).toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringContaining('multiline=true'),
    });
  });

  test('that is too large is told so', () => {
    const regex = '\\w{999}{999}';

    expect(errorOf(regex)).toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringContaining('too large'),
    });
  });

  test('names neither ripgrep nor how it is called', () => {
    for (const regex of ['[z-a]', '\\n', '\\w{999}{999}', '(?=a)']) {
      expect(errorOf(regex)?.message).not.toMatch(/\brg\b|ripgrep|--|\(\?:\\r/);
    }
  });

  test.each([
    '',
    'rg: ./a: Permission denied (os error 13)\n',
    'rg: ./regex parse error: No such file or directory (os error 2)\n',
  ])('about anything else is none: %j', (stderr) => {
    expect(toPatternError(stderr, { ...REGEX, text: 'x' })).toBeUndefined();
  });
});
