import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CatalogueError, PatternInvalid } from '../../src/errors.ts';
import { compilePythonRegex } from '../../src/text/python-regex/index.ts';

interface Corpus {
  names: string[];
  patterns: { pattern: string; sensitive?: number[]; insensitive?: number[]; invalid?: true }[];
}

const corpus: Corpus = JSON.parse(readFileSync(new URL('../fixtures/python-regex.json', import.meta.url), 'utf8'));
const valid = corpus.patterns.filter(({ invalid }) => invalid !== true);
const invalid = corpus.patterns.filter((one) => one.invalid === true);
const MOST_REFUSED = 0.02;

function matching(pattern: string, names: readonly string[], ignoreCase = false): string[] {
  const verdicts = compilePythonRegex(pattern, { ignoreCase })(names);
  return names.filter((_, index) => verdicts[index]);
}

function faultOf(run: () => unknown): CatalogueError {
  try {
    run();
  } catch (fault) {
    if (fault instanceof PatternInvalid) return fault;
    throw fault;
  }
  throw new Error('no fault');
}

function refusal(pattern: string, ignoreCase = false): CatalogueError {
  return faultOf(() => compilePythonRegex(pattern, { ignoreCase }));
}

function isRefused(pattern: string): boolean {
  try {
    compilePythonRegex(pattern, { ignoreCase: false });
    return false;
  } catch (fault) {
    if (fault instanceof PatternInvalid) return true;
    throw fault;
  }
}

describe('CPython 3.11 agrees', () => {
  it.each(valid.filter(({ pattern }) => !isRefused(pattern)))('on the names that $pattern matches', (one) => {
    const found = (ignoreCase: boolean): number[] => {
      const verdicts = compilePythonRegex(one.pattern, { ignoreCase })(corpus.names);
      return [...verdicts.keys()].filter((index) => verdicts[index]);
    };
    expect({ sensitive: found(false), insensitive: found(true) }).toEqual({
      sensitive: one.sensitive,
      insensitive: one.insensitive,
    });
  });

  it.each(invalid)('that $pattern is invalid', ({ pattern }) => {
    expect(refusal(pattern)).toMatchObject({ code: 'PATTERN_INVALID', members: { position: expect.any(Number) } });
  });

  it('and runs nearly every valid pattern here too', () => {
    const refused = valid.filter(({ pattern }) => isRefused(pattern)).map(({ pattern }) => pattern);
    expect(refused.length, refused.join(' ')).toBeLessThanOrEqual(MOST_REFUSED * valid.length);
  });
});

