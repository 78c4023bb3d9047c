import { distance } from 'fastest-levenshtein';
import { parsePath } from './asked-path.ts';
import type { Handle } from './handle.ts';
import { type Kind, kindOf, readEntries } from './listing.ts';
import { type Bytes, isFaithful, toText } from './names.ts';
import type { Policy } from './policy.ts';

const MAX_SUGGESTIONS = 3;
/** Entries of the folder that are compared, of those that may be suggested: a folder of millions is not worth the wait. */
const MAX_COMPARED = 5000;

/** What is at a path of these names, when it is there and allowed. */
export type KindAt = (names: readonly Bytes[]) => Kind | undefined;

/**
 * Paths that exist and are allowed, nearest first, for one that was not found:
 * the same with slashes for backslashes; then entries of its deepest existing
 * folder whose names resemble the missing one, with what was to be below them
 * where that is there.
 */
export function suggest(root: Handle, policy: Policy, missing: readonly Bytes[], kindAt: KindAt): string[] {
  const slashed = withSlashes(missing);
  const kind = slashed === undefined ? undefined : kindAt(slashed);
  const spelled = slashed === undefined || kind === undefined ? [] : [shown(slashed, kind)];
  return [...spelled, ...resembling(root, policy, missing, kindAt)].slice(0, MAX_SUGGESTIONS);
}

/** The same path with slashes for backslashes, if it has any and is one then. */
function withSlashes(names: readonly Bytes[]): readonly Bytes[] | undefined {
  if (!names.some((name) => name.includes('\\')) || !isTextual(names)) return undefined;
  try {
    return parsePath(`/${names.map(toText).join('/').replaceAll('\\', '/')}`).segments;
  } catch {
    return undefined;
  }
}

function resembling(root: Handle, policy: Policy, missing: readonly Bytes[], kindAt: KindAt): string[] {
  let folder = root;
  let depth = 0;
  try {
    for (const name of missing.slice(0, -1)) {
      const next = tryOpen(folder, name);
      if (next === undefined) break;
      // What is below could not be sent back as text.
      if (!isTextual([name])) {
        next.close();
        return [];
      }
      if (folder !== root) folder.close();
      folder = next;
      depth += 1;
    }
    return nearest(folder, policy, missing, depth).map(({ name, kind }) => {
      const names = [...missing.slice(0, depth), name];
      const whole = [...names, ...missing.slice(depth + 1)];
      const wholeKind = whole.length === names.length || !isTextual(whole) ? undefined : kindAt(whole);
      return wholeKind === undefined ? shown(names, kind) : shown(whole, wholeKind);
    });
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

/** The entries of a folder whose names are most like the missing one that was looked for in it. */
function nearest(
  folder: Handle,
  policy: Policy,
  missing: readonly Bytes[],
  depth: number,
): { name: Bytes; kind: Kind }[] {
  const position = policy.at(missing.slice(0, depth));
  const wanted = toText(missing[depth] ?? '');
  const isLast = depth === missing.length - 1;
  const compared: { name: Bytes; text: string; kind: Kind; far: number }[] = [];
  for (const entry of readEntries(folder)) {
    if (compared.length === MAX_COMPARED) break;
    const { name } = entry;
    const text = toText(name);
    const kind = kindOf(entry);
    const isWanted = kind === 'directory' || (kind === 'file' && isLast);
    if (isWanted && isFaithful(name, text) && !position.blocks(text))
      compared.push({ name, text, kind, far: unlikeness(text, wanted) });
  }
  return compared
    .filter(({ far }) => far <= Math.max(1, wanted.length * 0.4))
    .sort((a, b) => a.far - b.far || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS);
}

function shown(names: readonly Bytes[], kind: Kind): string {
  return `/${names.map(toText).join('/')}${kind === 'directory' ? '/' : ''}`;
}

/** Whether the path says in text what it is in bytes. */
function isTextual(names: readonly Bytes[]): boolean {
  return names.every((name) => isFaithful(name, toText(name)));
}

function unlikeness(name: string, wanted: string): number {
  const a = name.toLowerCase();
  const b = wanted.toLowerCase();
  return a === b ? 0 : distance(a, b);
}
