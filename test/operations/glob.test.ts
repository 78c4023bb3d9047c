import { describe, expect, test } from 'vitest';
import { pathsOf, runnerOn } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';

const tree = {
  'main.py': '',
  '.hidden.py': '',
  'README.md': '',
  'src/main.py': '',
  'src/app/main.py': '',
  'src/app/util.js': '',
  'src/lib/util.js': '',
  'src/Lib.JS': '',
  'docs/guide/a.md': '',
};

describe('the reply', () => {
  test('holds entries, the path and the pattern as given', async () => {
    const { glob } = runnerOn({ 'src/a.py': { content: 'x', mtime: new Date('2026-07-24T10:30:00Z') } });

    expect(await glob({ pattern: '*.py', path: 'src' })).toEqual({
      path: '/src/',
      pattern: '*.py',
      matches: [{ path: '/src/a.py', is_dir: false, size: 1, modified_at: '2026-07-24T10:30:00Z', type: 'file' }],
      count: 1,
      truncated: false,
      skipped: skipped(),
    });
  });

  test('has no details without showDetails', async () => {
    expect((await runnerOn({ a: 'x' }).glob({ pattern: 'a', showDetails: false })).matches).toEqual([
      { path: '/a', is_dir: false, type: 'file' },
    ]);
  });
});

describe('a pattern', () => {
  test.each([
    ['without a slash is a name at any depth', '*.py', ['/.hidden.py', '/main.py', '/src/app/main.py', '/src/main.py']],
    ['with a slash is a path below the start', 'src/*.py', ['/src/main.py']],
    ['`**` is zero folders or more', 'src/**/main.py', ['/src/app/main.py', '/src/main.py']],
    ['`**` at the end is all below', 'src/lib/**', ['/src/lib/util.js']],
    ['braces are alternatives', 'src/{app,lib}/*.js', ['/src/app/util.js', '/src/lib/util.js']],
    ['braces with dots are a range', 'src/l{a..k}b/*.js', ['/src/lib/util.js']],
    ['`?` and brackets are one character', 'src/???/[!m]*.??', ['/src/app/util.js', '/src/lib/util.js']],
    ['case matters', 'src/lib.js', []],
    ['`./` is the start', './*.md', ['/README.md']],
    ['anchors at the root with a leading slash', '/*.md', ['/README.md']],
  ])('%s', async (_, pattern, paths) => {
    expect(pathsOf(await runnerOn(tree).glob({ pattern }))).toEqual(paths);
  });

  test('is relative to the path, unless it begins with a slash', async () => {
    const { glob } = runnerOn(tree);
    const found = async (pattern: string) => pathsOf(await glob({ path: 'src', pattern }));

    expect([
      await found('app/*.py'),
      await found('src/app/*.py'),
      await found('/src/app/*.py'),
      await found('/main.py'),
    ]).toEqual([['/src/app/main.py'], [], ['/src/app/main.py'], []]);
  });

  test('matches in any case without caseSensitive', async () => {
    expect(pathsOf(await runnerOn(tree).glob({ pattern: 'SRC/lib.js', caseSensitive: false }))).toEqual([
      '/src/Lib.JS',
    ]);
  });

  test.each([
    ['file', ['/src/app/main.py', '/src/app/util.js']],
    ['directory', ['/src/app/']],
    ['any', ['/src/app/', '/src/app/main.py', '/src/app/util.js']],
  ])('finds with type=%s', async (type, paths) => {
    expect(pathsOf(await runnerOn(tree).glob({ pattern: 'src/app/**', type }))).toEqual(paths);
  });

  test('that ends in a slash finds directories, whatever the type', async () => {
    expect(pathsOf(await runnerOn(tree).glob({ pattern: 'src/*/' }))).toEqual(['/src/app/', '/src/lib/']);
  });

  test.each(['(a)', '+x', '@at', '!bang', 'a+(b)', '?(c)'])(
    'takes parentheses, +, @ and ! literally: %s',
    async (name) => {
      const { glob } = runnerOn({ [name]: '', a: '', x: '' });

      expect(pathsOf(await glob({ pattern: name }))).toEqual([`/${name}`]);
    },
  );

  test.each(['../a', 'a/../b', '{..,a}/b', 'a/{b,../c}'])('that climbs is refused: %s', async (pattern) => {
    await expect(runnerOn(tree).glob({ pattern })).rejects.toMatchObject({ code: 'PATTERN_INVALID' });
  });
});

