import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

type Query = Record<string, string | string[]>;

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
const pathsOf = (reply: any) => (reply.matches ?? reply.entries).map(({ path }: { path: string }) => path);

async function found(tree: Tree, path: string, query: Query = {}): Promise<string[]> {
  const { get } = await serviceOf(tree);
  return pathsOf((await get(path, query)).json());
}

describe('C17: ignored files are not silently missing', () => {
  const tree: Tree = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.gitignore': 'scripts/*\n',
    'scripts/w.py': 'needle_here\n',
  };

  it.each([
    ['/grep', { pattern: 'needle_here' }],
    ['/grep', { pattern: 'needle_here', path: 'scripts' }],
    ['/find', { pattern: 'w.py' }],
    ['/glob', { pattern: '**/w.py' }],
  ])('%s %j finds them', async (path, query) => {
    expect(await found(tree, path, query)).toEqual(['/scripts/w.py']);
  });

  it.each([
    ['/grep', { pattern: 'needle' }],
    ['/find', { pattern: 'n.js' }],
    ['/glob', { pattern: 'n.js' }],
  ])('%s counts the noise that it leaves out, and an explicit path searches it', async (path, query) => {
    const { get } = await serviceOf({ 'node_modules/n.js': 'needle\n' });
    const without = (await get(path, query)).json();
    const within = (await get(path, { ...query, path: 'node_modules' })).json();
    expect([without.count, without.skipped.excluded, pathsOf(within)]).toEqual([0, 1, ['/node_modules/n.js']]);
  });
});

describe('C18: ** and patterns without a slash mean one thing', () => {
  const tree: Tree = Object.fromEntries(
    ['main.py', 'src/main.py', 'src/app/main.py'].map((path) => [path, 'import os\n']),
  );
  const all = ['/main.py', '/src/app/main.py', '/src/main.py'];
  const below = ['/src/app/main.py', '/src/main.py'];

  it.each([
    ['/grep', { pattern: 'import', includeGlob: ['*.py'] }, all],
    ['/grep', { pattern: 'import', includeGlob: ['**/*.py'] }, all],
    ['/grep', { pattern: 'import', includeGlob: ['src/**/*.py'] }, below],
    ['/glob', { pattern: '**/*.py' }, all],
    ['/glob', { pattern: 'src/**/main.py' }, below],
    ['/glob', { pattern: '*.py' }, all],
  ])('%s %j', async (path, query, paths) => {
    expect((await found(tree, path, query)).sort()).toEqual(paths);
  });
});

describe('C19: hidden folders are found', () => {
  const tree: Tree = { '.github/workflows/ci.yml': 'on:\n', '.env.example': 'A=1\n', 'b.yml': 'x\n' };

  it.each([
    ['/glob', { pattern: '.github/workflows/*.yml' }, ['/.github/workflows/ci.yml']],
    ['/glob', { pattern: '**/*.yml' }, ['/.github/workflows/ci.yml', '/b.yml']],
    ['/find', { pattern: '*.yml' }, ['/.github/workflows/ci.yml', '/b.yml']],
    ['/find', { pattern: '?env*' }, ['/.env.example']],
    ['/ls', {}, ['/.env.example', '/.github/', '/b.yml']],
    ['/grep', { pattern: 'on:' }, ['/.github/workflows/ci.yml']],
    ['/glob', { pattern: '**/*.yml', includeHidden: 'false' }, ['/b.yml']],
    ['/grep', { pattern: 'on:', includeHidden: 'false' }, []],
  ])('by %s %j', async (path, query, paths) => {
    expect(await found(tree, path, query)).toEqual(paths);
  });
});

describe('C20: an invalid regex is told, and a literal search is literal', () => {
  const tree: Tree = { 'a.py': 'make_snapshot(a)\nmake.snapshot\n' };

  it.each([
    ['/grep', { pattern: 'make_snapshot(', isRegex: 'true' }],
    ['/find', { pattern: '([', isRegex: 'true' }],
  ])('%s %j is refused with the reason', async (path, query) => {
    const { get } = await serviceOf(tree);
    const reply = await get(path, query);
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'PATTERN_INVALID', detail: expect.stringMatching(/position \d+/) }),
    ]);
  });

  it.each([
    ['make_snapshot(', 1],
    ['make.snapshot', 2],
  ])('%s as text is found on line %i alone', async (pattern, line) => {
    const { get } = await serviceOf(tree);
    const { matches } = (await get('/grep', { pattern, isRegex: 'false' })).json();
    expect(matches).toMatchObject([{ line }]);
  });
});

