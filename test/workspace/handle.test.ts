import { closeSync, mkdirSync, readdirSync, readSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONTAINMENT, Handle } from '../../src/workspace/handle.ts';
import { descriptorsOf } from '../helpers/proc.ts';
import { plant, type Tree } from '../helpers/tree.ts';

const isStrict = CONTAINMENT === 'strict';

/** Holds the top of a planted tree while `use` runs. */
function holding<T>(tree: Tree, use: (top: Handle, root: string) => T): T {
  const root = plant(tree);
  const top = Handle.ofHostPath(root);
  try {
    return use(top, root);
  } finally {
    top.close();
  }
}

function closing<T>(handle: Handle, use: (handle: Handle) => T): T {
  try {
    return use(handle);
  } finally {
    handle.close();
  }
}

function textOf(handle: Handle): string {
  const fd = handle.openForReading();
  try {
    const bytes = Buffer.alloc(100);
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

describe.skipIf(!isStrict)(isStrict ? 'a held entry' : 'a held entry (SKIPPED: needs Linux with /proc)', () => {
  it('stays the same file when its name is given to another', () => {
    holding({ f: 'first', other: 'second' }, (top, root) =>
      closing(top.open('f'), (held) => {
        renameSync(join(root, 'other'), join(root, 'f'));
        expect(textOf(held)).toBe('first');
      }),
    );
  });

  it('stays the same folder when a link is put in its place', () => {
    holding({ 'd/in': 'inside', '../out/in': 'outside' }, (top, root) =>
      closing(top.openDirectory('d'), (held) => {
        renameSync(join(root, 'd'), join(root, 'moved'));
        symlinkSync('../out', join(root, 'd'));
        expect(readdirSync(held.self)).toEqual(['in']);
        expect(closing(held.open('in'), textOf)).toBe('inside');
      }),
    );
  });

  it('is a link itself and not what it leads to', () => {
    holding({ f: '', link: { linkTo: 'f' } }, (top) =>
      closing(top.open('link'), (held) => expect(held.stats().isSymbolicLink()).toBe(true)),
    );
  });

  it('is a folder that was deleted meanwhile, as an empty one that takes no more entries', () => {
    holding({ d: null }, (top, root) =>
      closing(top.openDirectory('d'), (held) => {
        rmSync(join(root, 'd'), { recursive: true });
        mkdirSync(join(root, 'd/e'), { recursive: true });
        expect(() => held.openDirectory('e')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
      }),
    );
  });

  it.each<[what: string, tree: Tree]>([
    ['a file', { x: '' }],
    ['a link to a folder', { d: null, x: { linkTo: 'd' } }],
    ['a FIFO', { x: { fifo: true } }],
  ])('is no folder when it is %s', (_, tree) => {
    holding(tree, (top) => expect(() => top.openDirectory('x')).toThrow(expect.objectContaining({ code: 'ENOTDIR' })));
  });

  it('is opened under each folder on its way', () => {
    holding({ 'a/b/c/f': 'deep' }, (top) =>
      closing(top.openThrough(['a', 'b', 'c']), (held) => expect(readdirSync(held.self)).toEqual(['f'])),
    );
  });

  it('is not reached through a link on its way', () => {
    holding({ 'a/b/f': '', l: { linkTo: 'a' } }, (top) =>
      expect(() => top.openThrough(['l', 'b'])).toThrow(expect.objectContaining({ code: 'ENOTDIR' })),
    );
  });

  it('is the handle itself at the end of no names', () => {
    holding({}, (top) => expect(top.openThrough([])).toBe(top));
  });

  it('is held if it is there', () => {
    holding({ f: 'text', l: { linkTo: 'nowhere' } }, (top) => {
      expect(top.openIfThere('gone')).toBeUndefined();
      for (const name of ['f', 'l']) closing(top.openIfThere(name) ?? top, (held) => expect(held).not.toBe(top));
      expect(() => top.openIfThere('f\0')).toThrow();
      expect(() => top.openIfThere('f/x')).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
    });
  });

  it('leaves no descriptor open when its way ends early', () => {
    holding({ 'a/b/f': '' }, (top) => {
      const before = descriptorsOf(process.pid);
      for (const names of [['x'], ['a', 'x'], ['a', 'b', 'f'], ['a', 'b', 'x', 'y']]) {
        expect(() => top.openThrough(names)).toThrow();
      }
      expect(descriptorsOf(process.pid)).toBe(before);
    });
  });

  it('is opened for reading at once when it is a FIFO that nobody writes to', () => {
    holding({ p: { fifo: true } }, (top) => closing(top.open('p'), (held) => closeSync(held.openForReading())));
  });
});
