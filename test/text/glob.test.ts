import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CatalogueError, PatternInvalid } from '../../src/errors.ts';
import { expandBraces } from '../../src/text/braces.ts';
import { compileGlob, type Glob, type GlobState } from '../../src/text/glob.ts';

const hasBash = spawnSync('bash', ['-c', '(( BASH_VERSINFO[0] >= 5 ))']).status === 0;
if (!hasBash) console.warn('SKIPPED: globs are not compared with bash, because there is no bash 5.');

function glob(pattern: string, caseSensitive = true): Glob {
  return compileGlob(pattern, { caseSensitive });
}

/** The state behind `path`, whose names are parted by slashes; undefined when nothing there or below can match. */
function stateAt(compiled: Glob, path: string): GlobState | undefined {
  const names = path.split('/').filter((name) => name !== '');
  return names.reduce<GlobState | undefined>((state, name) => state && compiled.step(state, name), compiled.start);
}

/** Whether `path` matches; it is a directory when it ends in a slash. */
function matches(compiled: Glob, path: string): boolean {
  const state = stateAt(compiled, path);
  return state !== undefined && compiled.accepts(state, path.endsWith('/'));
}

function refusal(pattern: string): CatalogueError {
  try {
    compileGlob(pattern, { caseSensitive: true });
  } catch (error) {
    if (error instanceof PatternInvalid) return error;
    throw error;
  }
  return expect.fail(`${pattern.slice(0, 40)} was compiled`);
}

