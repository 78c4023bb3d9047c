import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
  ])('%s has its anchors before CRLF, too', (regex, rewritten) => {
    expect(toLineRegex(regex).text).toBe(rewritten);
  });

  test.each(['', 'a', '\\$', '[$]', '[^$]', '[a$b]', '\\\\\\$', '\\n', '^a.*b'])('%j is left as it is', (regex) => {
    expect(toLineRegex(regex).text).toBe(regex);
  });

  test('is found again by position, in characters', () => {
    const piece = fc.constantFrom('$', '\\$', '[$]', '[]$]', 'a', '($)', '\\\\', 'é', '😀', '|', '[[:alpha:]$]');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.nat(8), (pieces, at) => {
        const before = pieces.slice(0, at).join('');
        const { originalPosition } = toLineRegex(pieces.join(''));
        expect(originalPosition([...toLineRegex(before).text].length)).toBe([...before].length);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['a$$b', 1 + 5, 1],
    ['a$$b', 1 + 8 + 3, 2],
    ['a$$b', 1 + 16, 3],
  ])('%s has what ripgrep marks at %i at %i', (regex, position, original) => {
    expect(toLineRegex(regex).originalPosition(position)).toBe(original);
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
  ])('%s may need the CR of a CRLF: %s', (regex, expected) => {
    expect(toLineRegex(regex).mayTakeCr).toBe(expected);
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
  ])('%s is refused with its position %i', (regex, position, reason) => {
    expect(() => toLineRegex(regex)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(reason), members: { position } }),
    );
  });

  test('agrees with ripgrep, which puts a group around a regex and so takes `)(`', { timeout: 120_000 }, () => {
    const piece = fc.constantFrom('(', ')', '[', ']', '\\', 'a', '|', '(?:', '(?x)', '#', '\n', '-', '^', '(?i:', ' ');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const refusal = refusalOf(pieces.join(''));
        if (refusal?.includes('unopened')) return;
        if (refusal === undefined) expect(stderrOf(toLineRegex(pieces.join('')).text)).not.toMatch(STRUCTURE);
        else expect(stderrOf(pieces.join(''))).toMatch(/regex parse error/);
      }),
      { numRuns: 400 },
    );
  });

  test.each(['(?x)a # note', '(?x) a # ( note', '(?x)[ ]]', '(?x:a # )\n)', '(?x)(?-x:#)#', '[-]]', '(?<n>a)(?P<m>b)'])(
    'is none of %s',
    (regex) => {
      expect(stderrOf(toLineRegex(regex).text)).toBe('');
    },
  );
});

const STRUCTURE = /error: (?:unclosed|unopened|incomplete escape)/;

function refusalOf(regex: string): string | undefined {
  try {
    toLineRegex(regex);
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
async function linesBySearch(folder: string, file: string, text: string): Promise<number[]> {
  const pattern = { text, isRegex: true, caseSensitive: true, wordRegexp: false, multiline: false, encoding: 'auto' };
  const bounds = { maxColumns: 1000, maxPerFile: 0 };
  const descriptor = openSync(join(folder, file), 'r');
  const { signal } = new AbortController();
  const search = new Search(pattern, { descriptors: [descriptor] }, bounds, signal);
  const lines: number[] = [];
  for await (const events of lineHits(search, pattern, signal)) {
    lines.push(...events.map((event) => ('line' in event ? event.line : 0)));
  }
  closeSync(descriptor);
  return lines;
}

/** The same as ripgrep has it for the regex as it stands. */
function linesByRipgrep(folder: string, file: string, regex: string): number[] {
  const { stdout } = spawnSync(rgPath, ['--no-config', '--line-number', '-e', regex, '--', join(folder, file)], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Number.parseInt(line, 10));
}

describe('a search by a regex with `$`', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '\\$',
    '[$]',
    '[a$]',
    '[]$]',
    '[^$\\n]',
    '[^a]+',
    '.',
    '\\s',
    '\\W*',
    '$',
    '|',
    'a?',
    '(?:a$)',
    '(?:b|$)',
    '[[:alpha:]$]',
  );
  const regex = fc
    .tuple(fc.constantFrom('', '^'), fc.array(piece, { minLength: 1, maxLength: 5 }))
    .map(([anchor, pieces]) => anchor + pieces.join(''));
  const line = fc
    .array(fc.constantFrom('a', 'b', '$', ']', 'ab', ''), { maxLength: 3 })
    .map((pieces) => pieces.join(''));
  const content = fc.array(line, { minLength: 1, maxLength: 8 });

  // Each run starts three processes.
  test('finds in a file with LF what ripgrep finds, and in one with CRLF the same', { timeout: 120_000 }, async () => {
    const folder = scratch();
    await fc.assert(
      fc.asyncProperty(regex, content, async (text, lines) => {
        writeFileSync(join(folder, 'lf'), lines.map((one) => `${one}\n`).join(''));
        writeFileSync(join(folder, 'crlf'), lines.map((one) => `${one}\r\n`).join(''));
        const expected = linesByRipgrep(folder, 'lf', text);

        expect(await linesBySearch(folder, 'lf', text)).toEqual(expected);
        expect(await linesBySearch(folder, 'crlf', text)).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  });
});
