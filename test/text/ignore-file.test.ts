import { describe, expect, test } from 'vitest';
import { gitignoreRules, ignoreLines, toRule } from '../../src/text/ignore-file.ts';
import { type Rule, Rules } from '../../src/text/rules.ts';

/** What rules say of a path; it is a directory when it ends in a slash. */
function verdictOf(list: readonly Rule[], path: string): boolean | undefined {
  const rules = new Rules(list);
  const names = path.split('/').filter((name) => name !== '');
  const state = names.slice(0, -1).reduce((above, name) => rules.enter(above, name), rules.start);
  return rules.verdict(state, names.at(-1) ?? '', path.endsWith('/'));
}

describe('a rule of a glob', () => {
  const matches = (pattern: string, path: string) => verdictOf([toRule(pattern)], path) === true;

  test.each([
    ['*.js', ['a.js', 'd/a.js', 'a.js/'], ['a.jsx']],
    ['d/*.js', ['d/a.js'], ['a.js', 'x/d/a.js']],
    ['/a', ['a'], ['d/a']],
    ['a/', ['a/', 'd/a/'], ['a']],
    ['**/a/b', ['a/b', 'x/y/a/b'], ['a/x/b']],
    ['{a,b}/c', ['a/c', 'b/c'], ['c']],
  ])('%s', (pattern, hits, others) => {
    expect(hits.filter((path) => !matches(pattern, path))).toEqual([]);
    expect(others.filter((path) => matches(pattern, path))).toEqual([]);
  });

  test('that is no pattern is refused', () => {
    expect(() => toRule('a/../b')).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  });
});

describe('the lines of an ignore file', () => {
  test.each<[what: string, text: string, lines: string[]]>([
    ['are its patterns in order', 'a\nb\n', ['a', 'b']],
    ['are none of an empty file', '', []],
    ['are not comments and blank lines', '# c\n\n  \na\n#b', ['a']],
    ['keep a # that is no first character', 'a#b\n #c', ['a#b', ' #c']],
    ['keep a # that is quoted', '\\#a', ['\\#a']],
    ['have no CR of CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['keep blanks at their start', '  a', ['  a']],
    ['have no blanks at their end', 'a  \nb ', ['a', 'b']],
    ['keep a quoted blank at their end', 'a\\ \nb\\   ', ['a\\ ', 'b\\ ']],
    ['keep their `!`', '!a', ['!a']],
  ])('%s', (_, text, lines) => {
    expect(ignoreLines(text)).toEqual(lines);
  });
});

describe('the rules of a .gitignore', () => {
  test('are without lines that are no pattern', () => {
    expect(gitignoreRules('a\n../b\n!\nc').length).toBe(2);
  });

  test('know which take back', () => {
    expect(gitignoreRules('a\n!b\n\\!c').map(({ negated }) => negated)).toEqual([false, true, false]);
  });

  test('have braces literally, and quoted characters, too', () => {
    const rules = gitignoreRules('{a,b}\n\\*x');

    expect(['{a,b}', 'a', '*x', 'yx'].map((path) => verdictOf(rules, path))).toEqual([
      true,
      undefined,
      true,
      undefined,
    ]);
  });
});