describe('what a pattern matches', () => {
  test.each<[rule: string, pattern: string, matching: string[], others: string[]]>([
    [
      'without a slash, the name at any depth',
      '*.py',
      ['a.py', 'src/a.py', 'src/app/.a.py', 'd.py/'],
      ['a.pyc', 'a.py/b'],
    ],
    ['braces do not change that', '*.{js,yml}', ['a.js', '.github/w/ci.yml'], ['a.ts']],
    ['with a slash, the path below the start', 'src/*.py', ['src/a.py'], ['a.py', 'x/src/a.py', 'src/app/a.py']],
    ['with `./`, the path below the start', './*.py', ['a.py'], ['src/a.py']],
    ['a slash in one alternative is a slash', '{*.py,src/*.js}', ['a.py', 'src/a.js'], ['src/a.py', 'a.js']],
    ['a leading slash is no name', '/src/*', ['src/a'], ['a', 'x/src/a']],
    ['`.` and empty segments drop out', './src//./*/.//a', ['src/x/a'], ['src/a', 'x/src/x/a']],
    [
      '`**` is zero or more folders',
      'src/**/main.py',
      ['src/main.py', 'src/a/b/main.py'],
      ['main.py', 'src/a/main.pyc'],
    ],
    ['at the start, too', '**/app/*', ['app/x', 'a/b/app/x'], ['app', 'app/x/y']],
    ['several in a row are one', 'a/**/**/b', ['a/b', 'a/x/b'], ['a', 'b']],
    ['with names between them', 'a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c', 'a/b/b/c'], ['a/c', 'b/c', 'a/b']],
    [
      'at the end it is the folder and what is below',
      'src/**',
      ['src/', 'src/a', 'src/a/.b/c'],
      ['src', 'lib/a', 'srca/b'],
    ],
    ['and so behind wildcards', '*/**', ['a/', 'a/b', 'a/b/'], ['a']],
    ['alone it is everything', '**', ['a', 'a/', 'a/.b/c'], []],
    ['next to other characters it is a star', 'a**b/x**', ['ab/x', 'azzb/xyz'], ['a/b/x', 'ab/x/y']],
    ['so are three stars', '***/x', ['a/x', '.a/x'], ['x', 'a/b/x']],
    ['`**/` is every folder', 'src/**/', ['src/', 'src/a/', 'src/a/b/'], ['src', 'src/a']],
    ['a trailing slash is for folders', 'src/*/', ['src/a/', 'src/.a/'], ['src/a', 'src/', 'src/a/b/']],
    ['so is a trailing `/.`', 'src/a/.', ['src/a/'], ['src/a']],
    ['in one alternative it is for that one', 'x/{a/,b}', ['x/a/', 'x/b', 'x/b/'], ['x/a']],
    ['wildcards match dot names', '*/?env', ['.a/.env', 'a/.env'], ['.env']],
    ['a question mark is one code point', 'x/?', ['x/a', 'x/é', 'x/😀'], ['x/ab', 'x/é\u0301']],
    ['a set is one of its members', 'k/k[1-3a]', ['k/k1', 'k/k3', 'k/ka'], ['k/k4', 'k/k-']],
    ['negated by `!`', 'k/[!a-c]', ['k/d', 'k/!'], ['k/a', 'k/c', 'k/dd']],
    ['or by `^`', 'k/[^a-c]', ['k/d', 'k/^'], ['k/a']],
    ['ranges go by code point', 'k/[à-ü]', ['k/é'], ['k/e', 'k/É']],
    ['a range that ends before it begins has no members', 'k/[z-ab]', ['k/b'], ['k/a', 'k/z', 'k/-']],
    ['a hyphen at either end is a member', 'k/[-a-]', ['k/-', 'k/a'], ['k/b', 'k/]']],
    ['`]` is a member where it comes first', 'k/[]a]', ['k/]', 'k/a'], ['k/b']],
    ['and after the negation', 'k/[!]a]', ['k/b'], ['k/]', 'k/a']],
    ['a bracket in a set names a bracket', 'app/[[]id]/*', ['app/[id]/x'], ['app/i/x']],
    ['a bracket that nothing closes is itself', '[z', ['[z', 'k/[z'], ['z']],
    ['a slash closes nothing', 'a[b/c]', ['a[b/c]'], ['ab', 'a/', 'ac']],
    ['what follows an open bracket has its meaning', 'x/[[:alpha:]', ['x/[a', 'x/[:'], ['x/b', 'x/[']],
    ['letters of any script', 'x/[[:alpha:]]', ['x/a', 'x/é', 'x/日', 'x/Σ'], ['x/1', 'x/_', 'x/-', 'x/[']],
    ['digits of ASCII', 'x/[[:digit:]]', ['x/7'], ['x/a', 'x/٣']],
    ['letters and digits', 'x/[[:alnum:]]', ['x/a', 'x/7', 'x/٣'], ['x/_']],
    ['upper case', 'x/[[:upper:]]', ['x/A', 'x/Σ'], ['x/a', 'x/1']],
    ['lower case', 'x/[[:lower:]]', ['x/a', 'x/é'], ['x/A', 'x/1']],
    ['punctuation, and a range beside it', 'x/[[:punct:]0-3]', ['x/!', 'x/_', 'x/+', 'x/2'], ['x/a', 'x/4', 'x/ ']],
    ['white space', 'x/[[:space:]]', ['x/ ', 'x/\t', 'x/\n'], ['x/a']],
    ['blanks', 'x/[[:blank:]]', ['x/ ', 'x/\t'], ['x/\n']],
    ['control characters', 'x/[[:cntrl:]]', ['x/\x01', 'x/\x7f'], ['x/a']],
    ['hexadecimal digits', 'x/[[:xdigit:]]', ['x/a', 'x/F', 'x/0'], ['x/g']],
    ['words', 'x/[[:word:]]', ['x/a', 'x/_', 'x/0'], ['x/-']],
    ['ASCII', 'x/[![:ascii:]]', ['x/é'], ['x/a']],
    ['what prints, with and without a space', 'x/[[:graph:]][[:print:]]', ['x/a ', 'x/!b'], ['x/ a', 'x/a\x01']],
    ['an unknown class has no members', 'x/[[:foo:]a]', ['x/a'], ['x/f', 'x/:']],
    ['one character as a class', 'x/[[=a=][.-.]]', ['x/a', 'x/-'], ['x/=', 'x/.']],
    ['a backslash quotes', '\\*\\[a\\]\\\\', ['*[a]\\'], ['x[a]\\', '*a\\']],
    ['also inside a set', 'x/[\\]\\-a]', ['x/]', 'x/-', 'x/a'], ['x/\\']],
    ['and what needs none', 'm\\ain\\.py', ['main.py', 'src/main.py'], ['m\\ain.py']],
    ['at the end it is itself', 'a\\', ['a\\'], ['a']],
    ['before a slash it is nothing', 'a\\/b', ['a/b'], ['b', 'a\\/b']],
    ['alternatives of names', 'k/{k1,k3}.txt', ['k/k1.txt', 'k/k3.txt'], ['k/k2.txt']],
    ['nested', 'src/{a,{l,x}}*/*', ['src/app/1', 'src/lib/1', 'src/x/1'], ['src/b/1']],
    ['that end alike behind and beside `**`', '{x/b,y/**/b}', ['y/z/q/b', 'y/b', 'x/b'], ['x/q/b', 'q/b']],
    ['of which several fit a name', '{a*/x,*b/y}', ['ab/x', 'ab/y', 'a/x', 'b/y'], ['a/y', 'b/x', 'ab/z']],
    ['across slashes', 'src/{a,b/c}/*', ['src/a/x', 'src/b/c/x'], ['src/b/x', 'src/c/x']],
    ['an empty one', 'src/{,deep/}main.py', ['src/main.py', 'src/deep/main.py'], ['src/deep']],
    ['an empty pattern among them is dropped', '{,a}', ['a', 'x/a'], ['b']],
    ['`**` among them', '{**,x}/a', ['a', 'y/z/a', 'x/a'], ['b']],
    ['`**` that they make up', '{*,a}*/b', ['b', 'x/y/b', 'az/b'], ['bb']],
    ['numbers', 'k{1..3}', ['k1', 'k2', 'k3'], ['k4', 'k{1..3}']],
    ['letters', 'k/{a..c}', ['k/a', 'k/b', 'k/c'], ['k/d']],
    ['one alternative is none', 'k/lit{a}.txt', ['k/lit{a}.txt'], ['k/lita.txt']],
    ['quoted braces and commas are themselves', 'k/\\{a,b}{c\\,d,e}', ['k/{a,b}c,d', 'k/{a,b}e'], ['k/ac', 'k/be']],
    ['extended globs are text', '+(a).txt', ['+(a).txt'], ['a.txt', 'aa.txt']],
    ['whichever they are', 'x/@(a|b)!(c)', ['x/@(a|b)!(c)'], ['x/a', 'x/d']],
    ['a leading `!` is text', '!b.txt', ['!b.txt'], ['b.txt', 'a.txt']],
    ['so is a `#`', '#a', ['#a'], []],
    ['two dots inside a name are text', 'x..y/..a*', ['x..y/..ab'], ['x/a']],
    ['nothing is below a name that is a file', '*.txt/x', ['a.txt/x'], ['a.txt', 'x']],
  ])('%s: %j', (_, pattern, matching, others) => {
    const compiled = glob(pattern);
    expect([...matching, ...others].filter((path) => matches(compiled, path))).toEqual(matching);
  });

  test.each<[pattern: string, path: string, insensitive: boolean]>([
    ['up.txt', 'UP.TXT', true],
    ['SRC/App/X.TS', 'src/app/x.ts', true],
    ['x/[A-Z]', 'x/b', true],
    ['x/[[:upper:]]', 'x/b', true],
    ['x/[[:UPPER:]]', 'x/B', true],
    ['{A..C}', 'b', true],
    ['\\Котик*', 'КОТИК.png', true],
    ['STRASSE*', 'Straße.txt', false],
  ])('case does not matter when told so: %j and %j', (pattern, path, insensitive) => {
    expect(matches(glob(pattern, false), path)).toBe(insensitive);
    expect(matches(glob(pattern), path)).toBe(false);
  });

  test.each(['.', './', '/', './.', '\\.'])('%j is the start folder alone', (pattern) => {
    const compiled = glob(pattern);
    expect(compiled.accepts(compiled.start)).toBe(true);
    expect(compiled.descends(compiled.start)).toBe(false);
  });
});

