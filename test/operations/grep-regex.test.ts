import { describe, expect, test } from 'vitest';
import { runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { plantSparse } from '../helpers/sparse.ts';

const INVALID: [pattern: string, position: number, reason: RegExp][] = [
  ['a(', 1, /unclosed group/],
  ['(a', 0, /unclosed group/],
  ['a)', 1, /unopened group/],
  ['[a', 0, /unclosed character class/],
  ['ab[z-a]', 3, /range/],
  ['a{3,1}', 1, /repetition/],
  ['*a', 0, /repetition operator missing expression/],
  ['ab\\', 2, /escape/],
  ['a\\k', 1, /escape/],
  ['(?=a)b', 0, /look-around/],
  ['a(?!b)', 1, /look-around/],
  ['(a)\\1', 3, /backreference/],
  ['\\p{Foo}', 0, /property/],
  ['(?P<1>a)', 4, /capture group/],
  ['(?z)a', 2, /flag/],
];

describe('a regex that is none is refused, with the reason and where it is at fault', () => {
  test.each(INVALID)('%s at %i', async (pattern, position, reason) => {
    await expect(runnerOn({ a: 'a\n' }).grep({ pattern, isRegex: true })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringMatching(reason),
      members: { position },
    });
  });

  test.each([
    ['é$[z-a]', 3],
    ['$$[z-a]', 3],
    ['[$]$[z-a]', 5],
    ['😀[z-a]', 2],
    ['😀😀😀$[z-a]', 5],
  ])('counted in characters of the pattern as it was sent: %s at %i', async (pattern, position) => {
    await expect(runnerOn({ a: 'a\n' }).grep({ pattern, isRegex: true })).rejects.toMatchObject({
      members: { position },
    });
  });

  test.each([
    [{ wordRegexp: true }],
    [{ multiline: true }],
    [{ caseSensitive: false }],
    [{ output: 'files' }],
    [{ path: 'a' }],
  ])('whatever else is asked for: %j', async (fields) => {
    await expect(runnerOn({ a: 'a\n' }).grep({ pattern: 'ab[z-a]', isRegex: true, ...fields })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
      members: { position: 3 },
    });
  });

  test.each([
    ['there is nothing to search', {}],
    ['the one file is empty', { a: '' }],
    ['everything is left out', { 'node_modules/a': 'a' }],
  ])('also when %s', async (_, tree) => {
    await expect(runnerOn(tree).grep({ pattern: '(', isRegex: true })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
    });
  });

  test.each([
    ['too large to be searched', 4 * 1024 ** 3 + 1, 'auto'],
    ['too large to be decoded', 64 * 1024 ** 2 + 1, 'gbk'],
  ])('also when the one file that is asked for is %s', async (_, size, encoding) => {
    const { grep } = runnerOf(workspaceAt(plantSparse({ a: '' }, { a: size })));

    await expect(grep({ pattern: '[z-a]', isRegex: true, path: 'a', encoding })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
    });
  });

  test.each(['a)|(b', ')(', 'a)(?:b', ')|('])(
    'also when only more brackets around it would make it one: %s',
    async (pattern) => {
      await expect(runnerOn({ a: 'a\nb\n' }).grep({ pattern, isRegex: true })).rejects.toMatchObject({
        code: 'PATTERN_INVALID',
      });
    },
  );

  test('also when it is too large once compiled', async () => {
    await expect(runnerOn({ a: 'a\n' }).grep({ pattern: '\\w{1000}{1000}', isRegex: true })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
      message: expect.stringContaining('too large'),
    });
  });
});

describe('a regex', () => {
  test.each(INVALID.map(([pattern]) => pattern))('that is none is text without isRegex: %s', async (pattern) => {
    expect((await runnerOn({ a: `<${pattern}>\n` }).grep({ pattern })).count).toBe(1);
  });

  test.each([
    ['\\bfoo\\b', 'a foo b', 'afoob'],
    ['^\\s*fn\\s+\\w+', '  fn main', 'x fn main'],
    ['(?i)error|warn', 'WARNING', 'info'],
    ['[^\\x00-\\x7f]', 'é', 'e'],
    ['\\p{Greek}', 'λ', 'l'],
    ['a{2,3}', 'xaax', 'xax'],
    ['(?x) a  b', 'ab', 'a  b'],
    ['\\d+\\.\\d+', '3.14', '3,14'],
  ])('is of the Rust regex crate: %s', async (pattern, line, other) => {
    const { grep } = runnerOn({ a: `${other}\n${line}\n` });

    expect((await grep({ pattern, isRegex: true })).matches).toEqual([{ path: '/a', line: 2, text: line }]);
  });

  test('that would hang a backtracking engine answers', async () => {
    const { grep } = runnerOn({ a: `${'a'.repeat(50_000)}\n` });

    expect((await grep({ pattern: '(a+)+$|(a|aa)+b', isRegex: true, output: 'count' })).count).toBe(1);
  });
});
