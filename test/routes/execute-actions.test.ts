import { describe, expect, it } from 'vitest';
import { type ServiceSettings, serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TIME = new Date('2026-07-24T10:30:00Z');
const TREE: Tree = {
  'src/a.py': 'import os\nMain = 1\nmain = 2\n',
  'src/lib/b.py': 'x\n',
  'src/Test_One.py': 'x\n',
  'config/app.json': '{"port":1}\n',
  'notes.txt': 'notes\nline 2\nline 3\n',
  '.hid/h.py': 'h\n',
  '.dot.py': 'h\n',
  'node_modules/x/n.py': 'main\n',
  'Docs/deep/er.md': '12345',
  'Docs/five': { content: '12345', mtime: TIME },
};

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
type Envelope = any;

async function run(
  action: string,
  properties: Record<string, unknown> = {},
  tree: Tree = TREE,
  settings: ServiceSettings = {},
): Promise<Envelope> {
  const { execute } = await serviceOf(tree, settings);
  const list = Object.entries(properties).map(([name, value]) => ({ name, value }));
  return (await execute({ action, properties: list })).json();
}

const pathsIn = ({ result }: Envelope) => (result.matches ?? result.entries).map(({ path }: { path: string }) => path);

/** As many files, or folders, of names that sort as they count. */
const many = (count: number, isFolder = false): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${1000 + at}.dat`, isFolder ? null : 'hit\n']));

describe('find_file', () => {
  it.each([
    ['files alone, in any case', { pattern: 'test_*' }, ['/src/Test_One.py']],
    ['no folder', { pattern: 'src' }, []],
    ['no noise', { pattern: 'n.py' }, []],
    ['noise that its path names', { pattern: 'n.py', path: 'node_modules' }, ['/node_modules/x/n.py']],
    ['hidden files', { pattern: '*h.py' }, ['/.hid/h.py']],
    ['upper case as upper case when asked', { pattern: 'test_*', caseSensitive: 'true' }, []],
    [
      'a folder alone when not recursive',
      { pattern: '*.py', path: 'src', recursive: 'false' },
      ['/src/Test_One.py', '/src/a.py'],
    ],
    ['names by a Python regex', { pattern: '(?P<x>^test)_.*\\.py\\Z', isRegex: 'true' }, ['/src/Test_One.py']],
    [
      'names that a glob lets in',
      { pattern: '*', includeGlob: '*.md,*.json' },
      ['/Docs/deep/er.md', '/config/app.json'],
    ],
    [
      'names that no glob shuts out',
      { pattern: '*.py', excludeGlob: '.*,node_modules,lib' },
      ['/src/Test_One.py', '/src/a.py'],
    ],
  ])('finds %s', async (_, properties, paths) => {
    expect(pathsIn(await run('find_file', properties))).toEqual(paths);
  });

  it.each([
    [100, undefined, true],
    [101, '101', false],
    [50, 50, true],
  ])('gives %i of 101 files when asked for %s', async (count, maxResults, truncated) => {
    const { result } = await run('find_file', { pattern: '*.dat', maxResults }, many(101));
    expect([result.count, result.truncated]).toEqual([count, truncated]);
  });

  it.each([
    ['true', '/src/lib/b.py\n'],
    ['false', 'lib/b.py\n'],
    [undefined, '/src/lib/b.py\n'],
  ])('with showPaths %s shows %j, and always the same result', async (showPaths, content) => {
    const envelope = await run('find_file', { pattern: 'b.py', path: 'src', showPaths });
    expect([envelope.content, pathsIn(envelope)]).toEqual([content, ['/src/lib/b.py']]);
  });
});

describe('find_folder', () => {
  it.each([
    ['folders alone', { pattern: '*i*' }, ['/.hid/', '/config/', '/src/lib/']],
    ['in any case', { pattern: 'docs' }, ['/Docs/']],
    ['no noise', { pattern: 'x' }, []],
  ])('finds %s', async (_, properties, paths) => {
    expect(pathsIn(await run('find_folder', properties))).toEqual(paths);
  });

  it('gives 100 when not asked for another number', async () => {
    const { result } = await run('find_folder', { pattern: '*' }, many(101, true));
    expect([result.count, result.truncated, result.truncated_by]).toEqual([100, true, 'maxResults']);
  });

  it('with showPaths false shows paths below the folder that was searched', async () => {
    expect((await run('find_folder', { pattern: 'deep', path: 'Docs', showPaths: 'false' })).content).toBe('deep/\n');
  });
});

describe.each([
  ['list_folders', '/Docs/', ['/Docs/', '/config/', '/node_modules/', '/src/']],
  ['list_files', '/notes.txt', ['/notes.txt']],
])('%s', (action, one, all) => {
  it('lists one level of visible entries of the root when it is given nothing', async () => {
    expect(pathsIn(await run(action))).toEqual(all);
  });

  it('tells neither sizes nor times unless asked', async () => {
    const { result } = await run(action);
    expect(Object.keys(result.entries[0])).toEqual(['path', 'is_dir', 'type']);
  });

  it('tells sizes and times when asked', async () => {
    const { result } = await run(action, { showDetails: 'true' });
    expect(result.entries.find(({ path }: Envelope) => path === one)).toEqual({
      path: one,
      is_dir: one.endsWith('/'),
      size: one.endsWith('/') ? 10 : 20,
      modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      type: one.endsWith('/') ? 'directory' : 'file',
    });
  });

  it('lists 500 when not asked for another number', async () => {
    const { result } = await run(action, {}, many(501, action === 'list_folders'));
    expect([result.count, result.truncated, result.truncated_by]).toEqual([500, true, 'maxResults']);
  });

  it('takes its folder as directoryPath and as nothing else', async () => {
    const { warnings } = await run(action, { path: 'src' });
    expect(warnings).toEqual([expect.stringContaining("'path'")]);
  });
});

describe('list_folders', () => {
  it.each([
    ['hidden ones when asked', { includeHidden: 'true' }, ['/.hid/', '/Docs/', '/config/', '/node_modules/', '/src/']],
    [
      'all below, when recursive, of the names asked for',
      { recursive: 'true', includeGlob: 'l*,de*' },
      ['/Docs/deep/', '/src/lib/'],
    ],
    ['none that is shut out', { excludeGlob: 'n*,D*' }, ['/config/', '/src/']],
    ['those of a folder', { directoryPath: 'Docs' }, ['/Docs/deep/']],
  ])('lists %s', async (_, properties, paths) => {
    expect(pathsIn(await run('list_folders', properties))).toEqual(paths);
  });
});

describe('list_files', () => {
  it.each([
    ['hidden ones when asked', { includeHidden: 'true' }, ['/.dot.py', '/notes.txt']],
    ['those of a folder', { directoryPath: 'src/' }, ['/src/Test_One.py', '/src/a.py']],
    [
      'all below when recursive',
      { directoryPath: 'src', recursive: true },
      ['/src/Test_One.py', '/src/a.py', '/src/lib/b.py'],
    ],
  ])('lists %s', async (_, properties, paths) => {
    expect(pathsIn(await run('list_files', properties))).toEqual(paths);
  });

  it('tells the time of a file to the second, in UTC', async () => {
    const { result } = await run('list_files', { directoryPath: 'Docs', showDetails: 'true' });
    expect(result.entries).toEqual([
      { path: '/Docs/five', is_dir: false, size: 5, modified_at: '2026-07-24T10:30:00Z', type: 'file' },
    ]);
  });
});

describe('grep_file', () => {
  const hits = ({ result }: Envelope) => result.matches.map(({ path, line }: Envelope) => `${path}:${line}`);
  const tree: Tree = { ...TREE, 'Docs/r.md': 'MAIN\nmain\nm.in\n' };

  it.each([
    ['literal text in any case', { pattern: 'MAIN' }, ['/Docs/r.md:1', '/Docs/r.md:2', '/src/a.py:2', '/src/a.py:3']],
    ['upper case as upper case when asked', { pattern: 'MAIN', caseSensitive: 'true' }, ['/Docs/r.md:1']],
    ['a dot as a dot', { pattern: 'm.in' }, ['/Docs/r.md:3']],
    ['a regex when asked', { pattern: '^m.in$', isRegex: 'true' }, ['/Docs/r.md:1', '/Docs/r.md:2', '/Docs/r.md:3']],
    ['the files that a glob lets in', { pattern: 'main', includeGlob: '*.py' }, ['/src/a.py:2', '/src/a.py:3']],
    ['the files that no glob shuts out', { pattern: 'main', excludeGlob: '*.py' }, ['/Docs/r.md:1', '/Docs/r.md:2']],
    ['one file', { pattern: 'main', path: 'src/a.py' }, ['/src/a.py:2', '/src/a.py:3']],
    [
      'one folder, and nothing below when not recursive',
      { pattern: 'x', path: 'src', recursive: 'false' },
      ['/src/Test_One.py:1'],
    ],
  ])('finds %s', async (_, properties, lines) => {
    expect(hits(await run('grep_file', properties, tree))).toEqual(lines);
  });

  it.each([
    ['1', true, ['/Docs/r.md:1', '/Docs/r.md:2']],
    ['2', false, ['/Docs/r.md:1', '/Docs/r.md:2', '/src/a.py:2', '/src/a.py:3']],
  ])('counts files, not lines, up to maxResults %s', async (maxResults, truncated, lines) => {
    const envelope = await run('grep_file', { pattern: 'main', maxResults }, tree);
    expect([envelope.result.truncated, hits(envelope)]).toEqual([truncated, lines]);
  });

  it.each([undefined, 'false'])(
    'gives 100 files when not asked for another number, with showLines %s',
    async (showLines) => {
      const { result } = await run('grep_file', { pattern: 'hit', showLines }, many(101));
      expect([result.count, result.truncated, result.truncated_by]).toEqual([100, true, 'maxResults']);
    },
  );

  it.each([
    ['true', '/Docs/r.md:1:MAIN\n/Docs/r.md:2:main\n/src/a.py:2:Main = 1\n/src/a.py:3:main = 2\n'],
    ['false', '/Docs/r.md\n/src/a.py\n'],
  ])('with showLines %s shows %j', async (showLines, content) => {
    expect((await run('grep_file', { pattern: 'main', showLines }, tree)).content).toBe(content);
  });
});

describe('read_file', () => {
  it.each([
    ['folder and name', { filePath: 'config/', fileName: 'app.json' }],
    ['a folder without a slash', { filePath: 'config', fileName: 'app.json' }],
    ['the whole path as filePath', { filePath: 'config/app.json' }],
    ['the whole path as filePath, and no name', { filePath: 'config/app.json', fileName: '' }],
    ['the whole path as fileName', { fileName: 'config/app.json' }],
    ['the whole path as fileName, below ./', { filePath: './', fileName: 'config/app.json' }],
    ['the name said twice', { filePath: 'config/app.json', fileName: 'app.json' }],
    ['the folder said twice', { filePath: 'config/', fileName: 'config/app.json' }],
    ['all said twice', { filePath: 'config/app.json', fileName: 'config/app.json' }],
    ['an absolute folder', { filePath: '/config', fileName: 'app.json' }],
    ['dots before it', { filePath: './config/', fileName: './app.json' }],
  ])('reads what %s name', async (_, properties) => {
    const { content, result } = await run('read_file', properties);
    expect([result.path, content]).toEqual(['/config/app.json', '{"port":1}\n']);
  });

  it('reads a file in a folder of the same name', async () => {
    const { content } = await run('read_file', { filePath: 'a/', fileName: 'a' }, { 'a/a': 'inner' });
    expect(content).toBe('inner');
  });

  it("reads what the root's own host path names", async () => {
    const { execute, root } = await serviceOf(TREE);
    const properties = { filePath: `${root}/config`, fileName: 'app.json' };
    expect((await execute({ action: 'read_file', properties })).json().result.path).toBe('/config/app.json');
  });

  it.each([
    ['all of it when given zeros', { startLine: '1', endLine: '0', maxBytes: '0' }, 'notes\nline 2\nline 3\n'],
    ['from a line on', { startLine: '2', endLine: '0' }, 'line 2\nline 3\n'],
    ['up to a line', { startLine: 1, endLine: '2' }, 'notes\nline 2\n'],
    [
      'up to a number of bytes, told in brackets',
      { maxBytes: '6' },
      'notes\n[Truncated: there is more. Go on with startLine=2.]\n',
    ],
  ])('reads %s', async (_, properties, content) => {
    expect((await run('read_file', { fileName: 'notes.txt', ...properties })).content).toBe(content);
  });

  it('reads other encodings', async () => {
    const tree = { 'g.txt': Buffer.from('d6d0cec4', 'hex') };
    expect((await run('read_file', { fileName: 'g.txt', encoding: 'gbk' }, tree)).content).toBe('中文');
  });
});

describe('fs_search', () => {
  it.each([
    [
      'text as it is, in this case alone, in every file',
      { mode: 'grep', pattern: 'main' },
      ['/node_modules/x/n.py', '/src/a.py'],
    ],
    ['no regex', { mode: 'grep', pattern: 'ma.n' }, []],
    ['paths that match, noise among them', { mode: 'glob', pattern: '**/n.py' }, ['/node_modules/x/n.py']],
    ['one level of a folder, hidden entries among it', { mode: 'ls', path: '.hid' }, ['/.hid/h.py']],
    ['what is below a path that looks absolute', { mode: 'ls', path: '/config' }, ['/config/app.json']],
  ])('gives %s', async (_, properties, paths) => {
    expect(pathsIn(await run('fs_search', properties))).toEqual(paths);
  });

  it.each([
    ['glob', { pattern: '*.dat' }],
    ['grep', { pattern: 'hit' }],
    ['ls', {}],
  ])("gives as much as the server's cap allows in mode %s", async (mode, more) => {
    const { result } = await run('fs_search', { mode, ...more }, many(101), { maxResults: 101 });
    expect([result.count, result.truncated]).toEqual([101, false]);
  });

  it("is cut at the server's cap, and says that it was the limit", async () => {
    const { result } = await run('fs_search', { mode: 'glob', pattern: '*.dat' }, many(5), { maxResults: 4 });
    expect([result.count, result.truncated_by]).toEqual([4, 'limit']);
  });
});
