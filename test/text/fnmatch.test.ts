import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANY, CharSet } from '../../src/text/char-set.ts';
import { compileFnmatch } from '../../src/text/fnmatch.ts';
import { compileSegment, STAR, type Token } from '../../src/text/segment.ts';
import fixture from '../fixtures/fnmatch.json' with { type: 'json' };
import { SEED } from '../helpers/seed.ts';

const CPYTHON = `
import json, sys
from fnmatch import fnmatchcase
json.dump([[fnmatchcase(n, p), fnmatchcase(n.lower(), p.lower())] for p, n in json.load(sys.stdin)], sys.stdout)
`;
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;
if (!hasPython)
  console.warn('SKIPPED: fnmatch is not compared with CPython, because there is no python3 of 3.11 or later.');

function matches(pattern: string, name: string, caseSensitive = true): boolean {
  return compileFnmatch(pattern, { caseSensitive })(name);
}

describe('the pairs that CPython 3.11 has decided', () => {
  test.each(fixture.patterns)('$pattern matches the same names, in either case mode', ({ pattern, ...expected }) => {
    const matching = (caseSensitive: boolean) => {
      const compiled = compileFnmatch(pattern, { caseSensitive });
      return fixture.names.filter(compiled);
    };
    const named = (indices: number[]) => fixture.names.filter((_, index) => indices.includes(index));
    expect(matching(true)).toEqual(named(expected.sensitive));
    expect(matching(false)).toEqual(named(expected.insensitive));
  });
});

describe('what only `*`, `?` and brackets mean', () => {
  test.each<[rule: string, pattern: string, matching: string[], others: string[]]>([
    [
      'a star matches any run of characters, also none',
      'a*b',
      ['ab', 'a*b', 'axyzb', 'a/b', 'a\nb'],
      ['a', 'b', 'abc'],
    ],
    ['stars in a row are one', 'a***b', ['ab', 'axb'], ['a']],
    ['pieces between stars do not overlap', '*aba*aba*', ['abaaba', 'xabaxabax'], ['ababa', 'aba']],
    ['the ends do not overlap', 'aba*aba', ['abaaba', 'abaxaba'], ['ababa', 'aba']],
    ['a piece does not reach into the end', '*ab*b', ['abb', 'abxb', 'abab'], ['ab', 'b']],
    ['a piece with a set does not reach into the end', '*[a]b*b', ['abb', 'abxb', 'abab'], ['ab', 'b']],
    ['a question mark matches one code point', '?', ['a', '?', '.', 'é', '日', '😀', '\n'], ['', 'ab']],
    ['a dot is not special', '*', ['.env', '.', '..', ''], []],
    ['a set matches one of its members', '[ab😀]', ['a', 'b', '😀'], ['', 'c', 'ab', '\ud83d']],
    ['a range has both its ends', '[a-c]', ['a', 'b', 'c'], ['d', '-', 'B']],
    ['a set is negated by `!` alone', '[!a]', ['b', '!', '^', '日'], ['a', '', 'bb']],
    ['`^` is a member', '[^a]', ['^', 'a'], ['b']],
    ['a closing bracket that comes first is a member', '[]a]', [']', 'a'], ['[]a]', 'b']],
    ['so it is after `!`', '[!]a]', ['b'], [']', 'a']],
    ['a bracket that nothing closes is itself', '[a', ['[a'], ['a', '[']],
    ['a hyphen at either end is a member', '[-a-]', ['-', 'a'], ['b']],
    ['there is no quoting', '\\*', ['\\', '\\a', '\\*'], ['*']],
    ['a backslash in a set is a member', '[\\]', ['\\'], [']', '[\\]']],
    ['braces are themselves', '*.{js,ts}', ['a.{js,ts}'], ['a.js', 'a.ts']],
    ['so is what a shell or a regex gives a meaning', '(a|b)+@!^$.{}', ['(a|b)+@!^$.{}'], ['a', 'b']],
    ['set operations of `re` are members', '[a&&b||c~~d]', ['&', '|', '~', 'a'], ['e']],
    ['a range that ends before it begins is empty', '[z-a]', [], ['z', 'a', '-', '']],
    ['what is left of the set counts', '[z-ab]', ['b'], ['z', 'a', '-']],
    ['its negation is any character', '[!z-a]', ['z', 'a', '日'], ['']],
    ['an empty range may uncover a `!`', '[b-a!x]', ['b', 'a', '!'], ['x']],
    ['and nothing behind it', '[b-a!]', ['b', 'x'], ['']],
    ['a hyphen may follow the uncovered `!`', '[b-a!-z]', ['b', '!'], ['-', 'z']],
    ['half of a surrogate pair is a character of its own', '\ud83d*', ['\ud83d', '\ud83da'], ['😀']],
  ])('%s: %j', (_, pattern, matching, others) => {
    const compiled = compileFnmatch(pattern, { caseSensitive: true });
    expect([...matching, ...others].filter(compiled)).toEqual(matching);
  });
});

