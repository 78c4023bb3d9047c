import { describe, expect, it } from 'vitest';
import { type CatalogueError, PatternInvalid } from '../../src/errors.ts';
import { childrenOf, type RegexNode } from '../../src/text/python-regex/ast.ts';
import type { CharSet } from '../../src/text/python-regex/char-set.ts';
import { parsePythonRegex } from '../../src/text/python-regex/parse.ts';

/** A tree in short: sets as their ranges, other nodes as `(type …)`. */
function shape(node: RegexNode): string {
  const below = childrenOf(node).map(shape).join(' ');
  switch (node.type) {
    case 'set':
      return setShape(node.set);
    case 'place':
      return `(${node.place}${node.ascii ? ' ascii' : ''})`;
    case 'sequence':
      return node.items.length === 1 ? below : `(${below})`;
    case 'repeat':
      return `(${node.mode} ${node.min} ${node.max} ${below})`;
    case 'look':
      return `(${node.negative ? 'not ' : ''}${node.back === undefined ? 'ahead' : `back ${node.back}`} ${below})`;
    case 'reference':
      return `(same ${node.group} ${node.fold})`;
    case 'capture':
    case 'conditional':
      return `(${node.type} ${node.group} ${below})`;
    default:
      return `(${node.type} ${below})`;
  }
}

function setShape({ ranges, categories, negated }: CharSet): string {
  const names = categories.map((part) => (part.negated ? '!' : '') + part.category);
  return `${negated ? '^' : ''}[${[...ranges.map((bound) => bound.toString(16)), ...names].join(' ')}]`;
}

function tree(pattern: string, ignoreCase = false): string {
  return shape(parsePythonRegex(pattern, { ignoreCase }));
}

function fault(pattern: string): CatalogueError {
  try {
    parsePythonRegex(pattern, { ignoreCase: false });
  } catch (error) {
    if (error instanceof PatternInvalid) return error;
    throw error;
  }
  throw new Error(`no fault in ${pattern}`);
}

describe('a tree', () => {
  it.each([
    ['', '()'],
    ['ab|c|', '(alternation ([61 61] [62 62]) [63 63] ())'],
    ['a*b+?c?+', '((greedy 0 Infinity [61 61]) (lazy 1 Infinity [62 62]) (possessive 0 1 [63 63]))'],
    [
      'a{2}b{2,}c{,2}d{1,2}e{,}',
      '((greedy 2 2 [61 61]) (greedy 2 Infinity [62 62]) (greedy 0 2 [63 63]) (greedy 1 2 [64 64]) (greedy 0 Infinity [65 65]))',
    ],
    ['a{}', '([61 61] [7b 7b] [7d 7d])'],
    ['a{b', '([61 61] [7b 7b] [62 62])'],
    ['a{1', '([61 61] [7b 7b] [31 31])'],
    ['(a)(?P<n>b)(?:c)', '((capture 1 [61 61]) (capture 2 [62 62]) [63 63])'],
    [
      '(?>a)(?=b)(?!c)(?<=de)(?<!f)',
      '((atomic [61 61]) (ahead [62 62]) (not ahead [63 63]) (back 2 ([64 64] [65 65])) (not back 1 [66 66]))',
    ],
    ['(a)\\1(?P<n>b)(?P=n)', '((capture 1 [61 61]) (same 1 none) (capture 2 [62 62]) (same 2 none))'],
    ['(a)(?(1)b|c)(?(1)d)', '((capture 1 [61 61]) (conditional 1 [62 62] [63 63]) (conditional 1 [64 64] ()))'],
    ['a(?#b)*', '(greedy 0 Infinity [61 61])'],
    ['^$\\A\\Z\\b\\B', '((start) (end-or-last-line-feed) (start) (end) (boundary) (no-boundary))'],
    ['(?m)^$', '((line-start) (line-end))'],
    ['(?a)\\b\\w', '((boundary ascii) [30 39 41 5a 5f 5f 61 7a])'],
    ['(?a)(?u:\\w)', '[word]'],
    ['.(?s:.)', '(^[a a] ^[])'],
    ['(?x) a b # c\n d', '([61 61] [62 62] [64 64])'],
    ['(?x)a(?-x: )[ ]\\ ', '([61 61] [20 20] [20 20] [20 20])'],
    ['(?#c)(?i)(?s).', '^[]'],
    ['\\x41\\u0042\\U00000043\\103\\0\\08', '([41 41] [42 42] [43 43] [43 43] [0 0] [0 0] [38 38])'],
    ['\\a\\f\\n\\r\\t\\v\\\\\\.', '([7 7] [c c] [a a] [d d] [9 9] [b b] [5c 5c] [2e 2e])'],
    ['[]a][^]a]', '([5d 5d 61 61] ^[5d 5d 61 61])'],
    ['[a-c\\d-][\\b\\-]', '([2d 2d 61 63 digit] [8 8 2d 2d])'],
    ['[^\\W\\d_]', '^[5f 5f !word digit]'],
    ['[[a]&&b]', '([5b 5b 61 61] [26 26] [26 26] [62 62] [5d 5d])'],
    ['😀', '[1f600 1f600]'],
    ['\\ud83d\\ude00', '([d83d d83d] [de00 de00])'],
  ])('of %j', (pattern, expected) => {
    expect(tree(pattern)).toBe(expected);
  });

  it.each([
    ['k', '[4b 4b 6b 6b 212a 212a]'],
    ['(?a)k', '[4b 4b 6b 6b]'],
    ['(?-i:k)1', '([6b 6b] [31 31])'],
    ['[^é]', '^[c9 c9 e9 e9]'],
    ['(.)\\1', '((capture 1 ^[a a]) (same 1 unicode))'],
    ['(?a)(.)\\1', '((capture 1 ^[a a]) (same 1 ascii))'],
  ])('of %j without regard to case', (pattern, expected) => {
    expect(tree(pattern, true)).toBe(expected);
  });

  it('has positions in code points', () => {
    expect(parsePythonRegex('😀(?=a)', { ignoreCase: false })).toMatchObject({
      items: [{}, { type: 'look', position: 1 }],
    });
  });
});

