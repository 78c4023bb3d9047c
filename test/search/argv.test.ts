import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { type SearchPattern, toArguments } from '../../src/search/argv.ts';
import { toLineRegex } from '../../src/search/crlf.ts';

const PLAIN: SearchPattern = {
  text: 'x',
  isRegex: false,
  caseSensitive: true,
  wordRegexp: false,
  multiline: false,
  encoding: 'auto',
};
const UNBOUND = { maxColumns: 2001, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes };

const argumentsOf = (pattern: Partial<SearchPattern>, bounds = UNBOUND) =>
  toArguments({ ...PLAIN, ...pattern }, bounds);

function isWhole(regex: string): boolean {
  try {
    toLineRegex(regex, false);
    return true;
  } catch {
    return false;
  }
}

describe('arguments', () => {
  test('have the pattern behind -e and end in --, so that neither it nor a path is an option', () => {
    const pattern = fc.record({
      text: fc.oneof(
        fc.string(),
        fc.constantFrom('-e', '--', '-', '--pre=sh', '--files', '-f/etc/passwd', '--no-ignore'),
      ),
      isRegex: fc.boolean(),
      caseSensitive: fc.boolean(),
      wordRegexp: fc.boolean(),
      multiline: fc.boolean(),
      encoding: fc.constantFrom('auto', 'gbk'),
    });
    fc.assert(
      fc.property(pattern, fc.nat(9), (given, maxPerFile) => {
        const whole = { ...given, isRegex: given.isRegex && isWhole(given.text) };
        const list = toArguments(whole, { ...UNBOUND, maxPerFile });
        expect(list.slice(-3)).toEqual(['-e', whole.isRegex ? expect.any(String) : given.text, '--']);
        expect(list.slice(0, -3).filter((argument) => !/^--[a-z][a-zM=0-9-]*$/.test(argument))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['--no-config', '--no-ignore', '--hidden', '--no-mmap'])(
    'always hold %s: files are chosen elsewhere',
    (argument) => {
      expect(argumentsOf({ isRegex: true, multiline: true })).toContain(argument);
    },
  );

  test('name nothing that runs a program, unpacks or follows links', () => {
    const list = argumentsOf({ isRegex: true, multiline: true, wordRegexp: true, encoding: 'gbk' });

    expect(list.filter((argument) => /pre|hostname|search-zip|follow|generate|pcre/.test(argument))).toEqual([]);
  });

  test.each<[Partial<SearchPattern>, string, boolean]>([
    [{}, '--fixed-strings', true],
    [{ isRegex: true }, '--fixed-strings', false],
    [{}, '--case-sensitive', true],
    [{ caseSensitive: false }, '--ignore-case', true],
    [{ caseSensitive: false }, '--case-sensitive', false],
    [{}, '--word-regexp', false],
    [{ wordRegexp: true }, '--word-regexp', true],
    [{}, '--multiline', false],
    [{ multiline: true }, '--multiline', true],
    [{ encoding: 'gbk' }, '--encoding=gbk', true],
  ])('say what is asked for: %j, %s is %s', (pattern, argument, isThere) => {
    expect(argumentsOf(pattern).includes(argument)).toBe(isThere);
  });

  test('leave the encoding to the files with `auto`', () => {
    expect(argumentsOf({}).filter((argument) => argument.startsWith('--encoding'))).toEqual([]);
  });

  test('bound lines, and matches where they are to be bound', () => {
    const bounds = (maxPerFile: number) =>
      argumentsOf({}, { ...UNBOUND, maxColumns: 41, maxPerFile }).filter((argument) =>
        /max-(columns|count)/.test(argument),
      );

    expect([bounds(0), bounds(3)]).toEqual([['--max-columns=42'], ['--max-columns=42', '--max-count=3']]);
  });

  test('hold a literal pattern as it is, and a regex with its line ends widened', () => {
    expect([argumentsOf({ text: 'a$' }).at(-2), argumentsOf({ text: 'a$', isRegex: true }).at(-2)]).toEqual([
      'a$',
      'a(?:\\r?$)',
    ]);
  });
});
