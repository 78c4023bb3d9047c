import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Handle } from '../../src/workspace/handle.ts';
import { closeMarked, type Native, native, newMarks } from '../../src/workspace/native.ts';
import { plant } from '../helpers/tree.ts';

/** The held folder's descriptor. */
function descriptorOf(handle: Handle): number {
  const { reference } = handle;
  return 'fd' in reference ? reference.fd : -1;
}

it.runIf(native !== undefined)('tells of a file what Node tells of it', () => {
  const root = plant({
    'a/b': 'x',
    é: 'xyz',
    'a b': '',
    'a\nb': 'x',
    l: { linkTo: 'a/b' },
    gone: { linkTo: 'nowhere' },
  });
  symlinkSync('/', join(root, 'out'));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('a\xffb', 'latin1')]), '12');
  writeFileSync(join(root, 'large'), '');
  truncateSync(join(root, 'large'), 5 * 2 ** 32 + 1);
  utimesSync(join(root, 'a/b'), -1.5, -1_000_000.25);
  utimesSync(join(root, 'a b'), 1, 5_000_000_000.123);
  const handle = Handle.ofHostPath(root);
  const fd = descriptorOf(handle);

  for (const path of ['a', 'a/b', 'a b', 'a\nb', 'l', 'gone', 'out', 'large', '\xc3\xa9', 'a\xffb']) {
    const stats = lstatSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]), { bigint: true });
    const { size, mtimeMs } = native?.details(fd, path) ?? {};
    expect([path, BigInt(size ?? -1)]).toEqual([path, stats.size]);
    expect(mtimeMs).toBeCloseTo(Number(stats.mtimeNs) / 1e6, 2);
    const identity = native?.identity(fd, path);
    expect(identity).toEqual({
      dev: Number(stats.dev),
      ino: [Number(stats.ino >> 32n), Number(stats.ino & 0xffff_ffffn)],
      mode: Number(stats.mode),
      nlink: Number(stats.nlink),
      mtime: inSeconds(stats.mtimeNs),
      ctime: inSeconds(stats.ctimeNs),
    });
  }
  expect(native?.identity(fd, '')?.ino[1]).toBe(Number(statSync(root, { bigint: true }).ino & 0xffff_ffffn));
  expect(native?.details(fd, 'none')).toBeUndefined();
  expect(native?.details(fd, 'l/x')).toBeUndefined();
  handle.close();
});

function inSeconds(nanoseconds: bigint): [bigint | number, number] {
  const seconds = nanoseconds / 1_000_000_000n - (nanoseconds % 1_000_000_000n < 0n ? 1n : 0n);
  return [Number(seconds), Number(nanoseconds - seconds * 1_000_000_000n)];
}

describe.runIf(native !== undefined)('what is opened by descriptor and name', () => {
  const calls = native as Native;
  const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const READING = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

  function open(root: string, path: string, flags = READING): number {
    const folder = Handle.ofHostPath(root);
    try {
      const descriptor = calls.open(descriptorOf(folder), path, flags);
      onTestFinished(() => calls.close(descriptor));
      return descriptor;
    } finally {
      folder.close();
    }
  }

  it('is read and described as Node does, under any name', () => {
    const root = plant({ é: 'content', 'a b': '', d: null, p: { fifo: true } });
    const bytes = Buffer.alloc(100);

    const file = open(root, '\xc3\xa9');
    expect(bytes.toString('utf8', 0, calls.read(file, bytes, 0))).toBe('content');
    expect(bytes.toString('utf8', 0, calls.read(file, bytes, 3))).toBe('tent');
    expect(calls.read(file, bytes, 2 ** 40)).toBe(0);
    expect(calls.facts(file)).toEqual({ isRegular: true, size: 7 });
    expect(calls.facts(open(root, 'a b'))).toEqual({ isRegular: true, size: 0 });
    expect(calls.facts(open(root, 'p'))?.isRegular).toBe(false);
    expect(calls.facts(open(root, 'd'))?.isRegular).toBe(false);
    expect(calls.facts(-1)).toBeUndefined();
  });

  it('is not for the processes that are started', () => {
    const descriptor = open(plant({ f: '' }), 'f');
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    expect(Number.parseInt(flags ?? '', 8) & 0o2000000).not.toBe(0);
  });

  it.each([
    ['nothing', 'none', READING, 'ENOENT'],
    ['a link', 'l', READING, 'ELOOP'],
    ['no folder', 'f', READING | O_DIRECTORY, 'ENOTDIR'],
    ['a name that is too long', 'x'.repeat(300), READING, 'ENAMETOOLONG'],
  ])('is refused for %s as Node refuses it', (_, name, flags, code) => {
    const root = plant({ f: '', l: { linkTo: 'f' } });
    expect(() => openSync(join(root, name), flags)).toThrow(expect.objectContaining({ code }));
    expect(() => open(root, name, flags)).toThrow(expect.objectContaining({ code }));
  });

  it('is not what stands before a NUL in a name', () => {
    expect(() => open(plant({ f: '' }), 'f\0x')).toThrow(expect.objectContaining({ code: 'EINVAL' }));
  });

  it('that cannot be read throws as Node does', () => {
    const descriptor = open(plant({ d: null }), 'd');
    expect(() => calls.read(descriptor, Buffer.alloc(8), 0)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  });

  it('lists a folder of any size, and lists it again', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `${'long-'.repeat(at % 40)}é${at}`);
    const root = plant({ ...Object.fromEntries(names.map((name) => [name, ''])), d: null, l: { linkTo: 'd' } });
    mkdirSync(Buffer.from(`${root}/a\xff`, 'latin1'));
    const folder = open(root, '.');

    for (let time = 0; time < 2; time += 1) {
      const { names: found = [], types = [] } = calls.entries(folder) ?? {};
      expect(found.toSorted()).toEqual(readdirSync(root, 'latin1').sort());
      const typeOf = (name: string) => types[found.indexOf(name)];
      expect([typeOf('d'), typeOf('l'), typeOf('\xc3\xa90'), typeOf('a\xff')]).toEqual([4, 10, 8, 4]);
    }
    expect(calls.entries(open(root, '\xc3\xa90'))).toBeUndefined();
  });

  it('is closed for a thread that is no more, and nothing else is', () => {
    const root = plant({ left: '', closed: '' });
    const marks = newMarks();
    calls.markOpen(marks);
    onTestFinished(() => calls.markOpen(newMarks()));
    const folder = Handle.ofHostPath(root);
    const left = calls.open(descriptorOf(folder), 'left', READING);
    folder.close();
    const other = openSync(join(root, 'closed'), 'r');

    closeMarked(marks);
    expect(() => fstatSync(left)).toThrow(expect.objectContaining({ code: 'EBADF' }));
    expect(fstatSync(other).isFile()).toBe(true);
    closeSync(other);
  });
});