describe('what a walk learns on its way', () => {
  test.each<[pattern: string, path: string, expected: 'dead' | 'below' | 'match' | 'both']>([
    ['src/*.ts', 'src', 'below'],
    ['src/*.ts', 'lib', 'dead'],
    ['src/*.ts', 'src/a.ts', 'match'],
    ['src/*.ts', 'src/a.ts/x', 'dead'],
    ['src/*.ts', 'src/sub', 'dead'],
    ['src/**', 'src', 'both'],
    ['src/**', 'src/a/b', 'both'],
    ['src/**', 'lib', 'dead'],
    ['*.ts', 'a/b', 'below'],
    ['*.ts', 'a.ts', 'both'],
    ['src/**/', 'src/a', 'both'],
    ['{a/b,c/**/d}', 'a', 'below'],
    ['{a/b,c/**/d}', 'a/d', 'dead'],
    ['{a/b,c/**/d}', 'c/x/y', 'below'],
    ['/a/b', 'a', 'below'],
    ['/a/b', 'b', 'dead'],
  ])('%j in %j: %s', (pattern, path, expected) => {
    const compiled = glob(pattern);
    const state = stateAt(compiled, path);
    const isMatch = state !== undefined && compiled.accepts(state);
    const isBelow = state !== undefined && compiled.descends(state);
    expect({ state: state === undefined, isMatch, isBelow }).toEqual({
      state: expected === 'dead',
      isMatch: expected === 'match' || expected === 'both',
      isBelow: expected === 'below' || expected === 'both',
    });
  });

  test('the state of a folder is the same object wherever the same can follow', () => {
    const compiled = glob('**/*.ts');
    expect(stateAt(compiled, 'a/b')).toBe(stateAt(compiled, 'c'));
    expect(stateAt(compiled, 'a/b.ts')).toBe(stateAt(compiled, 'x.ts'));
  });

  test('a glob that has met more states than it keeps still answers right', () => {
    const letters = 'abcdefghijkl'.split('');
    const compiled = glob(letters.map((letter) => `**/*${letter}*`).join('/'));
    const folders = Array.from({ length: 2000 }, (_, bits) =>
      letters.filter((_letter, at) => bits & (1 << at)).join(''),
    );
    for (const folder of folders) expect(matches(compiled, `${folder}x/b`)).toBe(false);
    expect(matches(compiled, `abcdefx/${letters.join('/')}`)).toBe(true);
    expect(matches(compiled, `abcdefx/${letters.slice(1).join('/')}/x`)).toBe(false);
  });

  test.each<[pattern: string, caseSensitive: boolean, folders: string[][]]>([
    ['node_modules/**/*.js', true, [['node_modules']]],
    ['src/dist/a.js', true, [['src', 'dist']]],
    ['src/**', true, [['src']]],
    ['./a//b/*/c/d', true, [['a', 'b']]],
    ['/dist/*', true, [['dist']]],
    ['dist/', true, [['dist']]],
    ['dist', true, []],
    ['dist{,.js}', true, []],
    ['**/dist/a', true, []],
    ['*.js', true, []],
    ['di\\st/[x]/*', true, [['dist']]],
    ['[d]ist/*', true, []],
    [
      '{dist,a/build}/{x,y}/*.js',
      true,
      [
        ['dist', 'x'],
        ['dist', 'y'],
        ['a', 'build', 'x'],
        ['a', 'build', 'y'],
      ],
    ],
    ['{dist/*,*.js}', true, [['dist']]],
    ['Dist/*', false, [['dist']]],
  ])('the folders that %j names outright', (pattern, caseSensitive, folders) => {
    expect(glob(pattern, caseSensitive).literalFolders).toEqual(folders);
  });

  test.each<[pattern: string, kinds: string[]]>([
    ['*.js', ['nameOnly']],
    ['**', ['nameOnly']],
    ['{a,b}', ['nameOnly']],
    ['./*.js', []],
    ['a/**', []],
    ['{a,b/c}', []],
    ['/a', ['anchored']],
    ['/{a,b/c}', ['anchored']],
    ['{/a,/b}', ['anchored']],
    ['a/', ['directoryOnly']],
    ['/a/*/', ['anchored', 'directoryOnly']],
    ['a/.', ['directoryOnly']],
    ['{a,b/}', []],
    ['{a/,b/}', ['directoryOnly']],
    ['{,}', ['nameOnly']],
  ])('%j is %j', (pattern, kinds) => {
    const { anchored, nameOnly, directoryOnly } = glob(pattern);
    expect({ anchored, nameOnly, directoryOnly }).toEqual({
      anchored: kinds.includes('anchored'),
      nameOnly: kinds.includes('nameOnly'),
      directoryOnly: kinds.includes('directoryOnly'),
    });
  });
});

