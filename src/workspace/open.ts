import type { Stats } from 'node:fs';
import { NotADirectory, NotAFile, NotFound, PermissionDenied } from '../errors.ts';
import { shorten, toVirtual } from './asked-path.ts';
import { closeDescriptor, factsOf, type Handle, readAt } from './handle.ts';
import { type Bytes, toText } from './names.ts';
import { type Located, toPathError } from './resolve.ts';

/** A regular file, open for reading. Its holder closes it. */
export class OpenFile {
  /** When it was opened. */
  readonly size: number;
  /** For a child process that reads it; positions are not shared with `read`. */
  readonly descriptor: number;
  #isClosed = false;

  constructor(descriptor: number, size: number) {
    this.descriptor = descriptor;
    this.size = size;
  }

  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), position);
  }

  /** As many bytes from `position` as `bytes` has room for; gives the part of it that was filled. */
  readInto(bytes: Buffer, position: number): Buffer {
    return bytes.subarray(0, readFully(this.descriptor, bytes, position, this.size));
  }

  /** Closes it once; a descriptor closed twice may be another's by then. */
  close(): void {
    if (!this.#isClosed) closeDescriptor(this.descriptor);
    this.#isClosed = true;
  }
}

/**
 * Fills `bytes` from `position` of an open file of `size` bytes; gives how many there were. A read that comes short is
 * not its end: the kernel gives what precedes a page that cannot be read, and fails when it is asked for that page.
 */
function readFully(descriptor: number, bytes: Buffer, position: number, size: number): number {
  let filled = readAt(descriptor, bytes, position);
  for (let read = filled; read > 0 && filled < bytes.length && position + filled < size; filled += read) {
    read = readAt(descriptor, bytes.subarray(filled), position + filled);
  }
  return filled;
}

/** A file that was asked for by name. */
export class LocatedFile extends OpenFile {
  readonly shown: readonly Bytes[];
  readonly stats: Stats;

  constructor(descriptor: number, stats: Stats, shown: readonly Bytes[]) {
    super(descriptor, stats.size);
    this.shown = shown;
    this.stats = stats;
  }
}

/**
 * Opens a located regular file. What is opened is the file that was located,
 * whatever stands under its name by now. Throws NOT_A_FILE for everything
 * else, at once: a FIFO is not waited for, a device not touched.
 */
export function openFile({ handle, stats, shown }: Located): LocatedFile {
  const path = shorten(toText(toVirtual(shown)));
  if (!stats.isFile()) throw new NotAFile(path, stats.isDirectory() ? 'a directory' : 'a special file');
  try {
    return new LocatedFile(handle.openForReading(), stats, shown);
  } catch (cause) {
    throw toPathError(cause, path);
  }
}

/** Folders that are held on the way to a file; what lies deeper is opened through. */
const MAX_HELD = 32;

/**
 * Opens regular files below a held folder by the paths that lead to them,
 * following no link. The folders on the way to the last one stay open: in the
 * order of a walk, each is opened once.
 */
export class FileOpener {
  readonly #top: Handle;
  readonly #held: { name: Bytes; handle: Handle }[] = [];
  /** The last folder, where it lies deeper than those. */
  #deep: Handle | undefined;
  /** Where the last folder lies, below the top; undefined when there is none. */
  #path: Bytes | undefined = '';

  constructor(top: Handle) {
    this.#top = top;
  }

  /**
   * Opens the file at `path` below the top, which was found to be regular;
   * undefined when no such file is there any more. `onDenied` is called when it
   * is there and may not be read.
   */
  open(path: Bytes, onDenied: () => void): OpenFile | undefined {
    const end = path.lastIndexOf('/');
    try {
      const folder = this.#goTo(path.slice(0, Math.max(0, end)));
      return regularFile(folder.openEntryForReading(path.slice(end + 1)));
    } catch (cause) {
      const error = toPathError(cause, toText(path));
      if (error instanceof PermissionDenied || isKept(cause)) onDenied();
      else if (!(error instanceof NotFound)) throw error;
      return undefined;
    }
  }

  close(): void {
    this.#leave(0);
  }

  #goTo(path: Bytes): Handle {
    if (path !== this.#path) this.#enter(path === '' ? [] : path.split('/'));
    this.#path = path;
    return this.#deep ?? this.#held.at(-1)?.handle ?? this.#top;
  }

  #enter(names: readonly Bytes[]): void {
    const near = names.slice(0, MAX_HELD);
    const parting = near.findIndex((name, at) => this.#held[at]?.name !== name);
    this.#leave(parting === -1 ? near.length : parting);
    for (const name of near.slice(this.#held.length)) {
      const above = this.#held.at(-1)?.handle ?? this.#top;
      this.#held.push({ name, handle: above.openDirectory(name) });
    }
    const far = names.slice(MAX_HELD);
    if (far.length > 0) this.#deep = this.#held.at(-1)?.handle.openThrough(far);
  }

  /** Closes all but the first `kept` of the folders. */
  #leave(kept: number): void {
    this.#path = undefined;
    this.#deep?.close();
    this.#deep = undefined;
    for (const { handle } of this.#held.splice(kept)) handle.close();
  }
}

/** Whether a file that is open could not be read: a fault of its disk, or of the server that has it. */
export function isReadFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'read';
}

/** Whether another process holds a lease on the file. */
function isKept(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN';
}

/** Takes over the descriptor; it is closed unless it is a regular file's. */
function regularFile(descriptor: number): OpenFile | undefined {
  let file: OpenFile | undefined;
  try {
    const { isRegular, size } = factsOf(descriptor);
    if (isRegular) file = new OpenFile(descriptor, size);
    return file;
  } finally {
    if (file === undefined) closeDescriptor(descriptor);
  }
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
 * it may not be read, and for links, FIFOs and all else that an agent may leave
 * under a name that is looked for. Throws when it cannot be read at this moment,
 * BUSY without a descriptor: rules that are not known are not to be passed by.
 */
export function readFirstLines(folder: Handle, name: Bytes, limit: number): FirstLines | undefined {
  let held: Handle | undefined;
  let fd: number | undefined;
  try {
    held = folder.openIfThere(name);
    if (held?.stats().isFile() !== true) return undefined;
    fd = held.openForReading();
    const { size } = factsOf(fd);
    const content = Buffer.alloc(Math.min(size, limit));
    const length = readFully(fd, content, 0, size);
    const isCut = size > limit;
    return { text: content.toString('utf8', 0, isCut ? content.lastIndexOf('\n', length - 1) + 1 : length), isCut };
  } catch (cause) {
    throwUnlessGone(cause, name);
    return undefined;
  } finally {
    if (fd !== undefined) closeDescriptor(fd);
    held?.close();
  }
}

/** Throws, in the catalogue's terms, a failure on `name` that does not say that it is gone or may not be read. */
export function throwUnlessGone(cause: unknown, name: Bytes): void {
  const error = toPathError(cause, toText(name));
  if (!(error instanceof NotFound || error instanceof PermissionDenied)) throw error;
}
