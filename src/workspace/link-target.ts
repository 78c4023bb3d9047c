import { NotFound } from '../errors.ts';
import { toVirtual } from './asked-path.ts';
import { type Bytes, toText } from './names.ts';
import type { Policy } from './policy.ts';
import { type Located, resolve } from './resolve.ts';
import type { Root } from './root.ts';

/**
 * The virtual path that the link at `names` names, when every hop of it stays
 * inside the root and is allowed; undefined otherwise, so that a link tells
 * nothing about what it may not lead to. A link to nothing, but inside, has a
 * target.
 */
export function linkTarget(root: Root, policy: Policy, names: readonly Bytes[]): string | undefined {
  const isFolder = leadsToFolder(root, policy, names);
  const target = isFolder === undefined ? undefined : ownTarget(root, policy, names);
  if (target === undefined || policy.blocks(target)) return undefined;
  const text = toText(toVirtual(target));
  return isFolder === true && text !== '/' ? `${text}/` : text;
}

/** Whether the whole chain ends at a folder; undefined when it may not be followed. */
function leadsToFolder(root: Root, policy: Policy, names: readonly Bytes[]): boolean | undefined {
  try {
    return using(resolve(root, policy, { segments: names, directoryOnly: false }), ({ stats }) => stats.isDirectory());
  } catch (error) {
    return error instanceof NotFound ? false : undefined;
  }
}

function ownTarget(root: Root, policy: Policy, names: readonly Bytes[]): readonly Bytes[] | undefined {
  try {
    const parent = resolve(root, policy, { segments: names.slice(0, -1), directoryOnly: true });
    return using(parent, ({ handle, real }) => placeOf(handle.readLink(names.at(-1) ?? ''), real, root, policy));
  } catch {
    return undefined;
  }
}

/**
 * The names below the root that a link's text spells in a folder at `folder`;
 * undefined when it climbs out. `..` is the folder above the one that the names
 * before it lead to, by links or not. Throws when there is none.
 */
function placeOf(text: Bytes, folder: readonly Bytes[], root: Root, policy: Policy): readonly Bytes[] | undefined {
  const spelled = text.split('/').filter((name) => name !== '' && name !== '.');
  const names = text.startsWith('/') ? root.below(spelled) : spelled;
  if (names === undefined) return undefined;
  let place = text.startsWith('/') ? [] : [...folder];
  for (const name of names) {
    if (name !== '..') {
      place.push(name);
      continue;
    }
    place = using(resolve(root, policy, { segments: place, directoryOnly: true }), ({ real }) => [...real]);
    if (place.pop() === undefined) return undefined;
  }
  return place;
}

function using<T>(located: Located, use: (located: Located) => T): T {
  try {
    return use(located);
  } finally {
    located.handle.close();
  }
}