describe('a pattern that is the path of a file', () => {
  const routes = {
    'app/[id]/page.tsx': '',
    'app/i/page.tsx': '',
    'app/{a,b}.ts': '',
    'app/a.ts': '',
    'app/[...slug]/x': '',
    '[id].tsx': '',
    'i.tsx': '',
  };

  test.each([['app/[id]/page.tsx'], ['/app/[id]/page.tsx'], ['app/{a,b}.ts'], ['app/[...slug]/x'], ['/[id].tsx']])(
    'means that file alone: %s',
    async (pattern) => {
      expect(pathsOf(await runnerOn(routes).glob({ pattern }))).toEqual([`/${pattern.replace(/^\//, '')}`]);
    },
  );

  test('means it without a slash, too', async () => {
    expect(pathsOf(await runnerOn(routes).glob({ pattern: '[id].tsx' }))).toContain('/[id].tsx');
  });

  test('is relative to the path', async () => {
    expect(pathsOf(await runnerOn(routes).glob({ path: 'app', pattern: '[id]/page.tsx' }))).toEqual([
      '/app/[id]/page.tsx',
    ]);
  });

  test('means it in a folder that would be excluded', async () => {
    const { glob } = runnerOn({ 'node_modules/[x]/a.js': '', 'node_modules/x/a.js': '' });

    expect(pathsOf(await glob({ pattern: 'node_modules/[x]/a.js' }))).toEqual(['/node_modules/[x]/a.js']);
  });

  test('of a folder is a glob', async () => {
    expect(pathsOf(await runnerOn(routes).glob({ pattern: 'app/[id]', type: 'any' }))).toEqual(['/app/i/']);
  });

  test('of a blocked file finds nothing', async () => {
    const { glob } = runnerOn({ 'd/[a].pem': '' }, { policy: ['*.pem'] });

    expect(await glob({ pattern: 'd/[a].pem' })).toMatchObject({ matches: [], skipped: skipped() });
  });
});

describe('what is looked at', () => {
  test('is not the noise, which is counted', async () => {
    const { glob } = runnerOn({ 'node_modules/a/x.js': '', 'src/dist/x.js': '', 'x.js': '' });

    const reply = await glob({ pattern: '**/*.js' });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/x.js'], skipped({ excluded: 2 })]);
  });

  test.each([
    ['node_modules/**/*.js', '/'],
    ['/node_modules/a/*.js', '/'],
    ['{node_modules,x}/**/*.js', '/'],
    ['*.js', 'node_modules'],
    ['a/*.js', 'node_modules'],
    ['/node_modules/a/*.js', 'node_modules'],
  ])('is a folder of it that the pattern or the path names: %s from %s', async (pattern, path) => {
    const { glob } = runnerOn({ 'node_modules/a/x.js': '', 'node_modules/a/node_modules/y.js': '' });

    expect(pathsOf(await glob({ pattern, path }))).toEqual(['/node_modules/a/x.js']);
  });

  test('is what excludeGlob leaves: names at any depth without a slash, paths below the path with one', async () => {
    const { glob } = runnerOn({ 'a/gen/x.c': '', 'a/b/gen/x.c': '', 'a/tmp/x.c': '', 'a/b/tmp/x.c': '' });

    const reply = await glob({ path: 'a', pattern: '*.c', excludeGlob: ['tmp', 'gen/**'] });

    expect([pathsOf(reply), reply.skipped.excluded]).toEqual([['/a/b/gen/x.c'], 3]);
  });

  test('is what does not begin with a dot without includeHidden', async () => {
    expect(pathsOf(await runnerOn(tree).glob({ pattern: '*.py', includeHidden: false }))).toEqual([
      '/main.py',
      '/src/app/main.py',
      '/src/main.py',
    ]);
  });

  test('is what .gitignore files do not ignore, when gitignore is asked for', async () => {
    const { glob } = runnerOn({ '.gitignore': '/src\n', ...tree });

    expect(await glob({ pattern: '**/*.js', gitignore: true })).toMatchObject({
      matches: [],
      skipped: skipped({ ignored: 1 }),
    });
  });
});

test('a file is no folder to start in', async () => {
  await expect(runnerOn(tree).glob({ path: 'main.py', pattern: '*' })).rejects.toMatchObject({
    code: 'NOT_A_DIRECTORY',
  });
});
