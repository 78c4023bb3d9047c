import { describe, expect, test } from 'vitest';
import { pathsOf, runnerOn } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';
import type { Tree } from '../helpers/tree.ts';

/** The files that are left when .gitignore files hold, themselves aside. */
async function left(tree: Tree, path = '/'): Promise<string[]> {
  const reply = await runnerOn(tree).find({ pattern: '*', path, gitignore: true, excludeGlob: [] });
  return pathsOf(reply).filter((shown) => !shown.endsWith('/.gitignore'));
}

describe('a line of .gitignore', () => {
  test.each<[rule: string, gitignore: string, tree: Tree, paths: string[]]>([
    ['without a slash holds at any depth', '*.log', { 'a.log': '', 'd/b.log': '', c: '' }, ['/c']],
    ['with a leading slash holds in its folder alone', '/x', { x: '', 'd/x': '' }, ['/d/x']],
    ['with an inner slash holds from its folder on', 'd/x', { 'd/x': '', 'e/d/x': '' }, ['/e/d/x']],
    ['with a trailing slash is about folders', 'x/', { 'a/x': '', 'x/f': '', 'b/x/f': '' }, ['/a/x']],
    ['about a folder holds for all below', 'd', { 'd/e/f': '', g: '' }, ['/g']],
    ['takes back what one before it ignored', '*.log\n!keep.log', { 'a.log': '', 'keep.log': '' }, ['/keep.log']],
    ['is overruled by one after it', '!a\na', { a: '', b: '' }, ['/b']],
    ['cannot take back what lies in an ignored folder', 'd/\n!d/keep', { 'd/keep': '' }, []],
    ['takes back from a folder whose content is ignored', 'd/*\n!d/keep', { 'd/keep': '', 'd/x': '' }, ['/d/keep']],
    [
      'with `/**` is about the content and leaves the folder',
      'd/**\n!d/keep',
      { 'd/keep': '', 'd/x': '' },
      ['/d/keep'],
    ],
    ['with `**/` holds at any depth', '**/x/y', { 'x/y': '', 'a/b/x/y': '', 'a/y': '' }, ['/a/y']],
    ['with `/**/` spans folders, none too', 'a/**/z', { 'a/z': '', 'a/b/c/z': '', z: '' }, ['/z']],
    ['does not let `*` cross a slash', 'a/*.c', { 'a/x.c': '', 'a/b/x.c': '' }, ['/a/b/x.c']],
    ['may quote with a backslash', '\\#a\n\\!b', { '#a': '', '!b': '', c: '' }, ['/c']],
    ['that begins with # is a comment', '#a\nb', { '#a': '', b: '' }, ['/#a']],
    ['loses blanks at its end', 'a  \nb', { a: '', b: '', c: '' }, ['/c']],
    ['keeps a quoted blank at its end', 'a\\ ', { 'a ': '', a: '' }, ['/a']],
    ['has braces literally', '{a,b}', { a: '', '{a,b}': '' }, ['/a']],
    ['has brackets', '[a-c].[!o]', { 'b.x': '', 'b.o': '', 'd.x': '' }, ['/b.o', '/d.x']],
    ['may end in CRLF', 'a\r\nb\r\n', { a: '', b: '', c: '' }, ['/c']],
    ['that is no pattern is passed by', 'a/../b\n\nc', { c: '', 'a/b': '' }, ['/a/b']],
    ['minds case', 'A', { 'd/A': '', a: '' }, ['/a']],
  ])('%s', async (_, gitignore, tree, paths) => {
    expect(await left({ ...tree, '.gitignore': gitignore })).toEqual(paths);
  });
});

describe('a .gitignore', () => {
  test('in a folder holds there and below, relative to it', async () => {
    const tree = { 'd/.gitignore': '/x\n*.log\n', 'd/x': '', 'd/e/x': '', 'd/e/a.log': '', 'a.log': '', x: '' };

    expect(await left(tree)).toEqual(['/a.log', '/d/e/x', '/x']);
  });

  test('nearer to a file overrules those above it', async () => {
    const tree = {
      '.gitignore': '*.log\n',
      'd/.gitignore': '!keep.log\n',
      'd/keep.log': '',
      'd/x.log': '',
      'keep.log': '',
    };

    expect(await left(tree)).toEqual(['/d/keep.log']);
  });

  test('above the path still holds', async () => {
    const tree = {
      '.gitignore': '*.log\n/d/e/x\n',
      'd/.gitignore': 'y\n',
      'd/e/a.log': '',
      'd/e/x': '',
      'd/e/y': '',
      'd/e/z': '',
    };

    expect(await left(tree, 'd/e')).toEqual(['/d/e/z']);
  });

  test('that is a link, a folder or a FIFO holds nothing', async () => {
    expect(await left({ rules: 'a\n', '.gitignore': { linkTo: 'rules' }, a: '' })).toEqual(['/a', '/rules']);
    expect(await left({ '.gitignore/x': '', a: '' })).toEqual(['/.gitignore/x', '/a']);
    expect(await left({ '.gitignore': { fifo: true }, a: '' })).toEqual(['/a']);
  });

  test('below an ignored folder is not read: what is ignored stays so', async () => {
    expect(await left({ '.gitignore': 'd/\n', 'd/.gitignore': '!x\n', 'd/x': '' })).toEqual([]);
  });

  test('may be empty, or hold comments alone', async () => {
    expect(await left({ '.gitignore': '', 'd/.gitignore': '# nothing\n', 'd/a': '' })).toEqual(['/d/a']);
  });

  test('may begin with a byte order mark', async () => {
    expect(await left({ '.gitignore': '\ufeffa\n', a: '', b: '' })).toEqual(['/b']);
  });
});

describe('an operation leaves out what is ignored, and counts it', () => {
  const tree = {
    '.gitignore': 'out/\n*.log\n!keep.log\n',
    'out/a': 'hit\n',
    'a.log': 'hit\n',
    'keep.log': 'hit\n',
    b: 'hit\n',
  };

  test.each([
    ['ls', { recursive: true, includeGlob: ['[!.]*'] }],
    ['find', { pattern: '[!.]*' }],
    ['glob', { pattern: '[!.]*' }],
    ['grep', { pattern: 'hit' }],
  ] as const)('%s %j', async (operation, fields) => {
    const reply = await runnerOn(tree)[operation]({ ...fields, gitignore: true });

    expect([pathsOf(reply), reply.skipped]).toEqual([['/b', '/keep.log'], skipped({ ignored: 2 })]);
  });

  test('and an include brings nothing of it back', async () => {
    const reply = await runnerOn(tree).grep({ pattern: 'hit', gitignore: true, includeGlob: ['*.log', 'out/*'] });

    expect(pathsOf(reply)).toEqual(['/keep.log']);
  });

  test('and a file that the path names is searched all the same', async () => {
    expect(pathsOf(await runnerOn(tree).grep({ pattern: 'hit', gitignore: true, path: 'a.log' }))).toEqual(['/a.log']);
  });
});
