import { describe, expect, it } from 'vitest';
import { workspaceAt, workspaceOf } from '../helpers/operations.ts';
import { plant, type Tree } from '../helpers/tree.ts';

const TREE: Tree = { f: '', 'd/f': '', 'd/e/f': '', '.env': '', '.ssh/f': '', '../out/f': '', '../out/sub/f': '' };

/** What is told of the target of a link at `place`. */
function targetOf(target: string, place = 'link', more: Tree = {}): string | undefined {
  return workspaceOf({ ...TREE, ...more, [place]: { linkTo: target } }).linkTarget(`/${place}`);
}

describe('a link that stays inside and is allowed', () => {
  it.each([
    ['f', 'link', '/f'],
    ['./d//f', 'link', '/d/f'],
    ['../f', 'd/link', '/f'],
    ['../../f', 'd/e/link', '/f'],
    ['d', 'link', '/d/'],
    ['d/', 'link', '/d/'],
    ['.', 'link', '/'],
    ['..', 'd/link', '/'],
    ['nowhere', 'link', '/nowhere'],
    ['d/nowhere/x', 'link', '/d/nowhere/x'],
  ])('to %s at %s has the target %s', (target, place, told) => {
    expect(targetOf(target, place)).toBe(told);
  });

  it('tells its own text and not the end of its chain', () => {
    expect(targetOf('l2', 'link', { l2: { linkTo: 'd' } })).toBe('/l2/');
  });

  it('has a virtual target when it is absolute', () => {
    const root = plant(TREE);
    const workspace = workspaceAt(plant({ link: { linkTo: `${root}/d/f` } }, root.slice(0, -'/ws'.length)));
    expect(workspace.linkTarget('/link')).toBe('/d/f');
  });
});

describe('a link that may not be followed', () => {
  it.each([
    ['leaves', '../out/f'],
    ['leaves for nothing', '../out/nowhere'],
    ['leaves and comes back', '../ws/f'],
    ['is absolute', '/etc/passwd'],
    ['is absolute and spelled like a path inside', '/f'],
    ['leads to what is blocked', '.env'],
    ['leads to what would be blocked', '.env.local'],
    ['leads below a blocked folder', '.ssh/f'],
    ['passes a blocked folder', '.ssh/../f'],
    ['never ends', 'link'],
  ])('because it %s has no target', (_, target) => {
    expect(targetOf(target)).toBeUndefined();
  });

  it.each<[why: string, target: string, more: Tree]>([
    ['leaves', 'l2', { l2: { linkTo: '../out' } }],
    ['leads to what is blocked', 'l2', { l2: { linkTo: '.ssh' } }],
    ['leaves in the middle', 'l2/sub', { l2: { linkTo: '../out' } }],
    ['is blocked by its real name alone', 'l2/f', { l2: { linkTo: '.ssh' } }],
  ])('because a further one %s has no target', (_, target, more) => {
    expect(targetOf(target, 'link', more)).toBeUndefined();
  });
});
