import type { Stats } from 'node:fs';
import {
  Busy,
  Internal,
  NotADirectory,
  NotFound,
  PathBlocked,
  PathOutsideRoot,
  PermissionDenied,
  SymlinkLoop,
} from '../errors.ts';
import { type AskedPath, shorten, toVirtual } from './asked-path.ts';
import type { Handle } from './handle.ts';
import { isKernelInterface } from './mounts.ts';
import { type Bytes, toText } from './names.ts';
import type { Policy, PolicyPosition } from './policy.ts';
import type { Root } from './root.ts';

/** A file or folder that `resolve` has let through, held. The caller closes `handle`. */
export interface Located {
  handle: Handle;
  stats: Stats;
  /** As asked: how replies show it. */
  shown: readonly Bytes[];
  /** The same file without links. */
  real: readonly Bytes[];
}

/** path_resolution(7): the kernel gives up after as many. */
const MAX_LINKS = 40;
/** Folders opened on the way that links send us, at most: `..` goes all the way again, and a link may be full of them. */
const MAX_DETOUR = 4096;
const MAX_ATTEMPTS = 4;
const SWAPPED = new Set<unknown>(['EINVAL', 'ELOOP', 'ENOTDIR']);

/**
 * Finds what a caller's path leads to, one component at a time: each is held
 * under the folder before it, links are taken apart here and not by the kernel,
 * and the policy is asked about each real name before it is touched. A link
 * that climbs above the root, or is absolute and not spelled below it, ends the
 * search before anything outside is looked at; so the answer tells nothing
 * about what is there, and a process that swaps names meanwhile gains nothing.
 *
 * Throws PATH_BLOCKED, PATH_OUTSIDE_ROOT, NOT_FOUND, NOT_A_DIRECTORY,
 * PERMISSION_DENIED, SYMLINK_LOOP.
 */
export function resolve(root: Root, policy: Policy, asked: AskedPath): Located {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return new Resolution(root, policy, asked).run();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !wasSwapped(error)) throw error;
    }
  }
}

/** What a name that changes its type between two system calls looks like. */
function wasSwapped(error: unknown): boolean {
  const cause = error instanceof NotFound ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && SWAPPED.has(cause.code);
}

class Resolution {
  readonly #root: Root;
  readonly #policy: Policy;
  readonly #asked: AskedPath;
  readonly #path: string;
  /** Names still to be walked, last first. */
  #todo: Bytes[];
  #real: Bytes[] = [];
  #current: Handle;
  #stats: Stats;
  #links = 0;
  /** Folders that may still be opened. */
  #opensLeft: number;
  #position: PolicyPosition;

  constructor(root: Root, policy: Policy, asked: AskedPath) {
    this.#root = root;
    this.#policy = policy;
    this.#asked = asked;
    this.#path = shorten(toText(toVirtual(asked.segments)));
    this.#todo = [...asked.segments].reverse();
    this.#current = root.handle;
    this.#stats = root.handle.stats();
    this.#opensLeft = asked.segments.length + MAX_DETOUR;
    this.#position = policy.atRoot();
  }

  run(): Located {
    if (this.#policy.blocks(this.#asked.segments)) throw new PathBlocked(this.#path);
    try {
      for (let name = this.#todo.pop(); name !== undefined; name = this.#todo.pop()) this.#step(name);
      if (this.#asked.directoryOnly && !this.#stats.isDirectory()) throw new NotADirectory(this.#path);
      const handle = this.#current === this.#root.handle ? this.#root.hold() : this.#current;
      return { handle, stats: this.#stats, shown: this.#asked.segments, real: this.#real };
    } catch (cause) {
      this.#moveTo(this.#root.handle);
      throw toPathError(cause, this.#path);
    }
  }

  #step(name: Bytes): void {
    if (name === '..') {
      if (this.#real.length === 0) throw new PathOutsideRoot(this.#path);
      this.#reopen(this.#real.slice(0, -1));
      return;
    }
    if (!this.#stats.isDirectory()) throw new NotFound(this.#path);
    if (name === '.') return;
    if (this.#position.blocks(toText(name))) throw new PathBlocked(this.#path);
    this.#spend(1);
    const parent = this.#stats;
    const held = this.#current.open(name);
    const stats = statsOf(held);
    if (stats.isSymbolicLink()) {
      held.close();
      this.#follow(this.#current.readLink(name));
      return;
    }
    this.#moveTo(held);
    if (stats.dev !== parent.dev && isKernelInterface(held)) throw new PermissionDenied(this.#path);
    this.#stats = stats;
    this.#real.push(name);
    this.#position = this.#position.enter(toText(name));
  }

  #follow(target: Bytes): void {
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw new SymlinkLoop(this.#path);
    const names = target.split('/').filter((name) => name !== '' && name !== '.');
    // A target that ends in a slash is a folder: the dot makes a file there an error.
    if (target.endsWith('/')) names.push('.');
    if (target.startsWith('/')) {
      const below = this.#root.below(names);
      if (below === undefined) throw new PathOutsideRoot(this.#path);
      this.#reopen([]);
      this.#todo.push(...[...below].reverse());
    } else {
      this.#todo.push(...names.reverse());
    }
    const ahead = this.#todo.filter((name) => name !== '.').reverse();
    if (!ahead.includes('..') && this.#position.blocksBelow(ahead)) throw new PathBlocked(this.#path);
  }

  /** Goes to a folder already walked through; a link in its way now was put there meanwhile. */
  #reopen(real: Bytes[]): void {
    this.#spend(real.length);
    this.#moveTo(this.#root.handle);
    this.#moveTo(this.#root.handle.openThrough(real));
    this.#stats = this.#current.stats();
    this.#real = real;
    this.#position = this.#policy.at(real);
  }

  #spend(opens: number): void {
    this.#opensLeft -= opens;
    if (this.#opensLeft < 0) throw new SymlinkLoop(this.#path);
  }

  #moveTo(handle: Handle): void {
    if (this.#current !== this.#root.handle && this.#current !== handle) this.#current.close();
    this.#current = handle;
  }
}

/** The held file's facts; it is closed when they cannot be had. */
function statsOf(held: Handle): Stats {
  try {
    return held.stats();
  } catch (error) {
    held.close();
    throw error;
  }
}

/** A system call's failure on `path` in the catalogue's terms. */
export function toPathError(cause: unknown, path: string): Error {
  if (!(cause instanceof Error) || !('code' in cause)) return cause instanceof Error ? cause : new Internal({ cause });
  switch (cause.code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
    case 'ELOOP':
    case 'EINVAL':
    case 'ESTALE':
    case 'ENXIO':
      return new NotFound(path, { cause });
    case 'EACCES':
    case 'EPERM':
      return new PermissionDenied(path, { cause });
    case 'EAGAIN':
      // open(2), O_NONBLOCK: another process holds a lease on the file.
      return new Busy(`'${path}' is kept by another process at this moment. Try again.`, { cause });
    case 'EMFILE':
    case 'ENFILE':
      return new Busy('The service has no file descriptor left for this request. Try again in a moment.', { cause });
    default:
      return cause;
  }
}
