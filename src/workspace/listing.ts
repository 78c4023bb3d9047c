import { type Dirent, readdirSync, type Stats } from 'node:fs';
import type { Handle } from './handle.ts';
import { type Bytes, isAscii, toText } from './names.ts';
import type { RawEntries } from './native.ts';

export type { Stats };

export type Kind = 'file' | 'directory' | 'symlink' | 'other';

/** The entries of a folder in code-point order; the arrays go together. */
export interface Listing {
  readonly names: readonly Bytes[];
  /** The names, decoded; the very same array when all of them are ASCII. */
  readonly texts: readonly string[];
  readonly kinds: readonly Kind[];
}

const DT_UNKNOWN = 0;
/** Of `d_type` (readdir(3)). */
const KINDS = new Map<number, Kind>([
  [4, 'directory'],
  [8, 'file'],
  [10, 'symlink'],
]);

/** Reads what the held folder holds. */
export function readListing(folder: Handle): Listing {
  const raw = folder.rawEntries();
  return raw === undefined || raw.types.includes(DT_UNKNOWN) ? readByPath(folder) : toListing(raw);
}

function toListing({ names, types }: RawEntries): Listing {
  const order = names.map((_, at) => at);
  order.sort((a, b) => ((names[a] ?? '') < (names[b] ?? '') ? -1 : 1));
  const sorted = order.map((at) => names[at] ?? '');
  const kinds = order.map((at) => KINDS.get(types[at] ?? DT_UNKNOWN) ?? 'other');
  return { names: sorted, texts: textsOf(sorted), kinds };
}

function textsOf(names: readonly Bytes[]): readonly string[] {
  return names.every(isAscii) ? names : names.map(toText);
}

function readByPath(folder: Handle): Listing {
  const entries = readEntries(folder);
  if (!areSorted(entries)) entries.sort(byName);
  const names = entries.map((entry) => entry.name);
  return { names, texts: textsOf(names), kinds: entries.map(kindOf) };
}

/** The entries of the held folder, with names in bytes. */
export function readEntries(folder: Handle): Dirent[] {
  try {
    return readdirSync(folder.self, { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // On a file system that does not tell types, Node stats each name as if it were UTF-8 text.
    const dirents = readdirSync(folder.self, { withFileTypes: true, encoding: 'buffer' });
    return dirents.map((dirent) => Object.assign(Object.create(dirent), { name: dirent.name.toString('latin1') }));
  }
}

export function kindOf(entry: Dirent | Stats): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Whether they stand in order already, as Node gives them wherever it can. */
function areSorted(entries: readonly Dirent[]): boolean {
  for (let at = 1; at < entries.length; at += 1) {
    if ((entries[at - 1]?.name ?? '') > (entries[at]?.name ?? '')) return false;
  }
  return true;
}

function byName(a: Dirent, b: Dirent): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
