import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { fnmatchRules, globRules } from '../../src/operations/patterns.ts';
import { compileGlob, type GlobState } from '../../src/text/glob.ts';
import { gitignoreRules, toRule } from '../../src/text/ignore-file.ts';
import { Rules } from '../../src/text/rules.ts';

/** What the rules say of a path; it is a directory when it ends in a slash. */
function verdictOf(rules: Rules, path: string): boolean | undefined {
  const names = path.split('/').filter((name) => name !== '');
  const state = names.slice(0, -1).reduce((above, name) => rules.enter(above, name), rules.start);
  return rules.verdict(state, names.at(-1) ?? '', path.endsWith('/'));
}

const ofLines = (...lines: string[]) => new Rules(gitignoreRules(lines.join('\n')));

describe('a verdict', () => {
  test('is none where no rule speaks', () => {
    expect([verdictOf(new Rules([]), 'a'), verdictOf(ofLines('b'), 'a'), verdictOf(ofLines('/a'), 'b/a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is that of the last rule that speaks, names and paths alike', () => {
    const rules = ofLines('*.log', '!/d/keep.log', 'keep.*', '!d/*/keep.log', 'x.log');

    expect(
      ['a.log', 'd/keep.log', 'keep.log', 'd/e/keep.log', 'd/e/x.log', 'other'].map((path) => verdictOf(rules, path)),
    ).toEqual([true, true, true, false, true, undefined]);
  });

  test('is false where a negated rule speaks last, or alone', () => {
    expect([verdictOf(ofLines('*', '!a'), 'a'), verdictOf(ofLines('!a'), 'a')]).toEqual([false, false]);
  });

  test('of a rule on directories is about directories', () => {
    const rules = ofLines('a/', 'd/b/');

    expect(['a/', 'a', 'x/a/', 'd/b/', 'd/b', 'x/d/b/'].map((path) => verdictOf(rules, path))).toEqual([
      true,
      undefined,
      true,
      true,
      undefined,
      undefined,
    ]);
  });

  test('of a name is the same in every folder, asked again or not', () => {
    const rules = ofLines('*.a', '!x.a');

    expect(['x.a', 'd/x.a', 'y.a', 'd/y.a', 'x.a', 'z'].map((path) => verdictOf(rules, path))).toEqual([
      false,
      false,
      true,
      true,
      false,
      undefined,
    ]);
  });

  test('of more names than are remembered stays right', () => {
    const rules = ofLines('n*', '!*7');
    const wrong = Array.from({ length: 45_000 }, (_, at) => `n${at}`).filter(
      (name) => rules.verdict(rules.start, name, false) !== !name.endsWith('7'),
    );

    expect(wrong).toEqual([]);
  });

  test('of rules one by one, the last that speaks, is that of the list', () => {
    const line = fc.constantFrom('a', '!a', '/a', '!/b', 'a/', 'd/a', '!d/*', '**/b', 'd/**/b', '!*', 'b/', '?');
    const path = fc.constantFrom('a', 'a/', 'b', 'b/', 'd/', 'd/a', 'd/a/', 'd/b', 'd/e/b', 'd/e/b/', 'e/a');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), path, (lines, asked) => {
        const alone = lines.map((one) => verdictOf(ofLines(one), asked));
        expect(verdictOf(ofLines(...lines), asked)).toBe(alone.findLast((verdict) => verdict !== undefined));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('rules that are asked for few names', () => {
  /** So many that all of them are asked for each name. */
  const MANY = Array.from({ length: 520 }, (_, at) => `never${at}`);
  const char = fc.constantFrom('a', 'b', '.b', 'é', '😀', '*', '?', '[ab]', '[!a]', '\\*', '**', '/', '{a,b}', '[😀]');
  const pattern = fc.array(char, { minLength: 1, maxLength: 6 }).map((chars) => chars.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '.', 'é', '😀', '*', '\ud83d', '\ude00'), {
    minLength: 1,
    maxLength: 4,
  });
  const path = fc
    .array(name, { minLength: 1, maxLength: 3 })
    .map((names) => names.map((one) => one.join('')).join('/'));

  test.each<[string, (lines: readonly string[]) => Rules]>([
    ['gitignore', (lines) => new Rules(gitignoreRules(lines.join('\n')))],
    ['globs', (lines) => globRules(lines, DEFAULT_BOUNDS)],
    ['fnmatch', (lines) => fnmatchRules(lines)],
  ])('say the same as when they are asked for all, as %s', (_, compile) => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 5 }), path, fc.boolean(), (lines, asked, isDirectory) => {
        const whole = isDirectory ? `${asked}/` : asked;
        expect(verdictOf(compile(lines), whole)).toBe(verdictOf(compile([...MANY, ...lines]), whole));
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is known of how names begin and end', () => {
  test('is worked out once for a folder, however many names stand in it', () => {
    const glob = compileGlob('**/a/*x', { caseSensitive: true });
    let asked = 0;
    const counting = {
      ...glob,
      start: glob.start,
      step: glob.step.bind(glob),
      accepts: glob.accepts.bind(glob),
      descends: glob.descends.bind(glob),
      endsOfHits: (state: GlobState) => {
        asked += 1;
        return glob.endsOfHits(state);
      },
    };
    const rules = new Rules([{ path: counting }]);
    for (let at = 0; at < 2000; at += 1) rules.verdict(rules.start, String.fromCharCode(0x4e00 + at), false);

    expect(asked).toBe(1);
  });

  test('is kept for few folders, however many differ', () => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rules = new Rules(letters.map((letter) => toRule(`**/*${letter}*/zz`)));
    const states = Array.from({ length: 64 }, (_, subset) =>
      rules.enter(rules.start, `-${letters.filter((_letter, at) => (subset >> at) % 2 === 1).join('')}`),
    );
    const verdicts = states.map((state) => [rules.verdict(state, 'zz', false), rules.verdict(state, 'zy', false)]);

    expect(verdicts).toEqual(states.map((_, subset) => [subset === 0 ? undefined : true, undefined]));
    expect(states.filter(({ candidates }) => candidates.size > 0).length).toBeLessThanOrEqual(16);
  });

  test('does not keep the folders of a tree in which all differ', () => {
    const rules = new Rules(Array.from({ length: 32 }, (_, at) => toRule(`**/*-${at}-*/zz`)));
    const enter = (at: number) => rules.enter(rules.start, `-${at % 32}-${(at * 7 + 1) % 32}-`);
    const first = Array.from({ length: 32 }, (_, at) => enter(at));
    const again = Array.from({ length: 32 }, (_, at) => enter(at));

    expect([first[0] === again[0], first[31] === again[31]]).toEqual([true, false]);
  });
});

describe('a list of rules', () => {
  test('is empty when there are none', () => {
    expect([new Rules([]).isEmpty, ofLines('# nothing', '').isEmpty, ofLines('a').isEmpty]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('knows nothing of folders when all its rules are on names', () => {
    const rules = ofLines('a', '*.b');

    expect(rules.enter(rules.start, 'x')).toBe(rules.start);
  });

  test('on a path that nothing below a folder can match says nothing there', () => {
    expect(verdictOf(ofLines('/a/b/c'), 'x/b/c')).toBeUndefined();
  });
});
