import { describe, expect, test } from 'vitest';
import { pathsOf, type Reply, runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { plant, scratch } from '../helpers/tree.ts';

const tree = {
  'a.txt': 'text\n',
  'dir/b.txt': 'text\n',
  '.env': 'KEY=text\n',
  'sub/to-file': { linkTo: '../a.txt' },
  'sub/to-dir': { linkTo: '../dir' },
} as const;

/** The link's entry. */
async function linkOf(reply: Promise<Reply>, path: string) {
  return (await reply).entries.find((entry: { path: string }) => entry.path === path);
}

describe('in a list, a link', () => {
  test('is a symlink of size 0 that is no directory, wherever it leads', async () => {
    const { ls } = runnerOn(tree);

    expect((await ls({ path: 'sub' })).entries).toMatchObject([
      { path: '/sub/to-dir', is_dir: false, size: 0, type: 'symlink', target: '/dir/' },
      { path: '/sub/to-file', is_dir: false, size: 0, type: 'symlink', target: '/a.txt' },
    ]);
  });

  test('tells its target without details, too', async () => {
    const { ls } = runnerOn({ a: '', link: { linkTo: 'a' } });

    expect(await linkOf(ls({ showDetails: false }), '/link')).toEqual({
      path: '/link',
      is_dir: false,
      type: 'symlink',
      target: '/a',
    });
  });

  test.each([
    ['a file that is not there', 'nothing/here', '/nothing/here'],
    ['another link', 'sub/to-file', '/sub/to-file'],
    ['a folder, by a text with dots', './sub/../dir/.', '/dir/'],
    ['the root', '.', '/'],
  ])('to %s has what it names as its target', async (_, linkTo, target) => {
    const { ls } = runnerOn({ ...tree, link: { linkTo } });

    expect((await linkOf(ls(), '/link')).target).toBe(target);
  });

  test('with an absolute text below the root has a target', async () => {
    const folder = scratch();
    const root = plant({ 'dir/a': '', link: { linkTo: `${folder}/ws/dir` } }, folder);

    expect((await linkOf(runnerOf(workspaceAt(root)).ls(), '/link')).target).toBe('/dir/');
  });

  test('names the file that it leads to when its text goes up out of another link', async () => {
    const { ls, read } = runnerOn({
      'deep/folder': null,
      'deep/x': 'right',
      x: 'wrong',
      over: { linkTo: 'deep/folder' },
      link: { linkTo: 'over/../x' },
    });

    const { target } = await linkOf(ls(), '/link');

    expect((await read({ path: target })).content).toBe('right');
  });

  test.each([
    ['outside, by climbing', '../outside'],
    ['outside and back again', '../ws/a.txt'],
    ['outside, by an absolute text', '/etc/passwd'],
    ['outside, over another link', 'climbs/etc'],
    ['a blocked file', '.env'],
    ['a blocked file that is not there', '.ssh/id_rsa'],
    ['itself', 'link'],
  ])('to %s has no target', async (_, linkTo) => {
    const { ls } = runnerOn({ ...tree, climbs: { linkTo: '..' }, link: { linkTo } });

    expect(await linkOf(ls({ showDetails: false }), '/link')).toEqual({
      path: '/link',
      is_dir: false,
      type: 'symlink',
    });
  });
});

describe('a walk', () => {
  test('of ls shows links and does not follow them', async () => {
    const { ls } = runnerOn({ ...tree, 'dir/loop': { linkTo: '..' } });

    expect(pathsOf(await ls({ path: 'dir', recursive: true }))).toEqual(['/dir/b.txt', '/dir/loop']);
  });

  test.each([['file'], ['directory']])('of find with type=%s leaves links out', async (type) => {
    expect((await runnerOn(tree).find({ pattern: 'to-*', type })).matches).toEqual([]);
  });

  test('of find with type=any shows links with their targets', async () => {
    expect((await runnerOn(tree).find({ pattern: 'to-*', type: 'any' })).matches).toMatchObject([
      { path: '/sub/to-dir', type: 'symlink', target: '/dir/' },
      { path: '/sub/to-file', type: 'symlink', target: '/a.txt' },
    ]);
  });

  test.each([['file'], ['directory']])('of glob with type=%s leaves links out', async (type) => {
    expect((await runnerOn(tree).glob({ pattern: 'sub/**', type })).matches.length).toBe(type === 'file' ? 0 : 1);
  });

  test('of glob does not go through a link to a folder', async () => {
    expect((await runnerOn(tree).glob({ pattern: 'sub/to-dir/b.txt' })).matches).toEqual([]);
  });

  test('of grep does not search through links', async () => {
    expect(pathsOf(await runnerOn(tree).grep({ pattern: 'text' }))).toEqual(['/a.txt', '/dir/b.txt']);
  });
});

describe('a path through a link', () => {
  test('lists the folder behind it, under the path that was asked for', async () => {
    const reply = await runnerOn(tree).ls({ path: 'sub/to-dir' });

    expect([reply.path, pathsOf(reply)]).toEqual(['/sub/to-dir/', ['/sub/to-dir/b.txt']]);
  });

  test.each([
    ['find', { pattern: 'b.txt' }],
    ['glob', { pattern: 'b.*' }],
    ['grep', { pattern: 'text' }],
  ] as const)('is searched by %s, under the path that was asked for', async (operation, fields) => {
    const reply = await runnerOn(tree)[operation]({ path: 'sub/to-dir', ...fields });

    expect(pathsOf(reply)).toEqual(['/sub/to-dir/b.txt']);
  });

  test('to a file is read and searched under that path', async () => {
    const { grep, read } = runnerOn(tree);

    expect([
      (await read({ path: 'sub/to-file' })).path,
      pathsOf(await grep({ path: 'sub/to-file', pattern: 'text' })),
    ]).toEqual(['/sub/to-file', ['/sub/to-file']]);
  });

  test.each(['ls', 'find', 'glob', 'grep', 'read'] as const)(
    'that leaves the root is refused by %s',
    async (operation) => {
      const { [operation]: act } = runnerOn({ ...tree, up: { linkTo: '..' } });
      const pattern = operation === 'ls' || operation === 'read' ? {} : { pattern: 'x' };

      await expect(act({ path: 'up', ...pattern })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_ROOT' });
    },
  );
});
