import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requiredText } from '../../src/search/required.ts';
import { plant } from '../helpers/tree.ts';

const requiredOf = (text: string, caseSensitive = true) =>
  requiredText({ text, isRegex: true, caseSensitive, wordRegexp: false, multiline: false, encoding: 'auto' });

describe('the text that every match of a regex holds', () => {
  test.each([
    ['abc', 'abc'],
    ['fn \\w+\\(self', '(self'],
    ['a\\.b\\[c', 'a.b[c'],
    ['abc+d', 'abc'],
    ['abc{2}d', 'abc'],
    ['abc{1,}?d', 'abc'],
    ['ab?cd', 'cd'],
    ['^abc$', 'abc'],
    ['\\bab\\b', 'ab'],
    ['(x|y)abc(z)', 'abc'],
    ['(?s)abc', 'abc'],
    ['(?:x)abc', 'abc'],
    ['[x]ab{3}', 'ab'],
    ['é😀', 'é😀'],
    ['a}]', 'a}]'],
    ['\\x41bc', 'bc'],
    ['\\x41\\u0042\\U00000043de', 'de'],
    ['\\pLbc', 'bc'],
    ['\\p{Greek}bc', 'bc'],
    ['[[:alpha:]]bc', 'bc'],
    ['[-]bc', 'bc'],
    ['[+-[]bc', 'bc'],
  ])('%s: %j', (regex, text) => {
    expect(requiredOf(regex)).toBe(text);
  });

  test.each([
    '\\x41b',
    '\\u0041b',
    '\\U00000041b',
    '\\x{41}b',
    '\\pLb',
    'ab{0}c',
    'ab{00}c',
    'ab{ 0,1}c',
    'ab{ 1 }c',
    'ab+*c',
    'ab{1}*c',
    '(?x)ab+ ?',
    '(?x)ab',
    '(?Ui)abc',
    '(?Ri)abc',
    '(?x)( ?i)abc',
    '(?i:abc)d',
    'x(?-u:\\w)yz',
    '(abc)?',
    'ab|cd',
    'a',
    '[ab][bc]',
  ])('none is known of %s', (regex) => {
    expect(requiredOf(regex)).toBeUndefined();
  });

  test('none is known when case does not count', () => {
    expect(requiredOf('abc', false)).toBeUndefined();
  });

  // Each run starts a process.
  test('stands in all that ripgrep finds', { timeout: 120_000 }, () => {
    const file = join(plant({ lines: `${LINES.join('\n')}\n` }), 'lines');
    let known = 0;
    fc.assert(
      fc.property(regex(), (text) => {
        const required = requiredIfValid(text);
        if (required === undefined) return;
        known += 1;
        const found = spawnSync(rgPath, ['--no-config', '-e', text, '--', file], { encoding: 'utf8' }).stdout;
        expect(found.split('\n').filter((line) => line !== '' && !line.includes(required))).toEqual([]);
      }),
      { numRuns: 250 },
    );
    expect(known).toBeGreaterThan(10);
  });
});

/** Every line of up to four of these characters. */
const LINES = [1, 2, 3, 4].reduce<string[]>(
  (lines) => [...new Set([...lines, ...lines.flatMap((line) => ['a', 'b', 'A', ' ', '1'].map((one) => line + one))])],
  [''],
);

/** Regexes of all that the syntax has, most of them valid. */
function regex() {
  const { expression } = fc.letrec<{ expression: string; piece: string; group: string }>((tie) => ({
    expression: fc.array(tie('piece'), { minLength: 2, maxLength: 5 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'ab', 'ba', 'A', '1') },
      { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'ab').chain((text) => REPEATS.map((times) => text + times)) },
      { weight: 2, arbitrary: ESCAPES },
      {
        weight: 1,
        arbitrary: fc.constantFrom('|', '^', '$', '.', ' ', '#', '(?x)', '(?i)', '(?Us)', '(?Ui)', '(?-i)'),
      },
      { weight: 1, arbitrary: tie('group') },
    ),
    group: fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?i:', '(?x:', '( ?i:', '(?<n>'),
        tie('expression'),
        fc.oneof(REPEATS, fc.constant('')),
      )
      .map(([open, inside, times]) => `${open}${inside})${times}`),
  }));
  return expression;
}

const REPEATS = fc.constantFrom(
  ...[
    '*',
    '+',
    '?',
    '+?',
    '*?',
    '{0}',
    '{00}',
    '{1}',
    '{ 0,1}',
    '{ 1 }',
    '{1,}',
    '{0,2}',
    '{01}',
    '+*',
    '{1}*',
    '+ ?',
    '{2}{0}',
  ],
);
const ESCAPES = fc.constantFrom(
  ...[
    '\\x61',
    '\\x{61}',
    '\\u0061',
    '\\u{61}',
    '\\U00000061',
    '\\pL',
    '\\p{L}',
    '\\PL',
    '\\w',
    '\\W',
    '\\d',
    '\\s',
    '\\b',
    '\\B',
  ],
  ...[
    '\\b{start}',
    '\\<',
    '\\ ',
    '[a]',
    '[^a]',
    '[ab-]',
    '[-]',
    '[]a]',
    '[+-[]',
    '[[:alpha:]]',
    '[a-b&&[b]]',
    '[\\]a]',
  ],
);

function requiredIfValid(text: string): string | undefined {
  try {
    return requiredOf(text);
  } catch {
    return undefined;
  }
}
