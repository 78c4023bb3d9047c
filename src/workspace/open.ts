import { closeSync, fstatSync, readSync, type Stats } from 'node:fs';
import { NotADirectory, NotAFile, NotFound, PermissionDenied } from '../errors.ts';
import { shorten, toVirtual } from './asked-path.ts';
import type { Handle } from './handle.ts';
import { type Bytes, toText } from './names.ts';
import { type Located, toPathError } from './resolve.ts';

/** A regular file, open for reading. Its holder closes it. */
export class OpenFile {
  readonly shown: readonly Bytes[];
  readonly stats: Stats;
  /** For a child process that reads it; positions are not shared with `read`. */
  readonly descriptor: number;
  #isClosed = false;

  constructor(descriptor: number, stats: Stats, shown: readonly Bytes[]) {
    this.descriptor = descriptor;
    this.stats = stats;
    this.shown = shown;
  }

  get size(): number {
    return this.stats.size;
  }

  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(this.descriptor, bytes, 0, length, position));
  }

  /** As many bytes from the start as `bytes` has room for; gives the part of it that was filled. */
  readInto(bytes: Buffer): Buffer {
    return bytes.subarray(0, readSync(this.descriptor, bytes, 0, bytes.length, 0));
  }

  /** Closes it once; a descriptor closed twice may be another's by then. */
  close(): void {
    if (!this.#isClosed) closeSync(this.descriptor);
    this.#isClosed = true;
  }
}

/**
 * Opens a located regular file. What is opened is the file that was located,
 * whatever stands under its name by now. Throws NOT_A_FILE for everything
 * else, at once: a FIFO is not waited for, a device not touched.
 */
export function openFile({ handle, stats, shown }: Located): OpenFile {
  const path = shorten(toText(toVirtual(shown)));
  if (!stats.isFile()) throw new NotAFile(path, stats.isDirectory() ? 'a directory' : 'a special file');
  try {
    return new OpenFile(handle.openForReading(), stats, shown);
  } catch (cause) {
    throw toPathError(cause, path);
  }
}

/**
 * Opens regular files below a held folder by the names that lead to them,
 * following no link. Files of one folder, one after the other, cost one way there.
 */
export class FileOpener {
  readonly #top: Handle;
  #folder: Handle;
  #folderNames: readonly Bytes[] = [];

  constructor(top: Handle) {
    this.#top = top;
    this.#folder = top;
  }

  /**
   * Opens a file that was found to be regular; undefined when no such file is
   * there any more. `onDenied` is called when it is there and may not be read.
   */
  open(names: readonly Bytes[], onDenied: () => void): OpenFile | undefined {
    try {
      this.#goTo(names);
      const descriptor = this.#folder.openEntryForReading(names.at(-1) ?? '');
      return regularFile(descriptor, names);
    } catch (cause) {
      const error = toPathError(cause, toText(toVirtual(names)));
      if (error instanceof PermissionDenied || isKept(cause)) onDenied();
      else if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  }

  close(): void {
    if (this.#folder !== this.#top) this.#folder.close();
    this.#folder = this.#top;
    this.#folderNames = [];
  }

  #goTo(names: readonly Bytes[]): void {
    const depth = names.length - 1;
    const isThere = this.#folderNames.length === depth && this.#folderNames.every((name, at) => name === names[at]);
    if (isThere) return;
    this.close();
    const folder = names.slice(0, depth);
    this.#folder = this.#top.openThrough(folder);
    this.#folderNames = folder;
  }
}

/** Whether another process holds a lease on the file. */
function isKept(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN';
}

function regularFile(descriptor: number, names: readonly Bytes[]): OpenFile | undefined {
  const stats = fstatSync(descriptor);
  if (stats.isFile()) return new OpenFile(descriptor, stats, names);
  closeSync(descriptor);
  return undefined;
}

/** Throws NOT_A_DIRECTORY unless the located is one. */
export function requireDirectory({ stats, shown }: Located): void {
  if (!stats.isDirectory()) throw new NotADirectory(shorten(toText(toVirtual(shown))));
}

/** The lines of a file up to a limit of bytes, each of them whole. */
export interface FirstLines {
  text: string;
  /** Whether there is more that is not in it. */
  isCut: boolean;
}

/**
 * The text of the regular file `name` in a held folder, of more than `limit`
 * bytes the whole lines among the first ones; undefined when there is none, when
 * it cannot be read, and for links, FIFOs and all else that an agent may leave
 * under a name that is looked for.
 */
export function readFirstLines(folder: Handle, name: Bytes, limit: number): FirstLines | undefined {
  let held: Handle | undefined;
  let fd: number | undefined;
  try {
    held = folder.open(name);
    if (!held.stats().isFile()) return undefined;
    fd = held.openForReading();
    const { size } = fstatSync(fd);
    const content = Buffer.alloc(Math.min(size, limit));
    const length = readSync(fd, content, 0, content.length, 0);
    const isCut = size > limit;
    return { text: content.toString('utf8', 0, isCut ? content.lastIndexOf('\n', length - 1) + 1 : length), isCut };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
    held?.close();
  }
}
