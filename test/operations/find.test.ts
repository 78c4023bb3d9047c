import { describe, expect, test } from 'vitest';
import { pathsOf, runnerOn } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';

const NOISE = ['.git', 'node_modules', '__pycache__', '.venv', 'dist', 'build'];

describe('the reply', () => {
  test('holds entries with their details, the path and the pattern as given', async () => {
    const mtime = new Date('2026-07-24T10:30:00Z');
    const { find } = runnerOn({ 'src/Main.py': { content: 'x', mtime }, 'src/b': '' });

    expect(await find({ pattern: 'main.*', path: 'src' })).toEqual({
      path: '/src/',
      pattern: 'main.*',
      matches: [{ path: '/src/Main.py', is_dir: false, size: 1, modified_at: '2026-07-24T10:30:00Z', type: 'file' }],
      count: 1,
      truncated: false,
      skipped: skipped(),
    });
  });
});

describe('a glob pattern', () => {
  const tree = {
    'main.py': '',
    'd/Main.PY': '',
    '.main.py': '',
    'main.pyc': '',
    'src/main.py': '',
    'src/main.py.d/x': '',
    'src/xmain.py': '',
    '[a].ts': '',
    'a.ts': '',
    '{a,b}.js': '',
  };

  test.each([
    ['the whole name', 'main.py', ['/d/Main.PY', '/main.py', '/src/main.py']],
    [
      '`*` any run, a dot at the start too',
      '*main.py',
      ['/.main.py', '/d/Main.PY', '/main.py', '/src/main.py', '/src/xmain.py'],
    ],
    ['`?` one character', 'main.py?', ['/main.pyc']],
    ['`[seq]` one of them', '[ab].ts', ['/a.ts']],
    ['`[!seq]` one other', '[!b].ts', ['/a.ts']],
    ['`[[]` a bracket', '[[]a].ts', ['/[a].ts']],
    ['braces literally', '{a,b}.js', ['/{a,b}.js']],
    ['no path: a slash matches nothing', 'src/main.py', []],
    ['no backslash escapes', '\\*.ts', []],
  ])('matches %s', async (_, pattern, paths) => {
    expect(pathsOf(await runnerOn(tree).find({ pattern }))).toEqual(paths);
  });

  test('minds case when it is told to', async () => {
    expect(pathsOf(await runnerOn(tree).find({ pattern: 'MAIN.*', caseSensitive: true }))).toEqual([]);
    expect(pathsOf(await runnerOn(tree).find({ pattern: 'Main.*', caseSensitive: true }))).toEqual(['/d/Main.PY']);
  });

  test('finds files by default, directories or both by type', async () => {
    const { find } = runnerOn({ 'a.d/x': '', 'b.d': '' });
    const found = async (type?: string) => pathsOf(await find({ pattern: '*.d', ...(type ? { type } : {}) }));

    expect([await found(), await found('file'), await found('directory'), await found('any')]).toEqual([
      ['/b.d'],
      ['/b.d'],
      ['/a.d/'],
      ['/a.d/', '/b.d'],
    ]);
  });

  test('looks in the folder alone without recursive', async () => {
    expect(pathsOf(await runnerOn(tree).find({ pattern: 'main.py', path: 'src', recursive: false }))).toEqual([
      '/src/main.py',
    ]);
    expect(pathsOf(await runnerOn(tree).find({ pattern: 'xmain.py', recursive: false }))).toEqual([]);
  });
});

