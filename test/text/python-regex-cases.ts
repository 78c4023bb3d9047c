import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';

export interface RegexCase {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly names: readonly string[];
}

/**
 * What CPython says: the position of the fault (`null` where it names none), a verdict for each name, or that
 * it did not come to an end.
 */
export type Verdict =
  | { readonly invalid: true; readonly position: number | null }
  | { readonly matches: boolean[] }
  | { readonly endless: true };

const SCRIPT = `
import json, re, signal, sys, warnings
warnings.simplefilter('ignore')
def stop(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, stop)
def verdict(case):
    try:
        regex = re.compile(case['pattern'], re.IGNORECASE if case['ignoreCase'] else 0)
    except re.error as fault:
        return {'invalid': True, 'position': fault.pos}
    except (OverflowError, ValueError):
        return {'invalid': True, 'position': None}
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        return {'matches': [regex.search(name) is not None for name in case['names']]}
    except TimeoutError:
        return {'endless': True}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
json.dump([verdict(case) for case in json.load(sys.stdin)], sys.stdout)
`;

/** Whether `python3` is a version that these tests are written for. */
export function hasPython(): boolean {
  const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))']);
  return status === 0;
}

/** Prints what `expression` is, with `sys`, `re` and `unicodedata` at hand. */
export function evaluate(expression: string): unknown {
  const script = `import json, re, sys, unicodedata\njson.dump(${expression}, sys.stdout)`;
  return JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

/** Runs all cases in one process. */
export function askPython(cases: readonly RegexCase[]): Verdict[] {
  const input = JSON.stringify(cases);
  return JSON.parse(execFileSync('python3', ['-c', SCRIPT], { input, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

// Letters whose case is told apart in more than two ways, what \w, \d, \s and \b think differently about,
// and the characters that patterns treat specially.
const CHARACTERS = [
  ...'aaabbbccABkKsSiI19_-. \n',
  ...'éÉßẞſKİıΣσςµμ٣½日ŉ𐐨😀',
  ...['\u001c', '\u00a0', '\u0301', '\u2028', '\ud800'],
];
const SPECIAL = /[\^$.*+?{}()[\]|\\-]/;
const ESCAPES = ['\\d', '\\D', '\\w', '\\W', '\\s', '\\S'];
const RANGES = ['a-c', 'A-Z', 'a-z', '0-9', 'À-ÿ', 'Α-ω', '\\x80-\\U0010ffff', '\\u0200-\\U00010000'];
const PLACES = ['^', '$', '\\A', '\\Z', '\\b', '\\B'];
const QUANTIFIERS = ['*', '+', '?', '{2}', '{1,2}', '{0,2}', '{2,}', '{,1}', '{0}', '{1}'];
const OPENINGS = ['(?:', '(?:', '(?=', '(?!', '(?>', '(?i:', '(?-i:', '(?s:', '(?m:', '(?a:', '(?u:'];
const LOOK_BEHINDS = ['(?<=', '(?<!'];
const GLOBAL_FLAGS = ['', '', '', '', '(?i)', '(?m)', '(?s)', '(?a)', '(?im)', '(?x)'];
const GROUPS_WRITTEN = 9;

/** The groups of a pattern while it is written from left to right. */
interface Written {
  groups: number;
  readonly closed: number[];
}

/** Writes a part of a pattern, with references to groups that are there. */
type Part = (written: Written) => string;

const character = fc.constantFrom(...CHARACTERS);
const literal = character.map((c) => (SPECIAL.test(c) ? `\\${c}` : c));
const classItem = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 2, arbitrary: fc.constantFrom(...RANGES) },
  { weight: 2, arbitrary: fc.constantFrom(...ESCAPES) },
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(classItem, { minLength: 1, maxLength: 3 }))
  .map(([negated, items]) => `[${negated ? '^' : ''}${items.join('')}]`);
const single = fc.oneof(
  { weight: 6, arbitrary: literal },
  { weight: 2, arbitrary: characterClass },
  { weight: 2, arbitrary: fc.constantFrom(...ESCAPES, '.') },
);
const place = fc.constantFrom(...PLACES).map(
  (text): Part =>
    () =>
      text,
);
const reference = fc.nat({ max: GROUPS_WRITTEN }).map(
  (choice): Part =>
    ({ closed }) =>
      closed.length === 0 ? 'a' : `(?:\\${closed[choice % closed.length]})`,
);
const lookBehind = fc.tuple(fc.constantFrom(...LOOK_BEHINDS), fc.array(single, { minLength: 1, maxLength: 3 })).map(
  ([open, body]): Part =>
    () =>
      `${open}${body.join('')})`,
);

const { regex } = fc.letrec<{ regex: Part; sequence: Part; item: Part; group: Part; capture: Part; conditional: Part }>(
  (tie) => ({
    regex: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map(joined('|')),
    sequence: fc
      .array(fc.oneof({ weight: 7, arbitrary: tie('item') }, { weight: 1, arbitrary: place }), { maxLength: 4 })
      .map(joined('')),
    item: fc
      .tuple(
        fc.oneof(
          { depthSize: 'small', withCrossShrink: true },
          {
            weight: 6,
            arbitrary: single.map(
              (text): Part =>
                () =>
                  text,
            ),
          },
          { weight: 1, arbitrary: tie('capture') },
          { weight: 1, arbitrary: tie('group') },
          { weight: 1, arbitrary: reference },
          { weight: 1, arbitrary: lookBehind },
          { weight: 1, arbitrary: tie('conditional') },
        ),
        fc.option(fc.constantFrom(...QUANTIFIERS), { freq: 2, nil: '' }),
        fc.constantFrom('', '', '', '?', '+'),
      )
      .map(
        ([body, quantifier, mode]): Part =>
          (written) =>
            body(written) + (quantifier === '' ? '' : quantifier + mode),
      ),
    group: fc.tuple(fc.constantFrom(...OPENINGS), tie('regex')).map(
      ([open, body]): Part =>
        (written) =>
          `${open}${body(written)})`,
    ),
    capture: tie('regex').map(
      (body): Part =>
        (written) => {
          const group = ++written.groups;
          const text = `(${body(written)})`;
          if (group <= GROUPS_WRITTEN) written.closed.push(group);
          return text;
        },
    ),
    conditional: fc
      .tuple(fc.nat({ max: GROUPS_WRITTEN }), tie('sequence'), fc.option(tie('sequence'), { nil: undefined }))
      .map(
        ([choice, yes, no]): Part =>
          (written) => {
            const { closed } = written;
            if (closed.length === 0) return 'b';
            return `(?(${closed[choice % closed.length]})${yes(written)}${no === undefined ? '' : `|${no(written)}`})`;
          },
      ),
  }),
);

function joined(separator: string): (parts: readonly Part[]) => Part {
  return (parts) => (written) => parts.map((part) => part(written)).join(separator);
}

/** Patterns from a grammar of all that Python has, a few of them invalid, with names of the same characters. */
export const regexCase: fc.Arbitrary<RegexCase> = fc.record({
  pattern: fc
    .tuple(fc.constantFrom(...GLOBAL_FLAGS), regex)
    .map(([flags, body]) => flags + body({ groups: 0, closed: [] })),
  ignoreCase: fc.boolean(),
  names: fc.array(fc.string({ unit: character, maxLength: 8 }), { minLength: 6, maxLength: 6 }),
});