describe('C34: a Python regex', () => {
  const tree: Tree = { 'README.md': '', 'readme.txt': '', 'readme.mdx': '', 'readme.mdZ': '', book: 'book\n' };

  it.each([
    [{ pattern: String.raw`(?i)^readme\.(?P<ext>md|txt)\Z` }, ['/README.md', '/readme.txt']],
    [{ pattern: String.raw`\AREADME`, caseSensitive: 'true' }, ['/README.md']],
    [{ pattern: '(?P<a>.)(?P=a)' }, ['/book']],
  ])('%j is searched in names as Python has it', async (query, paths) => {
    expect(await found(tree, '/find', { ...query, isRegex: 'true' })).toEqual(paths);
  });

  it.each([
    ['/grep', '(?P<a>.)(?P=a)', /back-?reference/i],
    ['/grep', '(?=b)', /look-?a(round|head)/i],
    ['/find', String.raw`\N{BULLET}`, /character name/],
  ])('%s refuses %s, which it cannot run, and names the construct', async (path, pattern, construct) => {
    const { get } = await serviceOf(tree);
    expect((await get(path, { pattern, isRegex: 'true' })).json()).toMatchObject({
      status: 400,
      code: 'PATTERN_INVALID',
      detail: expect.stringMatching(construct),
    });
  });
});

describe('C36: a folder called [id]', () => {
  const tree: Tree = { 'app/[id]/page.tsx': 'BRACKET\n', 'app/i/page.tsx': 'LETTER\n' };
  const bracket = ['/app/[id]/page.tsx'];

  it.each([
    ['/ls', { path: 'app/[id]' }],
    ['/grep', { path: 'app/[id]', pattern: 'BRACKET' }],
    ['/find', { path: 'app/[id]', pattern: 'page.tsx' }],
    ['/glob', { path: 'app/[id]', pattern: '*.tsx' }],
    ['/glob', { pattern: 'app/[[]id]/page.tsx' }],
    ['/glob', { pattern: 'app/[id]/page.tsx' }],
  ])('is what %s %j means', async (path, query) => {
    expect(await found(tree, path, query)).toEqual(bracket);
  });

  it('is read', async () => {
    const { get } = await serviceOf(tree);
    expect((await get('/read', { path: 'app/[id]/page.tsx' })).json().content).toBe('BRACKET\n');
  });
});

describe('C38: parentheses, plus signs and spaces, in folders and in the root', () => {
  const tree: Tree = { 'src/(dashboard)/page.tsx': 'a\n', 'src/@slot/page.tsx': 'b\n' };

  async function inOddRoot() {
    const folder = scratch();
    const root = join(folder, 'My (proj) [x] +a {b}');
    renameSync(plant(tree, folder), root);
    return serviceAt(root);
  }

  it.each([
    ['/glob', { pattern: '**/page.tsx' }, ['/src/(dashboard)/page.tsx', '/src/@slot/page.tsx']],
    ['/glob', { pattern: 'src/(dashboard)/*.tsx' }, ['/src/(dashboard)/page.tsx']],
    ['/glob', { pattern: 'src/@slot/*' }, ['/src/@slot/page.tsx']],
    ['/glob', { pattern: '**/page.tsx', excludeGlob: ['src/(dashboard)/**'] }, ['/src/@slot/page.tsx']],
    ['/find', { pattern: 'page.tsx', excludeGlob: ['(dashboard)'] }, ['/src/@slot/page.tsx']],
    ['/grep', { pattern: 'a', includeGlob: ['src/(dashboard)/**'] }, ['/src/(dashboard)/page.tsx']],
  ])('are letters to %s %j', async (path, query, paths) => {
    const { get } = await inOddRoot();
    expect(pathsOf((await get(path, query)).json())).toEqual(paths);
  });

  it('of the root can be sent as its host path', async () => {
    const { get, root } = await inOddRoot();
    expect((await get('/read', { path: `${root}/src/@slot/page.tsx` })).json().content).toBe('b\n');
  });
});

describe('C40: braces in a pattern', () => {
  const tree: Tree = { 'a.ts': '', 'b.js': '', 'lit.{ts,js}': '' };

  it('are letters to find, as in fnmatch', async () => {
    expect(await found(tree, '/find', { pattern: '*.{ts,js}' })).toEqual(['/lit.{ts,js}']);
  });

  it('alternate in glob, as in bash', async () => {
    expect(await found(tree, '/glob', { pattern: '*.{ts,js}' })).toEqual(['/a.ts', '/b.js']);
  });
});

describe('C41: the case of names', () => {
  const tree: Tree = { 'ROADMAP.md': '', 'Котик.png': '', 'İstanbul.txt': '', 'Straße.txt': '' };

  it.each([
    [{ pattern: 'roadmap.md' }, ['/ROADMAP.md']],
    [{ pattern: 'roadmap.md', caseSensitive: 'true' }, []],
    [{ pattern: 'ROADMAP.MD' }, ['/ROADMAP.md']],
    [{ pattern: 'котик*' }, ['/Котик.png']],
    [{ pattern: '*stanbul.txt' }, ['/İstanbul.txt']],
    [{ pattern: 'STRASSE*' }, []],
  ])('find %j', async (query, paths) => {
    expect(await found(tree, '/find', query)).toEqual(paths);
  });

  it('is that of the disk in what is found', async () => {
    const root = plant({});
    mkdirSync(join(root, 'MiXeD'));
    const { get } = await serviceAt(root);
    expect(pathsOf((await get('/find', { pattern: 'mixed', type: 'directory' })).json())).toEqual(['/MiXeD/']);
  });
});
