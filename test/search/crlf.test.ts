import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { toLineRegex } from '../../src/search/crlf.ts';
import { lineHits } from '../../src/search/line-hits.ts';
import { Search } from '../../src/search/ripgrep.ts';
import { scratch } from '../helpers/tree.ts';

const END = '(?:\\r?$)';

describe('a regex', () => {
  test.each([
    ['a$', `a${END}`],
    ['$', END],
    ['^$', `^${END}`],
    ['a$|b$', `a${END}|b${END}`],
    ['(a$)', `(a${END})`],
    ['a$$', `a${END}${END}`],
    ['\\\\$', `\\\\${END}`],
    ['[a]$', `[a]${END}`],
    ['[]$]$', `[]$]${END}`],
    ['[^]$]$', `[^]$]${END}`],
    ['[\\]$]$', `[\\]$]${END}`],
    ['[a[$]b]$', `[a[$]b]${END}`],
    ['[[:alpha:]$]$', `[[:alpha:]$]${END}`],
    ['[a&&[^$]]$', `[a&&[^$]]${END}`],
    ['\\[$', `\\[${END}`],
    [']$', `]${END}`],
    ['[-]$', `[-]${END}`],
    ['[+-[]$', `[+-[]${END}`],
    ['(?x)[-]$', `(?x)[-]${END}\n`],
    ['(?x)[a # ]\n$]$', `(?x)[a # ]\n$]${END}\n`],
    ['a\\z', 'a(?:\\r?(?m-R:$))'],
    ['\\Aa', '(?m-R:^)a'],
    ['(?-m)^a$', '(?-m)(?m:^)a(?:\\r?(?m:$))'],
  ])('%s has its anchors before CRLF, too', (regex, rewritten) => {
    expect(toLineRegex(regex, false).text).toBe(rewritten);
  });

  test.each(['', 'a', '\\$', '[$]', '[^$]', '[a$b]', '\\\\\\$', '\\n', '^a.*b'])('%j is left as it is', (regex) => {
    expect(toLineRegex(regex, false).text).toBe(regex);
  });

  test('is found again by position, in characters', () => {
    const piece = fc.constantFrom('$', '\\$', '[$]', '[]$]', 'a', '($)', '\\\\', 'é', '😀', '|', '[[:alpha:]$]');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(8), (pieces, at) => {
        const before = pieces.slice(0, at).join('');
        const { originalPosition } = toLineRegex(pieces.join(''), false);
        expect(originalPosition([...toLineRegex(before, false).text].length)).toBe([...before].length);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['a$$b', 1 + 5, 1],
    ['a$$b', 1 + 8 + 3, 2],
    ['a$$b', 1 + 16, 3],
  ])('%s has what ripgrep marks at %i at %i', (regex, position, original) => {
    expect(toLineRegex(regex, false).originalPosition(position)).toBe(original);
  });

  test.each([
    ['.', true],
    ['a.', true],
    ['.+$', true],
    ['[^;]$', true],
    ['\\s+$', true],
    ['(a\\W)$', true],
    ['\\D|b', true],
    ['[[:space:]]', true],
    ['[\\s]$', true],
    ['[\\t-~]$', true],
    ['a.{1,2}', true],
    ['a. ?$', true],
    ['(?x) a . # more', true],
    ['abc', false],
    ['foo.*bar', false],
    ['foo.*', false],
    ['.*$', false],
    ['\\s*$', false],
    ['[^;]?$', false],
    ['class\\s+\\w', false],
    ['[^;];$', false],
    ['.{0,3}', false],
    ['\\S\\w\\d$', false],
    ['[a-z.]$', false],
    ['\\.$', false],
    ['.\\r$', false],
    ['.\\x0D', false],
    ['[a[^b]]$', true],
    ['[[^b]a]$', true],
    ['[a&&\\W]$', true],
    ['\\PL', true],
    ['\\P{L}', true],
    ['\\D{ 2 }?', true],
    ['.{ 2 }', true],
    ['x.{2}*', true],
    ['\\sa{0}', true],
    ['.\\b?', true],
    ['\\B', true],
    ['\\b{end-half}', true],
    ['(?R)a', true],
    ['.{ 0 }', false],
    ['\\sa{1,2}', false],
    ['\\ba\\b', false],
    ['[\\w.:-]+$', false],
    ['\\t+*', false],
  ])('%s may need the CR of a CRLF: %s', (regex, expected) => {
    expect(toLineRegex(regex, false).mayTakeCr).toBe(expected);
  });
});

describe('what is asked for behind the end of a line', () => {
  test.each([
    ['a$\\b', true],
    ['$^', true],
    ['(?:^$)+', true],
    ['(?:a\\z)\\>', true],
    ['^a$', false],
    ['^a$|^b$', false],
    ['^(a|b)*$', false],
  ])('%s may not be there behind its CR: %s', (regex, expected) => {
    expect(toLineRegex(regex, false).mayMissForCr).toBe(expected);
  });
});

describe('a regex that is not whole', () => {
  test.each([
    ['a(', 1, 'unclosed group'],
    ['a(b(c)', 1, 'unclosed group'],
    ['a)', 1, 'unopened group'],
    [')(', 0, 'unopened group'],
    [')|(', 0, 'unopened group'],
    ['a)|(b', 1, 'unopened group'],
    ['a)(?:b', 1, 'unopened group'],
    ['😀)', 1, 'unopened group'],
    ['ab\\', 2, 'incomplete escape'],
    ['a[b', 1, 'unclosed character class'],
    ['[]', 0, 'unclosed character class'],
    ['[^]', 0, 'unclosed character class'],
    ['[a[b]', 0, 'unclosed character class'],
    ['a\\p{(b)', 1, 'incomplete escape'],
    ['(?x)\\P {(b)', 4, 'incomplete escape'],
    ['(?x)\\p\n', 4, 'incomplete escape'],
    ['(?x)\\p # a', 4, 'incomplete escape'],
  ])('%s is refused with its position %i', (regex, position, reason) => {
    expect(() => toLineRegex(regex, false)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(reason), members: { position } }),
    );
  });

  test('agrees with ripgrep, which puts a group around a regex and so takes `)(`', { timeout: 120_000 }, () => {
    const piece = fc.constantFrom(
      ...['(', ')', '[', ']', '\\', 'a', '|', '(?:', '(?x)', '#', '\n', '-', '^', '(?i:', ' '],
      ...['?i)', '+-[', '&&', '[:alpha:]', '{', '1}', '\\x', '\\p', '\\u00', 'p{L}', '\\b{'],
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const refusal = refusalOf(pieces.join(''));
        if (refusal?.includes('unopened')) return;
        if (refusal === undefined) expect(stderrOf(toLineRegex(pieces.join(''), false).text)).not.toMatch(STRUCTURE);
        else expect(stderrOf(pieces.join(''))).toMatch(/regex parse error/);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    '(?x)[-]',
    '(?x)( ?i)a',
    '[+-[]',
    '(?x)[a#]\n]',
    '(?x)a # note',
    '(?x) a # ( note',
    '(?x)[ ]]',
    '(?x:a # )\n)',
    '(?x)(?-x:#)#',
    '[-]]',
    '(?<n>a)(?P<m>b)',
  ])('is none of %s', (regex) => {
    expect(stderrOf(toLineRegex(regex, false).text)).toBe('');
  });
});

