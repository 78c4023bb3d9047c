import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternInvalid } from '../../src/errors.ts';
import { closeOverCase } from '../../src/text/python-regex/case-folding.ts';
import { type Category, unicodeCategory } from '../../src/text/python-regex/categories.ts';
import { compilePythonRegex } from '../../src/text/python-regex/index.ts';
import { pairsOf, type Ranges } from '../../src/text/python-regex/ranges.ts';
import { SEED } from '../helpers/seed.ts';
import { askPython, evaluate, hasPython, type RegexCase, regexCase, type Verdict } from './python-regex-cases.ts';

const RUNS = 1000;
const NOT_RUN = /cannot be run|too much time/;
const MOST_REFUSED = 0.02;
const noPython = !hasPython();
const missing = noPython ? ' (NOT CHECKED: python3 3.11 or 3.12 is missing)' : '';

type Answer = boolean[] | { refused: string; position: number | undefined };

function answer({ pattern, ignoreCase, names }: RegexCase): Answer {
  try {
    return [...compilePythonRegex(pattern, { ignoreCase })(names)];
  } catch (fault) {
    if (!(fault instanceof PatternInvalid)) throw fault;
    const { message, members }: { message: string; members?: { position?: number } } = fault;
    return { refused: message, position: members?.position };
  }
}

/** What is wrong with an answer, by what Python says; `undefined` when nothing is. */
function difference(ours: Answer, python: Verdict): string | undefined {
  if ('endless' in python) return undefined;
  if (Array.isArray(ours)) {
    if ('invalid' in python) return 'Python refuses it';
    return ours.join() === python.matches.join() ? undefined : `Python matches ${python.matches.join()}`;
  }
  if (NOT_RUN.test(ours.refused)) return undefined;
  if ('matches' in python) return 'Python takes it';
  return python.position === null || python.position === ours.position ? undefined : `it is at ${python.position}`;
}

describe.skipIf(noPython)(`against python3${missing}`, () => {
  it(`agrees on ${RUNS} patterns from a grammar, and refuses few of them`, () => {
    const cases = fc.sample(regexCase, { numRuns: RUNS, seed: SEED });
    const python = askPython(cases);
    const answers = cases.map(answer);
    const wrong = cases.flatMap((one, index) => {
      const fault = difference(answers[index]!, python[index]!);
      return fault === undefined ? [] : [{ ...one, fault, ours: answers[index] }];
    });
    expect(wrong, `seed ${SEED}`).toEqual([]);
    const valid = answers.filter((_, index) => 'matches' in python[index]!);
    const refused = valid.filter((one) => !Array.isArray(one));
    expect(valid.length).toBeGreaterThan(0.9 * RUNS);
    expect(refused.length / valid.length, `seed ${SEED}`).toBeLessThan(MOST_REFUSED);
  });

  it.each<[Category, string]>([
    ['digit', '\\d'],
    ['space', '\\s'],
    ['word', '\\w'],
  ])('has the same %s characters as far as both know them', (category, escaped) => {
    const ranges = JSON.stringify([...pairsOf(unicodeCategory(category))]);
    const ours = `set(c for low, high in ${ranges} for c in range(low, high + 1))`;
    const assigned = "c for c in range(0x110000) if unicodedata.category(chr(c)) != 'Cn'";
    const differs = `(c in ours) != (re.match(r'${escaped}', chr(c)) is not None)`;
    expect(evaluate(`(lambda ours: [${assigned} and ${differs}])(${ours})`)).toEqual([]);
  });

  it('matches every cased letter with the same others', () => {
    const cased = '[c for c in range(0x20000) if chr(c).lower() != chr(c) or chr(c).upper() != chr(c)]';
    const found = '[[ord(c) for c in re.findall(re.escape(chr(one)), text, re.I)] for one in cased]';
    const both = `(lambda cased: (lambda text: [cased, ${found}])(''.join(map(chr, cased))))(${cased})`;
    const [letters, variants] = evaluate(both) as [number[], number[][]];
    const known = new Set(letters);
    const ours = letters.map((letter) =>
      membersOf(closeOverCase([letter, letter], 'unicode')).filter((c) => known.has(c)),
    );
    expect(ours).toEqual(variants);
  });
});

function membersOf(ranges: Ranges): number[] {
  return [...pairsOf(ranges)].flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, i) => low + i));
}
