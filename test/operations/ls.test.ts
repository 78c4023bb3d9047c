import { describe, expect, test } from 'vitest';
import { pathsOf, runnerOn } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';

const MODIFIED = new Date('2026-07-24T10:30:00.900Z');
const TIME = '2026-07-24T10:30:00Z';

describe('an entry', () => {
  test('of a file tells its size in bytes and its time in whole seconds', async () => {
    const { ls } = runnerOn({ 'main.py': { content: 'é', mtime: MODIFIED } });

    expect((await ls()).entries).toEqual([
      { path: '/main.py', is_dir: false, size: 2, modified_at: TIME, type: 'file' },
    ]);
  });

  test('of a directory ends in a slash and has size 0', async () => {
    const { ls } = runnerOn({ 'src/main.py': 'x' });

    expect((await ls()).entries).toEqual([
      { path: '/src/', is_dir: true, size: 0, modified_at: expect.stringMatching(/^\d{4}-.*Z$/), type: 'directory' },
    ]);
  });

  test('of a FIFO is `other`', async () => {
    const { ls } = runnerOn({ pipe: { fifo: true } });

    expect((await ls()).entries).toMatchObject([{ path: '/pipe', is_dir: false, size: 0, type: 'other' }]);
  });

  test('has neither size nor time without showDetails', async () => {
    const { ls } = runnerOn({ a: 'x', 'd/b': 'y' });

    expect((await ls({ showDetails: false })).entries).toEqual([
      { path: '/a', is_dir: false, type: 'file' },
      { path: '/d/', is_dir: true, type: 'directory' },
    ]);
  });

  test('has neither size nor time without showDetails, folderSizes or not', async () => {
    const { ls } = runnerOn({ 'd/b': 'y' });

    expect((await ls({ showDetails: false, folderSizes: true })).entries).toEqual([
      { path: '/d/', is_dir: true, type: 'directory' },
    ]);
  });
});

describe('the reply', () => {
  test('of an empty folder is empty and complete', async () => {
    const { ls } = runnerOn({ empty: null });

    expect(await ls({ path: 'empty' })).toEqual({
      path: '/empty/',
      entries: [],
      count: 0,
      truncated: false,
      skipped: skipped(),
    });
  });

  test('begins at the root when no path is given, and counts its entries', async () => {
    const { ls } = runnerOn({ a: '', b: '', 'c/d': '' });

    expect(await ls()).toMatchObject({ path: '/', count: 3, truncated: false, skipped: skipped() });
  });

  test.each([['src'], ['src/'], ['./src'], ['/src'], ['src//.'], ['/src/./']])(
    'shows the folder in one way, asked for as %s',
    async (path) => {
      const { ls } = runnerOn({ 'src/a': '' });

      const reply = await ls({ path });

      expect([reply.path, pathsOf(reply)]).toEqual(['/src/', ['/src/a']]);
    },
  );

  test.each([[''], ['.'], ['./'], ['/'], [null]])('is about the root for the path %j', async (path) => {
    const { ls } = runnerOn({ a: '' });

    expect((await ls({ path })).path).toBe('/');
  });

  test('is about a folder whose name looks like a pattern', async () => {
    const { ls } = runnerOn({ 'app/[id]/page.tsx': '', 'app/i/other': '' });

    expect(pathsOf(await ls({ path: 'app/[id]' }))).toEqual(['/app/[id]/page.tsx']);
  });
});

describe('what is listed', () => {
  const tree = {
    '.hidden': '',
    'a.py': '',
    'b.md': '',
    'node_modules/x.js': '',
    'src/c.py': '',
    'src/sub/d.py': '',
    link: { linkTo: 'a.py' },
    pipe: { fifo: true },
  } as const;

  test.each([
    ['any', ['/.hidden', '/a.py', '/b.md', '/link', '/node_modules/', '/pipe', '/src/']],
    ['file', ['/.hidden', '/a.py', '/b.md']],
    ['directory', ['/node_modules/', '/src/']],
  ])('with type=%s, links and special files with `any` alone', async (type, paths) => {
    expect(pathsOf(await runnerOn(tree).ls({ type }))).toEqual(paths);
  });

  test('is anything by default, node_modules and hidden names too', async () => {
    expect(pathsOf(await runnerOn(tree).ls())).toEqual([
      '/.hidden',
      '/a.py',
      '/b.md',
      '/link',
      '/node_modules/',
      '/pipe',
      '/src/',
    ]);
  });

  test('is without names that begin with a dot when includeHidden is false, and they are not counted', async () => {
    const reply = await runnerOn({ '.a': '', '.d/b': '', c: '' }).ls({ includeHidden: false, recursive: true });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/c'], skipped()]);
  });

  test('is below a hidden folder that the path names, whatever includeHidden says', async () => {
    const { ls } = runnerOn({ '.github/ci.yml': '', '.github/.x': '' });

    expect(pathsOf(await ls({ path: '.github', includeHidden: false }))).toEqual(['/.github/ci.yml']);
  });

  test('is what one of includeGlob names, and folders are searched all the same', async () => {
    const reply = await runnerOn(tree).ls({ includeGlob: ['*.py', 'sub'], recursive: true });

    expect(pathsOf(reply)).toEqual(['/a.py', '/src/c.py', '/src/sub/', '/src/sub/d.py']);
  });

  test('is without what excludeGlob names and what lies below, which counts once', async () => {
    const reply = await runnerOn(tree).ls({ excludeGlob: ['src', '*.md'], recursive: true, type: 'file' });

    expect([pathsOf(reply), reply.skipped]).toEqual([
      ['/.hidden', '/a.py', '/node_modules/x.js'],
      skipped({ excluded: 2 }),
    ]);
  });

  test('globs are fnmatch on names: a slash in one matches nothing, braces are literal', async () => {
    const { ls } = runnerOn({ 'src/a.py': '', '{a,b}': '', a: '' });

    expect(pathsOf(await ls({ recursive: true, includeGlob: ['src/*.py', '{a,b}'] }))).toEqual(['/{a,b}']);
  });

  test('is without what .gitignore ignores, when gitignore is asked for', async () => {
    const reply = await runnerOn({ '.gitignore': '*.log\n', 'a.log': '', b: '' }).ls({ gitignore: true });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/.gitignore', '/b'], skipped({ ignored: 1 })]);
  });
});