describe('what is refused', () => {
  test.each([
    '..',
    '../g/*',
    '*/../*',
    'src/../*.py',
    '**/../x',
    '/../etc/*',
    'a/..',
    'a/../',
    '{..,x}/*',
    '{src,..}/*.py',
    'src/{..,lib}/*',
    '{x,src/..}/*',
    '{a,{b,..}}/*',
    '{.,x}./y',
    '\\.\\./x',
    '.\\./x',
    'x{/,a}../y',
  ])('a segment `..`: %j', (pattern) => {
    expect(refusal(pattern).message).toContain("'..'");
  });

  test.each(['a..b', '..a', 'a..', '...', '{..a,b..}', '[.][.]/x', '.[.]', '.?', '{1..3}', '\\.\\.x'])(
    'but not %j, which no folder above has for a name',
    (pattern) => {
      expect(() => glob(pattern)).not.toThrow();
    },
  );

  test('a NUL, with its place in characters', () => {
    expect(refusal('😀*\0').members).toEqual({ position: 2 });
    expect(refusal('😀*\0').statusCode).toBe(400);
  });

  test('more than 1,024 characters', () => {
    expect(refusal('a'.repeat(1025)).message).toContain('1,024');
    expect(() => glob('😀'.repeat(1024))).not.toThrow();
  });

  test('an empty pattern', () => {
    expect(refusal('').message).toContain('empty');
  });

  test.each(['{/a,b}', '{,x}/y', '{a,b,/}c'])('a slash in front of some alternatives: %j', (pattern) => {
    expect(refusal(pattern).message).toContain('separate patterns');
  });

  test.each([
    '{a,b}'.repeat(30),
    '{1..1001}',
    '{1..1000000000}',
    '{-9007199254740991..9007199254740991}',
    '{a..z}{a..z}{a..z}',
    `${'{a,b'.repeat(100)}${'}'.repeat(100)}${'{c,d}'.repeat(10)}`,
    '{{a,b},{c,d}}'.repeat(70),
    '{1..9}'.repeat(170),
    '{,/}'.repeat(10),
  ])('more than 1,000 alternatives, before they are built: %#', (pattern) => {
    expect(refusal(pattern).message).toContain('1,000');
  });

  test('alternatives that are long together', () => {
    expect(refusal(`{1..1000}${'a'.repeat(100)}`).message).toContain('too long');
  });

  test.each(['*{1..1000}*', '*{1..40}[ab]*', `{[ab],[ac],[ad]}*${'{[a-z],[0-9]}'.repeat(4)}${'[a-z]'.repeat(100)}0*`])(
    'alternatives that would cost too much for each name: %#',
    (pattern) => {
      expect(refusal(pattern).message).toContain('too long for each name');
    },
  );
});

