import { lstatSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Handle } from '../../src/workspace/handle.ts';
import { native } from '../../src/workspace/native.ts';
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