describe('levels', () => {
  const tree = { 'a/b/c/d': '', 'a/x': '', z: '' };

  test.each([
    [{}, ['/a/', '/z']],
    [{ depth: 1 }, ['/a/', '/z']],
    [{ depth: 2 }, ['/a/', '/a/b/', '/a/x', '/z']],
    [{ depth: 3 }, ['/a/', '/a/b/', '/a/b/c/', '/a/x', '/z']],
    [{ recursive: true }, ['/a/', '/a/b/', '/a/b/c/', '/a/b/c/d', '/a/x', '/z']],
    [{ recursive: true, depth: 2 }, ['/a/', '/a/b/', '/a/x', '/z']],
    [{ recursive: true, depth: 99 }, ['/a/', '/a/b/', '/a/b/c/', '/a/b/c/d', '/a/x', '/z']],
  ])('are one, those that depth says, or all with recursive: %j', async (fields, paths) => {
    expect(pathsOf(await runnerOn(tree).ls(fields))).toEqual(paths);
  });

  test('are counted from the folder that is asked for', async () => {
    expect(pathsOf(await runnerOn(tree).ls({ path: 'a/b', depth: 1 }))).toEqual(['/a/b/c/']);
  });

  test('may be very many', async () => {
    const deep = Array.from({ length: 200 }, () => 'd').join('/');
    const { ls } = runnerOn({ [`${deep}/leaf`]: 'x' });

    expect(pathsOf(await ls({ recursive: true, type: 'file' }))).toEqual([`/${deep}/leaf`]);
  });
});

describe('folder sizes', () => {
  test('are the bytes of the regular files below, at any depth', async () => {
    const { ls } = runnerOn({
      'a/one': '1',
      'a/b/two': '22',
      'a/b/.hidden': '333',
      'a/node_modules/x': '4444',
      empty: null,
    });

    expect((await ls({ folderSizes: true })).entries).toMatchObject([
      { path: '/a/', size: 10 },
      { path: '/empty/', size: 0 },
    ]);
  });

  test('do not hold what links lead to, nor what is blocked', async () => {
    const { ls } = runnerOn({
      big: 'xxxxxxxxxx',
      'd/a': '1',
      'd/link': { linkTo: '../big' },
      'd/up': { linkTo: '..' },
      'd/.env': 'SECRET=1',
      'd/.ssh/id': 'key',
    });

    expect((await ls({ folderSizes: true, type: 'directory' })).entries).toMatchObject([{ path: '/d/', size: 1 }]);
  });

  test('are those of the folders alone: a file keeps its own, a link 0', async () => {
    const { ls } = runnerOn({ f: '12', link: { linkTo: 'f' } });

    expect((await ls({ folderSizes: true })).entries).toMatchObject([
      { path: '/f', size: 2 },
      { path: '/link', size: 0 },
    ]);
  });

  test('come for each level of a recursive list', async () => {
    const { ls } = runnerOn({ 'a/b/c': '123', 'a/d': '4' });

    expect((await ls({ folderSizes: true, recursive: true, type: 'directory' })).entries).toMatchObject([
      { path: '/a/', size: 4 },
      { path: '/a/b/', size: 3 },
    ]);
  });
});

test('a file is no folder to list', async () => {
  await expect(runnerOn({ a: '' }).ls({ path: 'a' })).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
});

test('as text, a listing is a path a line', async () => {
  const { run } = runnerOn({ a: 'x', 'd/b': '' });

  expect(await run('ls', {}, { form: 'text' })).toBe('/a\n/d/\n');
});