describe('patterns at the limits', () => {
  test.each<[pattern: string, path: string, expected: boolean]>([
    ['{1..1000}.txt', 'x/1000.txt', true],
    ['{1..1000}.txt', 'x/1001.txt', false],
    ['*{1..1000}', 'x777', true],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'abbabbaab', true],
    ['*{1..60}*', 'x60x', true],
    ['a/'.repeat(511), 'a/'.repeat(511), true],
    ['**/a/'.repeat(200), 'a/'.repeat(199), false],
    ['**/a/'.repeat(200), 'a/b/'.repeat(200), false],
    ['**/a/'.repeat(200), 'b/a/'.repeat(200), true],
    [`${'*a'.repeat(511)}b`, 'a'.repeat(255), false],
    [`*${'[ab]'.repeat(126)}c*`, 'ab'.repeat(127), false],
    ['[[:'.repeat(341), '[[:'.repeat(341), true],
    ['['.repeat(1024), '['.repeat(1024), true],
    ['{'.repeat(1024), '{'.repeat(1024), true],
    [`${'{a,'.repeat(250)}${'}'.repeat(250)}`, 'a', true],
  ])('are compiled and matched: case %#', (pattern, path, expected) => {
    expect(matches(glob(pattern), path)).toBe(expected);
  });
});