describe('a regex pattern', () => {
  const tree = { 'test_a.py': '', 'test_b.PY': '', 'a_test.py': '', aa: '', ab: '', 'x.py.bak': '', 'année.txt': '' };

  test.each([
    ['is searched anywhere in the name', 'est_', ['/test_a.py', '/test_b.PY']],
    ['knows `^` and `$`', '^test.*\\.py$', ['/test_a.py', '/test_b.PY']],
    ['knows `\\A` and `\\Z`', '\\Atest_a\\.py\\Z', ['/test_a.py']],
    ['knows named groups and back-references', '^(?P<c>.)(?P=c)$', ['/aa']],
    ['knows look-ahead', '\\.py(?!\\.bak)', ['/a_test.py', '/test_a.py', '/test_b.PY']],
    ['knows look-behind', '(?<=test_)a', ['/test_a.py']],
    ['knows inline flags', '(?i)TEST_A', ['/test_a.py']],
    ['counts characters, not bytes', '^ann.e\\.txt$', ['/année.txt']],
  ])('%s', async (_, pattern, paths) => {
    expect(pathsOf(await runnerOn(tree).find({ pattern, isRegex: true }))).toEqual(paths);
  });

  test('minds case when it is told to', async () => {
    const fields = { pattern: '\\.PY$', isRegex: true, caseSensitive: true };

    expect(pathsOf(await runnerOn(tree).find(fields))).toEqual(['/test_b.PY']);
  });

  test.each(['(', '[a', '*a', '(?P<1>a)', 'a{2,1}'])('that is none is refused, files or not: %s', async (pattern) => {
    await expect(runnerOn({}).find({ pattern, isRegex: true })).rejects.toMatchObject({ code: 'PATTERN_INVALID' });
  });
});

describe('what is looked at', () => {
  test.each(NOISE)('is not %s, unless the path names it', async (folder) => {
    const { find } = runnerOn({ [`${folder}/x.txt`]: '', 'y.txt': '' });

    const above = await find({ pattern: '*.txt' });

    expect([pathsOf(above), above.skipped]).toEqual([['/y.txt'], skipped({ excluded: 1 })]);
    expect(pathsOf(await find({ pattern: '*.txt', path: folder }))).toEqual([`/${folder}/x.txt`]);
  });

  test('is all of it with an empty excludeGlob', async () => {
    const { find } = runnerOn({ 'node_modules/x.js': '', '.git/x.js': '' });

    expect(pathsOf(await find({ pattern: 'x.js', excludeGlob: [] }))).toEqual(['/.git/x.js', '/node_modules/x.js']);
  });

  test('is what excludeGlob, fnmatch on names, leaves; folders are left out with all below, and count once', async () => {
    const { find } = runnerOn({ 'old1/a.c': '', 'old1/b.c': '', 'x/old2/a.c': '', 'a.c': '', 'node_modules/a.c': '' });

    const reply = await find({ pattern: '*.c', excludeGlob: ['old?'] });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/a.c', '/node_modules/a.c'], skipped({ excluded: 2 })]);
  });

  test('is what includeGlob names, too, and folders are searched all the same', async () => {
    const { find } = runnerOn({ 'src/a_test.c': '', 'src/a.c': '', 'src/a_test.h': '' });

    expect(pathsOf(await find({ pattern: '*.c', includeGlob: ['*_test.*', 'b*'] }))).toEqual(['/src/a_test.c']);
  });

  test('is what does not begin with a dot without includeHidden', async () => {
    const { find } = runnerOn({ '.a.c': '', '.d/a.c': '', 'a.c': '' });

    expect(pathsOf(await find({ pattern: '*.c', includeHidden: false }))).toEqual(['/a.c']);
  });

  test('is what .gitignore files do not ignore, when gitignore is asked for', async () => {
    const { find } = runnerOn({ '.gitignore': 'out/\n', 'out/a.c': '', 'a.c': '' });

    const reply = await find({ pattern: '*.c', gitignore: true });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/a.c'], skipped({ ignored: 1 })]);
  });

  test('is never what the policy blocks, and that is not counted', async () => {
    const { find } = runnerOn({ '.env': '', 'd/.env.local': '', '.ssh/id_rsa': '', '.env.example': '' });

    const reply = await find({ pattern: '*', excludeGlob: [] });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/.env.example'], skipped()]);
  });
});

test('as text, what was found is a path a line', async () => {
  const { run } = runnerOn({ 'a.c': '', 'd/b.c': '' });

  expect(await run('find', { pattern: '*.c' }, { form: 'text' })).toBe('/a.c\n/d/b.c\n');
});
