import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type Bytes, toSystem } from './names.ts';
import { type Details, type FileFacts, type Identity, native, type RawEntries } from './native.ts';

/** `strict`: nothing a concurrent process does moves a handle elsewhere. `best-effort`: names are checked, then used. */
export type Containment = 'strict' | 'best-effort';

/** open(2): name a file without opening it; never blocks, needs no permission on the file itself. */
const O_PATH = 0x200000;
const NO_FOLDER = -1;
const SECOND = 1_000_000_000n;
const DESCRIPTORS = '/proc/self/fd';
const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Linux with /proc: a descriptor can be the start of a path, which is `openat` by other means. */
export const CONTAINMENT: Containment =
  process.platform === 'linux' && existsSync(DESCRIPTORS) ? 'strict' : 'best-effort';

/**
 * A file, folder or link that is held, whatever happens to its name meanwhile.
 *
 * Children are reached through the descriptor (openat(2), or by other means
 * `/proc/self/fd/N/name`), one component at a time and never through a link, so
 * no swap of names leads a caller out of the folder that it holds. In
 * best-effort containment there is no descriptor and the handle is a path.
 */
export class Handle {
  readonly #at: Bytes;
  readonly #fd: number | undefined;
  #isClosed = false;

  private constructor(at: Bytes, fd: number | undefined) {
    this.#at = at;
    this.#fd = fd;
  }

  /** Holds the host path `path`, following links; for the root alone. */
  static ofHostPath(path: Bytes): Handle {
    if (CONTAINMENT === 'best-effort') {
      if (!statSync(toSystem(path)).isDirectory()) throw notADirectory();
      return new Handle(path, undefined);
    }
    return Handle.ofDescriptor(openDescriptor(undefined, path, O_PATH | constants.O_DIRECTORY));
  }

  /** Takes over a descriptor of this process. */
  static ofDescriptor(fd: number): Handle {
    return new Handle(`${DESCRIPTORS}/${fd}`, fd);
  }