describe('a fault', () => {
  it.each([
    ['a\\', 1, 'backslash at the end'],
    ['(a', 0, 'unterminated group'],
    ['a)', 1, 'unbalanced )'],
    ['x[a', 1, 'unterminated character class'],
    ['[b-a]', 1, 'bad character range b-a'],
    ['[a-\\d]', 1, 'bad character range a-\\d'],
    ['*a', 0, 'nothing to repeat'],
    ['a|^+', 3, 'nothing to repeat'],
    ['a**', 2, 'multiple repeat'],
    ['a{3,2}', 2, 'at least 3 and at most 2'],
    ['a{4294967295}', 1, 'too large'],
    ['\\q', 0, 'bad escape \\q'],
    ['\\p{L}', 0, '[^\\W\\d_]'],
    ['x\\z', 1, '\\Z'],
    ['[\\8]', 1, 'bad escape \\8'],
    ['\\x4', 0, 'incomplete escape \\x4'],
    ['\\U00110000', 0, 'incomplete escape'],
    ['\\400', 0, 'octal escape'],
    ['\\N', 2, 'missing {'],
    ['(a)\\2', 4, 'group 2, which does not exist'],
    ['(a\\1)', 2, 'still open'],
    ['(?P<n>(?P=n))', 10, 'still open'],
    ['(?<=(a)\\1)b', 9, 'same look-behind'],
    ['(?<=(?(1)a|b))(c)', 9, 'still open'],
    ['(?(1)a)', 3, 'group 1, which does not exist'],
    ['(a)(?(0)b)', 6, 'group number 0'],
    ['(a)(?(1)b|c|d)', 11, 'more than two branches'],
    ['(?P=n)', 4, 'unknown group name n'],
    ['(?P<n>a)(?P<n>b)', 12, 'second group named n'],
    ['(?P<1>a)', 4, 'bad group name 1'],
    ['(?P<>a)', 4, 'missing group name'],
    ['(?P<n', 4, 'missing >'],
    ['(?Px)', 1, 'unknown extension (?Px'],
    ['(?<n>a)', 1, 'unknown extension (?<n'],
    ['(?', 2, 'unexpected end'],
    ['(?#a', 0, 'unterminated comment'],
    ['(?<=a+)b', 0, 'look-behind of more than one length'],
    ['(?z)', 1, 'unknown extension (?z'],
    ['(?iz)', 3, 'unknown flag z'],
    ['(?L)', 3, 'flag L'],
    ['(?au)', 4, 'flags a and u'],
    ['(?a)(?u)', 0, 'flags a and u'],
    ['(?-u:a)', 4, 'cannot be turned off'],
    ['(?i-i:a)', 5, 'turned on and off'],
    ['(?i', 3, 'missing'],
    ['(?-)', 3, 'missing flag'],
    ['a(?i)b', 1, 'global flags'],
    ['(?:(?i)b)', 3, 'global flags'],
    ['😀(', 1, 'unterminated group'],
  ])('in %s stands at %d', (pattern, position, text) => {
    const { message, members } = fault(pattern);
    expect(members).toEqual({ position });
    expect(message).toContain(text);
  });

  it('says what to send instead', () => {
    expect(fault('\\z').message).toBe(
      'Not a valid Python regular expression: bad escape \\z at position 0. Write \\Z for the end of the name.',
    );
  });
});