describe('braces', () => {
  test.each<[pattern: string, alternatives: string[]]>([
    ['a', ['a']],
    ['', ['']],
    ['{a,b}', ['a', 'b']],
    ['x{a,b}y{c,d}', ['xayc', 'xayd', 'xbyc', 'xbyd']],
    ['{a,{b,c}d,e}', ['a', 'bd', 'cd', 'e']],
    ['{,x}y', ['y', 'xy']],
    ['{a,,b}', ['a', '', 'b']],
    ['{a,b}}', ['a}', 'b}']],
    ['{{a,b}', ['{a', '{b']],
    ['{a},b}', ['a}', 'b']],
    ['{a,{b}', ['{a,{b}']],
    ['{a,{b},c}', ['a', '{b}', 'c']],
    ['{a}', ['{a}']],
    ['{}', ['{}']],
    ['{},a}', ['{},a}']],
    ['x{},a}', ['x}', 'xa']],
    ['{a\\,b}', ['{a\\,b}']],
    ['\\{a,b}', ['\\{a,b}']],
    ['{a\\},b}', ['a\\}', 'b']],
    ['[{a,b}]', ['[a]', '[b]']],
    ['${a,b}', ['$a', '$b']],
    ['{1..3}', ['1', '2', '3']],
    ['{3..1}', ['3', '2', '1']],
    ['{-1..1}', ['-1', '0', '1']],
    ['{1..10..4}', ['1', '5', '9']],
    ['{10..1..-4}', ['10', '6', '2']],
    ['{1..3..0}', ['1', '2', '3']],
    ['{08..10}', ['08', '09', '10']],
    ['{-01..1}', ['-01', '000', '001']],
    ['{+1..2}', ['1', '2']],
    ['{2..2}', ['2']],
    ['{a..e..2}', ['a', 'c', 'e']],
    ['{c..a}', ['c', 'b', 'a']],
    ['{Y..b}', ['Y', 'Z', '\\[', '\\\\', '\\]', '\\^', '\\_', '\\`', 'a', 'b']],
    ['{1..2}{a..b}', ['1a', '1b', '2a', '2b']],
    ['{1..3,5}', ['1..3', '5']],
    ['{x..{a,b}}', ['x..a', 'x..b']],
    ['{x..{1..3}}', ['{x..{1..3}}']],
    ['{a..3}', ['{a..3}']],
    ['{a..bc}', ['{a..bc}']],
    ['{1..}', ['{1..}']],
    ['{..3}', ['{..3}']],
    ['{1...3}', ['{1...3}']],
    ['{é..ü}', ['{é..ü}']],
    ['{1..99999999999999999999}', ['{1..99999999999999999999}']],
  ])('%j stands for %j', (pattern, alternatives) => {
    expect(expandBraces(pattern)).toEqual(alternatives);
  });

  test.skipIf(!hasBash)('stand for what bash makes of them', () => {
    const sign = fc.constantFrom(...'{{{}}},,,ab13-/\\', '..', '..', '{1..3}', '{c..a}', '{a,b}', '01');
    const patterns = sample(fc.array(sign, { minLength: 1, maxLength: 10 }).map((signs) => signs.join('')))
      // A backslash at the end would quote bash's own line end.
      .filter((pattern) => !pattern.endsWith('\\') && alternativesOf(pattern) !== undefined);
    const theirs = bashWords(patterns, tmpdir(), ['-f']);
    const ours = patterns.map((pattern) => alternativesOf(pattern) ?? []);
    expect(ours.filter(({ length }) => length > 1).length).toBeGreaterThan(100);
    expect(differences(patterns, ours, theirs)).toEqual([]);
  });
});

