import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { pathsOf, runnerOn } from '../helpers/operations.ts';

const NAMES = ['!', '-', '.x', '0', 'A', 'Z', '_', 'a', 'z', 'z~', '\u00e9', '\u0416', '\u6f22', '\uff5e', '\u{1f600}'];

describe('sorted by path', () => {
  test('names stand in code-point order, astral ones after all others', async () => {
    const names = NAMES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const { ls } = runnerOn(Object.fromEntries(names.toReversed().map((name) => [name, ''])));

    expect(pathsOf(await ls())).toEqual(names.map((name) => `/${name}`));
  });

  const tree = { 'a/z': 'hit\n', 'a-b': 'hit\n', 'a.txt': 'hit\n', 'a/b/c': 'hit\n', ab: 'hit\n', 'A/x': 'hit\n' };
  const files = ['/A/x', '/a/b/c', '/a/z', '/a-b', '/a.txt', '/ab'];

  test('folders are compared by segment, so what they hold comes before names that go on', async () => {
    expect(pathsOf(await runnerOn(tree).ls({ recursive: true }))).toEqual([
      '/A/',
      '/A/x',
      '/a/',
      '/a/b/',
      '/a/b/c',
      '/a/z',
      '/a-b',
      '/a.txt',
      '/ab',
    ]);
  });

  test.each([
    ['find', { pattern: '*' }],
    ['glob', { pattern: '**' }],
    ['grep', { pattern: 'hit' }],
    ['grep', { pattern: 'hit', isRegex: true }],
    ['grep', { pattern: 'hit', output: 'files' }],
  ] as const)('%s %j gives files in the same order', async (operation, fields) => {
    expect(pathsOf(await runnerOn(tree)[operation](fields))).toEqual(files);
  });

  test('lines of a file follow each other by number', async () => {
    const { grep } = runnerOn({ a: 'hit\n'.repeat(12), b: 'hit\n' });

    const lines = (await eitherWay(grep, { pattern: 'hit' })).matches.map((match: { path: string; line: number }) => [
      match.path,
      match.line,
    ]);

    expect(lines).toEqual([...Array.from({ length: 12 }, (_, at) => ['/a', at + 1]), ['/b', 1]]);
  });

  test('hundreds of files, searched in portions, stay in order', async () => {
    const names = Array.from({ length: 700 }, (_, at) => `f${String(at).padStart(3, '0')}`);
    const { grep } = runnerOn(Object.fromEntries(names.toReversed().map((name) => [`d/${name}`, 'hit\n'])));

    expect(pathsOf(await eitherWay(grep, { pattern: 'hit' }))).toEqual(names.map((name) => `/d/${name}`));
  });

  test('a file whose name cannot be an argument stays in its place', async () => {
    const { grep } = runnerOn({ a: 'hit\n', 'a\nb': 'hit\n', 'a\nc': 'no\n', ab: 'hit\n' });

    expect(pathsOf(await eitherWay(grep, { pattern: 'hit' }))).toEqual(['/a', '/a\nb', '/ab']);
  });

  // A walk holds 48 folders at most; those above are opened again on the way back.
  test.each([
    ['find', { pattern: '*.txt' }],
    ['glob', { pattern: '**/*.txt' }],
    ['grep', { pattern: 'hit' }],
    ['grep', { pattern: 'hit', isRegex: true }],
  ] as const)('%s %j comes back from very deep folders to those above', async (operation, fields) => {
    const folders = Array.from({ length: 120 }, (_, at) => `d${at}`);
    const files = [120, 119, 60, 1].map((depth) => `${folders.slice(0, depth).join('/')}/z.txt`);
    const { [operation]: act } = runnerOn(Object.fromEntries(files.map((file) => [file, 'hit\n'])));

    expect(pathsOf(await act(fields))).toEqual(files.map((file) => `/${file}`));
  });
});

describe('as found', () => {
  test.each([
    ['ls', { recursive: true }],
    ['find', { pattern: '*' }],
    ['glob', { pattern: '**' }],
    ['grep', { pattern: 'hit' }],
    ['grep', { pattern: 'hit', isRegex: true }],
  ] as const)('%s %j gives the same records, in any order', async (operation, fields) => {
    const names = Array.from({ length: 60 }, (_, at) => `d${at % 7}/f${at}`);
    const { [operation]: act } = runnerOn(Object.fromEntries(names.map((name) => [name, 'hit\n'])));

    const found = pathsOf(await act({ ...fields, sort: 'none' }));

    expect(found.sort()).toEqual(pathsOf(await act(fields)).sort());
  });

  test("a file's lines still come together and in order", async () => {
    const names = Array.from({ length: 60 }, (_, at) => `d${at % 7}/f${at}`);
    const { grep } = runnerOn(Object.fromEntries(names.map((name) => [name, 'hit\nno\nhit\nhit\n'])));

    const { matches } = await grep({ pattern: 'hit', sort: 'none' });

    const files = [...new Set<string>(pathsOf({ matches }))];
    expect(matches.map(({ path, line }: { path: string; line: number }) => [path, line])).toEqual(
      files.flatMap((path) => [1, 3, 4].map((line) => [path, line])),
    );
  });
});