const STRUCTURE = /error: (?:unclosed|unopened|incomplete escape)/;

function refusalOf(regex: string): string | undefined {
  try {
    toLineRegex(regex, false);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function stderrOf(regex: string): string {
  const list = ['--no-config', '--multiline', '-e', regex, '--', '/dev/null'];
  return spawnSync(rgPath, list, { encoding: 'utf8' }).stderr;
}

/** The numbers of the lines of `file` that match, as a search has them. */
async function linesBySearch(file: string, text: string, wordRegexp: boolean): Promise<number[]> {
  const pattern = { text, isRegex: true, caseSensitive: true, wordRegexp, multiline: false, encoding: 'auto' };
  const bounds = { maxColumns: 1000, maxPerFile: 0, regexBytes: DEFAULT_BOUNDS.regexBytes };
  const descriptor = openSync(file, 'r');
  const { signal } = new AbortController();
  const search = new Search(pattern, { descriptors: [descriptor] }, bounds, signal);
  const lines: number[] = [];
  for await (const events of lineHits(search, pattern, bounds, signal)) {
    for (const event of events) lines.push('line' in event && event.printed?.includes('\0') === false ? event.line : 0);
  }
  closeSync(descriptor);
  return lines;
}

/** The same as ripgrep has it for the regex as it stands; undefined when it is none. */
function linesByRipgrep(file: string, regex: string, wordRegexp: boolean): number[] | undefined {
  const options = ['--no-config', '--line-number', ...(wordRegexp ? ['--word-regexp'] : [])];
  const { stderr, stdout } = spawnSync(rgPath, [...options, '-e', regex, '--', file], { encoding: 'utf8' });
  if (stderr !== '') return undefined;
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number.parseInt(line, 10));
}

describe('a search by a regex', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'b',
      '-',
      '\\$',
      '[$]',
      '[a$]',
      '[]$]',
      '[^$\\n]',
      '[^a]+',
      '.',
      '.+',
      '.*',
      '.?',
      '\\s',
      '\\W*',
      'a?',
      'a*',
    ],
    ...[
      '[[:alpha:]$]',
      '[a[^b]]',
      '[b&&[^a]]',
      '\\PL',
      '\\D{ 2 }?',
      '.{ 2 }',
      '.{2}*',
      '\\sa{0}',
      'a{0}',
      'a+*',
      '\\t+*',
    ],
    ...['\\B', '\\b', '\\b{end-half}', '\\b{start-half}', '\\<', '\\>', '^', '\\A', '\\z', '$', '$', '|'],
    ...['(?:a$)', '(?:b|$)', '(?:^$)+', '(.a)*', '(a.)?', '(?R)', '(?x) ', '(?s)', '(?i)'],
  );
  const regex = fc
    .tuple(fc.constantFrom('', '', '^'), fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '$'))
    .map(([start, pieces, end]) => start + pieces.join('') + end);
  const text = fc.array(fc.constantFrom('a', 'b', '$', ']', 'ab', '-', '\r', ' '), { maxLength: 3 });
  const line = fc.tuple(
    text.map((pieces) => pieces.join('').replace(/\r+$/, '')),
    fc.constantFrom('\n', '\r\n'),
  );
  const content = fc.array(line, { minLength: 4, maxLength: 12 });

  // Each run starts several processes.
  test('finds in a file with CRLF and LF the lines that it finds without the CR', { timeout: 120_000 }, async () => {
    const folder = scratch();
    const [bare, mixed] = [join(folder, 'bare'), join(folder, 'mixed')];
    await fc.assert(
      fc.asyncProperty(regex, fc.boolean(), content, async (asked, wordRegexp, lines) => {
        writeFileSync(bare, lines.map(([one]) => `${one}\n`).join(''));
        writeFileSync(mixed, lines.map(([one, end]) => one + end).join(''));
        const expected = linesByRipgrep(bare, asked, wordRegexp);
        if (expected === undefined) return;

        expect(await linesBySearch(bare, asked, wordRegexp)).toEqual(expected);
        expect(await linesBySearch(mixed, asked, wordRegexp)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});