const names = ['a', 'b', 'ab', 'ba', '.a', 'abc'];
const segment = fc.constantFrom(
  '*',
  '*',
  '?',
  'a',
  'b',
  'a*',
  '*b',
  '*a*',
  '[ab]',
  '[^a]',
  '{a,b}',
  '{a,b}*',
  '.*',
  '??',
);
const folders = fc.constantFrom('**', '**', 'a', 'b', '*', '[ab]*', '{a,b}', '{a*/b,*b/a}');
/** What picomatch has rules of its own for: a `**` among alternatives. */
const forks = fc.constantFrom('{a,b/**}', '{**/a,b}', '{[ab]*/a,*/b,a*/**}');
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
const pattern = patternOf(folders);
const anyPattern = patternOf(fc.oneof(folders, forks));

function patternOf(above: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(above, { minLength: 1, maxLength: 3 }), segment)
    .map(([first, last]) => [...first, last].join('/'));
}

test('agrees with picomatch where the two have the same rules', () => {
  const options = { dot: true, noextglob: true, nonegate: true };
  const agree = fc.property(pattern, fc.array(path, { minLength: 1, maxLength: 8 }), (text, paths) => {
    const compiled = glob(text);
    const theirs = picomatch(text, options);
    const asked = paths.map((steps) => steps.join('/'));
    expect(asked.filter((one) => matches(compiled, `${one}/`))).toEqual(asked.filter((one) => theirs(one)));
  });
  fc.assert(agree, { numRuns: 1000 });
});

test('a folder is left exactly when nothing in it or below can match', () => {
  const stepsFrom = (compiled: Glob, state: GlobState) => names.flatMap((name) => compiled.step(state, name) ?? []);
  const isReachable = (compiled: Glob, from: GlobState): boolean => {
    const met = new Set([from]);
    for (const state of met) for (const next of stepsFrom(compiled, state)) met.add(next);
    return [...met].some((state) => compiled.accepts(state));
  };
  const exact = fc.property(fc.oneof(anyPattern, segment), path, (text, steps) => {
    const compiled = glob(text);
    const state = stateAt(compiled, steps.join('/'));
    if (state === undefined) return;
    expect(isReachable(compiled, state)).toBe(true);
    expect(compiled.descends(state)).toBe(stepsFrom(compiled, state).length > 0);
  });
  fc.assert(exact, { numRuns: 1000 });
});

const AS_FOLDER = /\/\.?$/;
const TREE = [
  ...['a', 'b', 'ab', '.x', '-', '1', '*', '?x', 'a\\b', '[z', 'z/a', 'z/b.ts', 'z/.h/a', 'z/.h/b/ab', 'Z/A'],
  ...['src/a.ts', 'src/b.js', 'src/lib/a.ts', 'src/lib/.d.ts', 'src/lib/x/y/a.ts', 'src/[a]/a', 'src/{a,b}/b'],
  ...['src/a-b', 'src/]', 'src/!', 'src/^', 'é/日.ts', 'é/a', 'a.b/a..b', 'x/x/x', 'src/..a', 'k1/a', 'k2/a', 'k3/b'],
];
const piece = fc.constantFrom(
  ...['a', 'b', 'z', 'x', 'src', 'lib', '*', '*', '*', '?', '**', '**/', '**/', '*/', '/', '/', '/', 'é', '日', '.ts'],
  ...[
    '[ab]',
    '[!a]',
    '[a-z]',
    '[^a-c]',
    '[[:alpha:]]',
    '[[:punct:]]',
    '[]a]',
    '[!]]',
    '[--a]',
    '[\\]a]',
    '\\*',
    '\\[',
    '\\a',
  ],
  ...[
    '{a,b}',
    '{,a}',
    '{src,z}',
    '{a/,}',
    '{a,b/c}',
    'k{1..3}',
    '{a..c}',
    '{**,a}',
    '{.,x}',
    '[',
    '{',
    '}',
    ',',
    ']',
    '.',
    './',
  ],
);