describe('a matcher', () => {
  it('answers in the order and number of the names, whatever kinds are mixed', () => {
    const names = ['a.py', 'é.py', '', 'b.ts', 'a.py\n', '日.ts', 'c.py', 'a.py'];
    expect(compilePythonRegex('\\.py$', { ignoreCase: false })(names)).toEqual([
      true,
      true,
      false,
      false,
      true,
      false,
      true,
      true,
    ]);
  });

  it('takes no names, and the same names again', () => {
    const matcher = compilePythonRegex('(?=a)(a+)+$', { ignoreCase: false });
    expect([matcher([]), matcher(['aaa', 'b']), matcher(['b', 'aaa', 'aaa'])]).toEqual([
      [],
      [true, false],
      [false, true, true],
    ]);
  });

  it('takes thousands of names at once', () => {
    const names = Array.from({ length: 12_345 }, (_, index) => `${index}.py`);
    for (const pattern of ['^\\d*7\\.py$', '^(?=\\d)\\d*7\\.py$', '^(?:(?=\\d)\\d+)*7\\.py$']) {
      expect(matching(pattern, names)).toHaveLength(1234);
    }
  });

  it('finds all names of a large tree in time that nobody notices', () => {
    const names = Array.from({ length: 200_000 }, (_, index) => `${index % 20 === 0 ? 'test_' : ''}file_${index}.py`);
    const start = performance.now();
    expect(matching('^test_.*\\.py$', names)).toHaveLength(10_000);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe('constructs that linear-time engines lack', () => {
  it.each([
    ['an atomic group keeps what it took', '^(?>a+)ab', ['aab', 'ab'], []],
    ['a possessive repeat keeps each of its turns', '^(?:a|ab){2}+c', ['aabc', 'abac', 'aac'], ['aac']],
    ['an empty turn ends a repeat', '^(?>(?:|a)*)b', ['ab', 'b'], ['b']],
    ['an empty turn counts where one is due', '^(?:(?=a)|b){3}a', ['a', 'ba', 'c'], ['a', 'ba']],
    ['a group keeps what it took in an earlier turn', '^(?:(a)|b)*\\1$', ['abba', 'abb', 'b'], ['abba']],
    ['an empty last turn empties its group', '^(a?)*\\1b', ['aab', 'b'], ['aab', 'b']],
    ['a reference to a group that took no part matches nothing', '^(a)?\\1b', ['b', 'aab', 'ab'], ['aab']],
    ['a conditional asks whether its group took part', '^(")?a(?(1)"|;)$', ['"a"', 'a;', '"a', '"a;'], ['"a"', 'a;']],
    ['a conditional without a second branch is empty then', '^(?P<q>")?a(?(q)")$', ['"a"', 'a', '"a'], ['"a"', 'a']],
    ['a conditional may ask for a group further right', '^(?:(?(1)a|b)(c))+$', ['bc', 'bcac', 'bcbc'], ['bc', 'bcac']],
    ['a conditional may ask for the group around it', '^((?(1)a|b))+$', ['b', 'ba', 'bb'], ['b', 'ba']],
    ['a group in a negative look-around takes no part outside it', '^(?!(a)b)a(?(1)x|y)', ['ay', 'ax'], ['ay']],
    ['a group in a look-ahead takes part outside it', '^(?=(.)(.))\\2\\1', ['aa', 'ab'], ['aa']],
    ['a look-behind reads from left to right', '(?<=(.)(.))\\2\\1', ['abba', 'abab'], ['abba']],
    ['a look-behind too long for the place fails', '(?<=...)a|(?<!..)b', ['aaaa', 'aaa', 'ab', 'aab'], ['aaaa', 'ab']],
    [
      'a look-ahead in a repeat is asked at each turn',
      '^(?:(?=[0-9])[0-9]+)*7\\.py$',
      ['17.py', '1.py', 'a7.py'],
      ['17.py'],
    ],
    ['lazy repeats take what is needed', '^(?=(a+?)b)\\1b$', ['ab', 'aab', 'aaab'], ['ab', 'aab', 'aaab']],
    ['lazy repeats of groups too', '^(?>(?:ab)*?c)(?=d)', ['ababcd', 'cd', 'abd'], ['ababcd', 'cd']],
    ['flags hold inside their group alone', '^(?i:a)b(?-i:c)$', ['Abc', 'AbC', 'aBc'], ['Abc']],
    ['verbose mode leaves out blanks and comments', '(?x) ^ a \\  [ ] b $ # end', ['a  b', 'ab'], ['a  b']],
    ['two escaped surrogates are two characters', '\\ud83d\\ude00', ['😀', '\ud83d'], []],
    ['a lone surrogate is a character', '^\\ud83d$', ['\ud83d', '😀'], ['\ud83d']],
  ] as const)('%s', (_title, pattern, names, expected) => {
    expect(matching(pattern, names)).toEqual(expected);
  });
});

describe('ends, lines and words', () => {
  it.each([
    ['a$', ['a', 'a\n', 'a\nb', 'é a\n'], ['a', 'a\n', 'é a\n']],
    ['a\\Z', ['a', 'a\n'], ['a']],
    ['(?m)^a$', ['a', 'b\na\nb', 'ab'], ['a', 'b\na\nb']],
    ['^$', ['', '\n', 'a'], ['', '\n']],
    ['\\bé', ['é', 'aé', '-é', '日é'], ['é', '-é']],
    ['(?a)\\bé', ['é', 'aé', '日é'], ['aé']],
    ['\\B', ['', 'a', 'ab', '-', 'é日'], ['ab', '-', 'é日']],
    ['(?a)\\B', ['', 'a', 'é'], ['é']],
    ['^.$', ['\n', '\r', '\u2028', '😀'], ['\r', '\u2028', '😀']],
    ['^\\s$', ['\u001c', '\u0085', '\u00a0', '\u200b', '\ufeff'], ['\u001c', '\u0085', '\u00a0']],
    ['(?a)^\\s$', ['\u001c', '\u00a0', '\t'], ['\t']],
    ['^\\d$', ['٣', '²', '𝟘'], ['٣', '𝟘']],
    ['^\\w$', ['²', 'Ⅷ', '\u0301', '_', '‿'], ['²', 'Ⅷ', '_']],
  ] as const)('%s', (pattern, names, expected) => {
    expect(matching(pattern, names)).toEqual(expected);
  });
});

describe('ignoring case', () => {
  it.each([
    ['k', ['K', '\u212a', 'ĸ'], ['K', '\u212a']],
    ['s', ['S', 'ſ', 'ß'], ['S', 'ſ']],
    ['ß', ['ẞ', 'SS', 'ss'], ['ẞ']],
    ['i', ['I', 'İ', 'ı', 'í'], ['I', 'İ', 'ı']],
    ['σ', ['Σ', 'ς', 'ϲ'], ['Σ', 'ς']],
    ['(?a)[k-s]', ['K', '\u212a', 'S', 'ſ'], ['K', 'S']],
    ['[^k]', ['K', '\u212a', 'x'], ['x']],
    ['(?-i:k)', ['K', 'k', '\u212a'], ['k']],
    ['^[𐐨-𐐪]$', ['𐐀', '𐐨', '𐐰'], ['𐐀', '𐐨']],
    // As CPython has it: back-references know lower case alone.
    ['^(.)\\1$', ['aA', 'ΣΣ', 'σς', 'sſ', 'k\u212a', 'iİ', 'ıi'], ['aA', 'ΣΣ', 'k\u212a', 'iİ']],
    ['(?a)^(.)\\1$', ['aA', 'éÉ', 'éé'], ['aA', 'éé']],
    ['^(.)(?-i:\\1)$', ['aA', 'aa', 'éÉ'], ['aa']],
    // And a range that ends above U+FFFF takes what has its upper case there: that of ŉ begins with U+02BC.
    ['[\\u0200-\\U00010000]', ['ŉ', 'ň', 'ɐ'], ['ŉ', 'ɐ']],
  ] as const)('%s', (pattern, names, expected) => {
    expect(matching(pattern, names, true)).toEqual(expected);
  });
});

describe('what cannot be run exactly is refused by name, with its position', () => {
  it.each([
    ['a\\N{DIGIT ONE}', 1, '\\N{…}'],
    ['(?i)x\\U00010400', 5, 'upper-case letter'],
    ['(?t)a', 2, 'flag t'],
    ['(a)(?( 1 )b)', 6, 'group name'],
    [`${'('.repeat(101)}${')'.repeat(101)}`, 100, 'groups inside one another'],
    ['a'.repeat(1025), 1024, 'more than 1024 characters'],
    ['😀'.repeat(1025), 1024, 'more than 1024 characters'],
  ])('%s', (pattern, position, construct) => {
    const fault = refusal(pattern);
    expect(fault.message).toContain('cannot be run');
    expect(fault.message).toContain(construct);
    expect(fault.members).toEqual({ position });
  });

  it('takes groups as deep as it may', () => {
    expect(matching(`^${'(?:'.repeat(99)}a(?=b)${')'.repeat(99)}`, ['ab', 'a'])).toEqual(['ab']);
  });

  it('takes a pattern of the greatest length', () => {
    expect(matching('😀'.repeat(1024), ['😀'])).toEqual([]);
  });
});

describe('time', () => {
  const evil = `${'a'.repeat(60)}!`;

  it.each([
    '^(a+)+$',
    '^(a|aa)+$',
    '([a-zA-Z]+)*\\d',
    '(?:a?){60}a{60}b',
    '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[?]',
    '^(?:.{0,40}a){20}[?]',
  ])('%s is linear', (pattern) => {
    const names = [evil, `é${evil}`];
    const start = performance.now();
    expect(matching(pattern, names)).toEqual([]);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it.each([
    ['(?=a)(a+)+$', 'look-ahead at position 0', evil],
    ['^(\\w|\\w\\w)+\\b$', '\\b at position 11', `é${evil}`],
    ['(?>a|b)(a|aa)+$', 'atomic group at position 0', evil],
    ['(a)\\1(?:a*)*a*a*a*$', 'back-reference at position 3', evil],
    ['(?<=a)(?:a*?)*?(?:a*?)*?$', 'look-behind at position 0', evil],
    ['(a)?(?(1)(a|aa)+$)', 'conditional at position 4', evil],
    ['(?:a{1,1001}){1,1001}$', 'large repeat at position 13', evil],
    ['(?:){4000000000}', 'large repeat at position 4', 'a'],
    ['(.*)\\1(.*)\\2(.*)\\3!$', 'back-reference at position 4', 'ab'.repeat(120)],
  ])('%s is stopped, and told why and what to send', (pattern, construct, name) => {
    const matcher = compilePythonRegex(pattern, { ignoreCase: false });
    const start = performance.now();
    const fault = faultOf(() => matcher(['b', name]));
    expect(performance.now() - start).toBeLessThan(1000);
    expect(fault.message).toContain('too much time');
    expect(fault.message).toContain(construct);
    expect(fault.message).toContain('(a+)+');
    expect(fault.members).toEqual({ position: Number(construct.split(' ').at(-1)) });
  });

  it('a matcher that was stopped answers for other names', () => {
    const matcher = compilePythonRegex('(?=a)(a+)+$', { ignoreCase: false });
    faultOf(() => matcher([evil]));
    expect(matcher(['a', 'b', 'aaa'])).toEqual([true, false, true]);
  });

  it('the limit is for each thousand names', () => {
    const names = Array.from({ length: 20_000 }, () => `${'a'.repeat(12)}!`);
    expect(matching('^(?=a)a*a*$', names)).toEqual([]);
  });

  it.each([
    ['\\b', 512],
    ['\\w', 512],
    ['[\\w-]', 200],
    ['[^\\W\\d]', 120],
    ['[!-\uffff]', 200],
    ['(?=\\w)', 140],
    ['\\w?', 330],
    ['(?:a|\\w|b)?', 80],
    ['(?>\\w|a)?', 100],
    ['(?:a{1000}){1000}', 50],
  ])('%s, %d times over, costs little to compile', (part, times) => {
    const start = performance.now();
    for (const names of [['abc'], ['é日x']]) matching(part.repeat(times), names, true);
    expect(performance.now() - start).toBeLessThan(1500);
  });

  it('a thousand different characters cost little to compile', () => {
    const pattern = Array.from({ length: 1000 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index)).join('');
    const start = performance.now();
    expect(matching(pattern, ['日本', pattern], true)).toEqual([pattern]);
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