describe('letter case', () => {
  test.each<[pattern: string, name: string, sensitive: boolean, insensitive: boolean]>([
    ['readme.*', 'README.md', false, true],
    ['README.*', 'readme.md', false, true],
    ['[A-Z]*', 'a', false, true],
    ['котик*', 'Котик.png', false, true],
    ['É', 'é', false, true],
    ['*stanbul.txt', 'İstanbul.txt', true, true],
    ['?stanbul', 'İstanbul', true, false], // 'İ'.lower() is two characters
    ['STRASSE*', 'Straße.txt', false, false],
  ])('%j and %j: sensitive %j, insensitive %j', (pattern, name, sensitive, insensitive) => {
    expect([matches(pattern, name, true), matches(pattern, name, false)]).toEqual([sensitive, insensitive]);
  });
});

describe('long patterns', () => {
  test.each<[pattern: string, name: string, expected: boolean]>([
    [`*${'[ab]'.repeat(40)}c*`, `x${'ab'.repeat(20)}c`, true],
    [`*${'[ab]'.repeat(40)}c*`, `x${'ab'.repeat(20)}d`, false],
    [`*${'?'.repeat(31)}[z]*`, `${'a'.repeat(31)}z`, true],
    [`*${'?'.repeat(32)}[z]*`, `${'a'.repeat(31)}z`, false],
    [`*${'?'.repeat(100)}[z]${'?'.repeat(100)}*`, `${'a'.repeat(120)}z${'a'.repeat(100)}`, true],
    [`*${'?'.repeat(100)}[z]${'?'.repeat(100)}*`, `${'a'.repeat(120)}z${'a'.repeat(99)}`, false],
    [`*${'[à-ü日]'.repeat(70)}*`, 'é'.repeat(70), true],
    [`*${'[à-ü日]'.repeat(70)}*`, 'é日'.repeat(34), false],
    [`${'*a'.repeat(500)}*`, 'a'.repeat(500), true],
    [`${'*a'.repeat(500)}*`, 'a'.repeat(499), false],
    ['*b*', `${'a'.repeat(3000)}b`, true],
    ['[a]*[b]', `${'a'.repeat(3000)}b`, true],
  ])('a piece that is longer than a machine word is found where it stands: case %#', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });

  test('a match asks about each character once, however long the piece between stars is', () => {
    let asked = 0;
    const counted = new CharSet([], false, [
      () => {
        asked += 1;
        return true;
      },
    ]);
    const members = Array<Token>(126).fill(counted);
    const segment = compileSegment([STAR, ...members, 0x7a, STAR]);
    segment.matches('é'.repeat(255));
    asked = 0;
    expect(segment.matches('é'.repeat(254))).toBe(false);
    expect(asked).toBe(254);
  });

  test('the cost of a segment tells its worst case', () => {
    const piece = Array<Token>(100).fill(ANY);
    expect(compileSegment([STAR, ...piece, STAR]).cost).toBe(100 + 4 * 255);
    expect(compileSegment([...piece, STAR]).cost).toBe(100);
    expect(compileSegment([STAR, 0x61]).cost).toBe(1);
  });
});

const atom = fc.constantFrom(...'abzA--!^[][]*?\\.&~|éΣİ日\n '.split(''), '😀', '\ud83d', '\ude00');
const text = (maxLength: number) => fc.array(atom, { maxLength }).map((atoms) => atoms.join(''));
const bracketCase = fc.tuple(
  text(8).map((inner) => `[${inner}]`),
  text(1),
);
const starCase = fc.tuple(text(8), text(5));

test.skipIf(!hasPython)('agrees with the fnmatch of this machine’s Python on any pattern and name', () => {
  const cases = fc.sample(fc.oneof(bracketCase, starCase), { numRuns: 5000, seed: SEED });
  const { stdout } = spawnSync('python3', ['-c', CPYTHON], { input: JSON.stringify(cases), maxBuffer: 1 << 26 });
  const answers: unknown = JSON.parse(stdout.toString());
  const ours = cases.map(([pattern, name]) => [matches(pattern, name, true), matches(pattern, name, false)]);
  expect(ours.flat()).toContain(true);
  const label = ([pattern, name]: [string, string]) => JSON.stringify({ pattern, name, seed: SEED });
  const theirs = answers as boolean[][];
  const differing = cases.filter((_, index) => String(ours[index]) !== String(theirs[index])).map(label);
  expect(differing).toEqual([]);
  expect(theirs).toHaveLength(cases.length);
});
