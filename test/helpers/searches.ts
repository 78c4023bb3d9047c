import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plant } from './tree.ts';

/** Larger files are not searched. */
const LARGEST = 4 * 1024 ** 3;

/** Folders whose names make each record of a search for `hit` some 2.6 KB long. */
const LONG_PATH = Array.from({ length: 10 }, (_, at) => String(at).repeat(255)).join('/');

/** What a record of `manyHits` takes in a stream, in bytes, at the least. */
export const RECORD_BYTES = LONG_PATH.length;

/** A tree with as many lines that hold `hit`, and long records for them. */
export function manyHits(lines: number): string {
  return plant({ [`${LONG_PATH}/f`]: 'hit\n'.repeat(lines), 'small.txt': 'small\n' });
}

/** A tree in which a search takes seconds, since its files have holes of gigabytes, which take no room. */
export function slowSearch(files = 8): string {
  const root = plant({ 'small.txt': 'small\n' });
  for (let at = 0; at < files; at += 1) {
    const path = join(root, `hole-${at}`);
    writeFileSync(path, '');
    truncateSync(path, LARGEST);
  }
  return root;
}

/** Queries for what is nowhere, by each of the engines: the service looks for literal text itself, ripgrep for the rest. */
export const ABSENT = { literal: 'pattern=absent', ripgrep: 'pattern=abs[e]nt&isRegex=true' };

/** The same for lines that hold `hit`. */
export const HITS = { literal: 'pattern=hit', ripgrep: 'pattern=h[i]t&isRegex=true' };