test.skipIf(!hasBash)('agrees with bash about a tree on disk', () => {
  const root = plant(TREE);
  const patterns = sample(fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `./${pieces.join('')}`))
    .concat(sample(anyPattern))
    // bash reads `**//x` as `/x` when `**` is no folder at all.
    .filter(
      (text) => !text.includes('//') && !text.includes('/./') && alternativesOf(text) !== undefined && isPattern(text),
    );
  const entries = [...new Set(TREE.flatMap((file) => [file, ...foldersOf(file)]))];
  const kinds = new Map(entries.map((entry) => [withoutHere(entry), entry]));
  const theirs = bashWords(patterns, root, ['-O', 'globstar', '-O', 'dotglob', '-O', 'nullglob']).map((words) => {
    // A word without wildcards is not looked up by bash, so it may name nothing, or a file as a folder.
    const found = words.flatMap((word) => {
      const entry = kinds.get(withoutHere(word));
      return entry === undefined || (AS_FOLDER.test(word) && !entry.endsWith('/')) ? [] : [entry];
    });
    return [...new Set(found)].sort();
  });
  const ours = patterns.map((text) => {
    const compiled = glob(text);
    return entries.filter((entry) => matches(compiled, entry)).sort();
  });
  expect(ours.filter(({ length }) => length > 0).length).toBeGreaterThan(100);
  expect(differences(patterns, ours, theirs)).toEqual([]);
});

function sample<Value>(arbitrary: fc.Arbitrary<Value>): Value[] {
  return fc.sample(arbitrary, 1000);
}

/** What `pattern` stands for, as bash's words: unquoted, and the empty ones gone. */
function alternativesOf(text: string): string[] | undefined {
  try {
    return expandBraces(text)
      .map((alternative) => alternative.replace(/\\(.)/gsu, '$1'))
      .filter((alternative) => alternative !== '');
  } catch {
    return undefined;
  }
}

function isPattern(text: string): boolean {
  try {
    return !glob(text).anchored;
  } catch {
    return false;
  }
}

/** The words that bash makes of each pattern, in one process. */
function bashWords(patterns: readonly string[], cwd: string, options: readonly string[]): string[][] {
  const input = patterns.map((text) => `printf '%s\\1' ${text}; printf '\\2'\n`).join('');
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { stdout } = spawnSync('bash', [...options, '-s'], { cwd, env, input, maxBuffer: 1 << 28 });
  const groups = stdout.toString().split('\x02').slice(0, -1);
  return groups.map((words) =>
    words
      .split('\x01')
      .slice(0, -1)
      .filter((word) => word !== ''),
  );
}

function differences(patterns: readonly string[], ours: readonly string[][], theirs: readonly string[][]): object[] {
  expect(theirs).toHaveLength(patterns.length);
  return patterns.flatMap((text, at) => {
    const both = { pattern: text, ours: ours[at], bash: theirs[at] };
    return JSON.stringify(both.ours) === JSON.stringify(both.bash) ? [] : [both];
  });
}

function plant(files: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'glob-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  return root;
}

/** The folders above a file, each with a slash behind it. */
function foldersOf(file: string): string[] {
  const above = file.split('/').slice(0, -1);
  return above.map((_, at) => `${above.slice(0, at + 1).join('/')}/`);
}

function withoutHere(word: string): string {
  return word
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}
