import { distance } from 'fastest-levenshtein';
import type { Handle } from './handle.ts';
import { kindOf, readEntries } from './listing.ts';
import { type Bytes, isFaithful, toText } from './names.ts';
import type { Policy } from './policy.ts';

const MAX_SUGGESTIONS = 3;
/** Entries of the folder that are compared: a folder of millions is not worth the wait. */
const MAX_COMPARED = 5000;

/**
 * Paths that exist and are allowed, nearest first, for one that was not found:
 * entries of its deepest existing folder whose names resemble the missing one.
 */
export function suggest(root: Handle, policy: Policy, missing: readonly Bytes[]): string[] {
  let folder = root;
  let depth = 0;
  try {
    for (const name of missing.slice(0, -1)) {
      const next = tryOpen(folder, name);
      if (next === undefined) break;
      if (folder !== root) folder.close();
      folder = next;
      depth += 1;
    }
    return nearest(folder, policy, missing.slice(0, depth), toText(missing[depth] ?? ''), missing.slice(depth + 1));
  } catch {
    return [];
  } finally {
    if (folder !== root) folder.close();
  }
}

function tryOpen(folder: Handle, name: Bytes): Handle | undefined {
  try {
    return folder.openDirectory(name);
  } catch {
    return undefined;
  }
}

function nearest(
  folder: Handle,
  policy: Policy,
  above: readonly Bytes[],
  wanted: string,
  rest: readonly Bytes[],
): string[] {
  const position = policy.at(above);
  const prefix = above.map((name) => `/${toText(name)}`).join('');
  return readEntries(folder)
    .filter((entry) => {
      const kind = kindOf(entry);
      const isWanted = kind === 'directory' || (kind === 'file' && rest.length === 0);
      return isWanted && isFaithful(entry.name, toText(entry.name)) && !position.blocks(toText(entry.name));
    })
    .slice(0, MAX_COMPARED)
    .map((entry) => ({ name: toText(entry.name), slash: entry.isDirectory() ? '/' : '' }))
    .map((entry) => ({ ...entry, far: unlikeness(entry.name, wanted) }))
    .filter(({ far }) => far <= Math.max(1, wanted.length * 0.4))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name, slash }) => `${prefix}/${name}${slash}`);
}

function unlikeness(name: string, wanted: string): number {
  const a = name.toLowerCase();
  const b = wanted.toLowerCase();
  return a === b ? 0 : distance(a, b);
}