  /** Where the held file lies at this moment, from the host's root. */
  hostPath(): Bytes {
    return this.#fd === undefined
      ? realpathSync.native(this.#at, { encoding: 'latin1' })
      : readlinkSync(this.self, { encoding: 'latin1' });
  }

  /** What other threads of this process need to hold the same folder. */
  get reference(): { fd: number } | { path: Bytes } {
    return this.#fd === undefined ? { path: this.#at } : { fd: this.#fd };
  }

  /** A path for system calls that reach the held file itself. */
  get self(): string | Buffer {
    return toSystem(this.#at);
  }

  /** A path for system calls on the entry `name`. What it leads to may be a link. */
  entry(name: Bytes): string | Buffer {
    return toSystem(`${this.#at}/${name}`);
  }

  /** Holds the entry `name` itself: a link is held, not followed. */
  open(name: Bytes): Handle {
    return this.#openEntry(name, O_PATH | constants.O_NOFOLLOW);
  }

  /** Like `open`; undefined when there is no such entry, which an error would take longer to tell. */
  openIfThere(name: Bytes): Handle | undefined {
    if (native === undefined || this.#fd === undefined) {
      return lstatSync(this.entry(name), { throwIfNoEntry: false }) === undefined ? undefined : this.open(name);
    }
    const fd = native.openIfThere(this.#fd, name, O_PATH | constants.O_NOFOLLOW);
    return fd === undefined ? undefined : Handle.ofDescriptor(fd);
  }

  /** Holds the entry `name` if it is a folder; throws ENOTDIR for anything else, links included. */
  openDirectory(name: Bytes): Handle {
    return this.#openEntry(name, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  }

  /** Like `openDirectory`, and open for reading where that saves opening it again: without permission to read it throws, too. */
  openDirectoryToRead(name: Bytes): Handle {
    return this.#openEntry(
      name,
      (native === undefined ? O_PATH : READING) | constants.O_NOFOLLOW | constants.O_DIRECTORY,
    );
  }

  /** The entries of a folder held by `openDirectoryToRead`, in no order; undefined where they have to be read by its path. */
  rawEntries(): RawEntries | undefined {
    return this.#fd === undefined ? undefined : native?.entries(this.#fd);
  }

  /** Holds the folder at `names` below this one, each opened under the one before it; for an empty list, this handle itself. */
  openThrough(names: readonly Bytes[]): Handle {
    let current: Handle = this;
    for (const name of names) {
      const above = current;
      try {
        current = above.openDirectory(name);
      } finally {
        if (above !== this) above.close();
      }
    }
    return current;
  }

  #openEntry(name: Bytes, flags: number): Handle {
    if (this.#fd !== undefined) return Handle.ofDescriptor(openDescriptor(this.#fd, name, flags));
    const stats = lstatSync(this.entry(name));
    if ((flags & constants.O_DIRECTORY) !== 0 && !stats.isDirectory()) throw notADirectory();
    return new Handle(`${this.#at}/${name}`, undefined);
  }

  /** The text of the link `name`. A swapped answer is harmless: it is resolved under the same rules. */
  readLink(name: Bytes): Bytes {
    return readlinkSync(this.entry(name), 'latin1');
  }

  /** What tells the held file, or the one at `path` below the held folder, from any other. Undefined when it cannot be had. */
  identity(path: Bytes = ''): Identity | undefined {
    if (native !== undefined && this.#fd !== undefined) return native.identity(this.#fd, path);
    return identityOf(path === '' ? this.#bigStats() : tryStat(this.entry(path)));
  }

  #bigStats(): BigIntStats {
    return this.#fd === undefined ? lstatSync(this.self, { bigint: true }) : fstatSync(this.#fd, { bigint: true });
  }

  /** What is shown of the entry `name`, a link's own. Undefined when it cannot be had. */
  details(name: Bytes): Details | undefined {
    if (native !== undefined && this.#fd !== undefined) return native.details(this.#fd, name);
    return lstatSync(this.entry(name), { throwIfNoEntry: false });
  }

  stats(): Stats {
    return this.#fd === undefined ? lstatSync(this.self) : fstatSync(this.#fd);
  }

  /** Opens the entry `name` for reading if it is no link: for `closeDescriptor`. Never waits for a FIFO's writer. */
  openEntryForReading(name: Bytes): number {
    if (this.#fd !== undefined) return openDescriptor(this.#fd, name, READING | constants.O_NOFOLLOW);
    return openDescriptor(undefined, `${this.#at}/${name}`, READING | constants.O_NOFOLLOW);
  }

  /** Opens the held file for reading: for `closeDescriptor`. Never waits for a FIFO's writer. */
  openForReading(): number {
    return openDescriptor(undefined, this.#at, this.#fd === undefined ? READING | constants.O_NOFOLLOW : READING);
  }

  /** Closes it once; a descriptor closed twice may be another's by then. */
  close(): void {
    if (this.#fd !== undefined && !this.#isClosed) closeDescriptor(this.#fd);
    this.#isClosed = true;
  }
}

/** Opens `path`, below the folder that is open as `folder` where one is given. For `closeDescriptor`. */
function openDescriptor(folder: number | undefined, path: Bytes, flags: number): number {
  if (native !== undefined) return native.open(folder ?? NO_FOLDER, path, flags);
  return openSync(toSystem(folder === undefined ? path : `${DESCRIPTORS}/${folder}/${path}`), flags);
}

/** Closes what a handle opened. */
export function closeDescriptor(descriptor: number): void {
  if (native === undefined) closeSync(descriptor);
  else native.close(descriptor);
}

/** What a descriptor is open on. */
export function factsOf(descriptor: number): FileFacts {
  const known = native?.facts(descriptor);
  if (known !== undefined) return known;
  const stats = fstatSync(descriptor);
  return { isRegular: stats.isFile(), size: stats.size };
}

/** Fills `bytes` from `position` of an open file on, as far as it goes; gives how many there were. */
export function readAt(descriptor: number, bytes: Buffer, position: number): number {
  return native?.read(descriptor, bytes, position) ?? readSync(descriptor, bytes, 0, bytes.length, position);
}

function tryStat(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function identityOf(stats: BigIntStats | undefined): Identity | undefined {
  if (stats === undefined) return undefined;
  const { ctimeNs, dev, ino, mode, mtimeNs, nlink } = stats;
  return {
    dev: Number(dev),
    ino: [Number(ino >> 32n), Number(BigInt.asUintN(32, ino))],
    mode: Number(mode),
    nlink: Number(nlink),
    mtime: [Number(mtimeNs / SECOND), Number(mtimeNs % SECOND)],
    ctime: [Number(ctimeNs / SECOND), Number(ctimeNs % SECOND)],
  };
}

function notADirectory(): Error {
  return Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
}
