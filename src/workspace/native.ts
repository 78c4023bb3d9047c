import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { Bytes } from './names.ts';

/** What tells a file from any other, and from itself before a change. Numbers alone, since a walk compares very many. */
export interface Identity {
  /** As Node gives it. */
  dev: number;
  ino: readonly [high: number, low: number];
  mode: number;
  nlink: number;
  mtime: Time;
  ctime: Time;
}

export type Time = readonly [seconds: number, nanoseconds: number];

/** What is shown of an entry beside its name. */
export interface Details {
  size: number;
  mtimeMs: number;
}

/** What an open file is. */
export interface FileFacts {
  isRegular: boolean;
  size: number;
}

/** The entries of a folder as the kernel gives them, in no order; the arrays go together. */
export interface RawEntries {
  names: Bytes[];
  /** `d_type` of each (readdir(3)). */
  types: number[];
}

/**
 * System calls by descriptor. What is said of an entry is said of a path below
 * a held folder, a link's own, or of the folder when the path is empty, and is
 * undefined when it cannot be had. What is opened here is closed here: Node
 * closes what a worker opened when the worker ends, and would close it again.
 */
export interface Native {
  identity(folder: number, path: Bytes): Identity | undefined;
  details(folder: number, path: Bytes): Details | undefined;
  /** A descriptor of `path`, from `folder` unless it is absolute. Throws as Node does. */
  open(folder: number, path: Bytes, flags: number): number;
  /** The same; undefined when there is no such entry. */
  openIfThere(folder: number, path: Bytes, flags: number): number | undefined;
  close(descriptor: number): void;
  facts(descriptor: number): FileFacts | undefined;
  /** Fills `bytes` from `position` on; gives how many there were. Throws as Node does. */
  read(descriptor: number, bytes: Buffer, position: number): number;
  /** Of a folder that is open for reading; undefined when it cannot be read to its end. */
  entries(folder: number): RawEntries | undefined;
  /** From now on sets the byte of each descriptor that is open, in memory that outlives the thread: see `closeMarked`. */
  markOpen(marks: SharedArrayBuffer): void;
}

const NO_FOLLOW_NO_AUTOMOUNT_EMPTY_PATH = 0x1900;
const BASIC_STATS = 0x7ff;
/** Places in `struct statx` (statx(2)), which is the same on all machines. */
const PLACES = { nlink: 16, mode: 28, ino: 32, size: 40, ctime: 96, mtime: 112, major: 136, minor: 140 };
const STATX_BYTES = 256;
const NOT_PLAIN = /[^\x01-\x7f]/;
/** Descriptors beyond are not marked. */
const MAX_MARKED = 64 * 1024;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
/** As Node opens everything: not for the processes that are started. */
const O_CLOEXEC = 0x80000;
/** Places in `struct linux_dirent64` (getdents(2)). */
const ENTRY = { length: 16, type: 18, name: 19 };
const ENTRIES_BYTES = 64 * 1024;

interface Libc {
  statx(folder: number, path: string | Buffer, flags: number, mask: number, result: Buffer): number;
  openat(folder: number, path: string | Buffer, flags: number): number;
  close(descriptor: number): number;
  pread(descriptor: number, bytes: Buffer, length: number, position: number): number;
  lseek(descriptor: number, offset: number, whence: number): number;
  getdents64(folder: number, entries: Buffer, length: number): number;
  /** Of the call before. */
  errno(): number;
}

/**
 * Calls from the descriptor of a folder. Node wants a path, which leads through
 * /proc to the descriptor, and makes four dates of each answer; that takes two
 * to four times as long, and searches make these calls for every file.
 */
class LinuxCalls implements Native {
  readonly #libc: Libc;
  readonly #result = Buffer.allocUnsafeSlow(STATX_BYTES);
  readonly #fields = new DataView(this.#result.buffer);
  readonly #entries = Buffer.allocUnsafeSlow(ENTRIES_BYTES);
  #marks: Uint8Array = new Uint8Array(0);

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  open(folder: number, path: Bytes, flags: number): number {
    const descriptor = this.openIfThere(folder, path, flags);
    if (descriptor === undefined) throw systemError('open', constants.errno.ENOENT);
    return descriptor;
  }

  openIfThere(folder: number, path: Bytes, flags: number): number | undefined {
    const descriptor = this.#libc.openat(folder, toArgument(path), flags | O_CLOEXEC);
    if (descriptor < 0) {
      const number = this.#libc.errno();
      if (number === constants.errno.ENOENT) return undefined;
      throw systemError('open', number);
    }
    this.#marks[descriptor] = 1;
    return descriptor;
  }

  close(descriptor: number): void {
    // First: were the thread ended in between, the number might be another's when it is closed again.
    this.#marks[descriptor] = 0;
    this.#libc.close(descriptor);
  }

  markOpen(marks: SharedArrayBuffer): void {
    this.#marks = new Uint8Array(marks);
  }

  facts(descriptor: number): FileFacts | undefined {
    if (!this.#ask(descriptor, '')) return undefined;
    const mode = this.#fields.getUint16(PLACES.mode, true);
    return { isRegular: (mode & FILE_TYPE) === REGULAR, size: this.#integer(PLACES.size) };
  }

  read(descriptor: number, bytes: Buffer, position: number): number {
    const length = this.#libc.pread(descriptor, bytes, bytes.length, position);
    if (length < 0) throw systemError('read', this.#libc.errno());
    return length;
  }

  entries(folder: number): RawEntries | undefined {
    const read: RawEntries = { names: [], types: [] };
    // It may have been read before.
    if (this.#libc.lseek(folder, 0, 0) !== 0) return undefined;
    for (;;) {
      const length = this.#libc.getdents64(folder, this.#entries, ENTRIES_BYTES);
      if (length <= 0) return length === 0 ? read : undefined;
      addEntries(this.#entries, length, read);
    }
  }

  identity(folder: number, path: Bytes): Identity | undefined {
    if (!this.#ask(folder, path)) return undefined;
    const fields = this.#fields;
    return {
      dev: toDevice(fields.getUint32(PLACES.major, true), fields.getUint32(PLACES.minor, true)),
      ino: [fields.getUint32(PLACES.ino + 4, true), fields.getUint32(PLACES.ino, true)],
      mode: fields.getUint16(PLACES.mode, true),
      nlink: fields.getUint32(PLACES.nlink, true),
      mtime: this.#time(PLACES.mtime),
      ctime: this.#time(PLACES.ctime),
    };
  }

  details(folder: number, path: Bytes): Details | undefined {
    if (!this.#ask(folder, path)) return undefined;
    const [seconds, nanoseconds] = this.#time(PLACES.mtime);
    return { size: this.#integer(PLACES.size), mtimeMs: seconds * 1000 + nanoseconds / 1e6 };
  }

  #ask(folder: number, path: Bytes): boolean {
    const flags = NO_FOLLOW_NO_AUTOMOUNT_EMPTY_PATH;
    return this.#libc.statx(folder, toArgument(path), flags, BASIC_STATS, this.#result) === 0;
  }

  #time(at: number): Time {
    return [this.#integer(at), this.#fields.getUint32(at + 8, true)];
  }

  /** A signed integer of 64 bits, exact as far as numbers are. */
  #integer(at: number): number {
    return this.#fields.getInt32(at + 4, true) * 2 ** 32 + this.#fields.getUint32(at, true);
  }
}

/** A device's number as Node has it (makedev(3)). */
function toDevice(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 2 ** 8 + (minor >>> 8) * 2 ** 20 + (major >>> 12) * 2 ** 44;
}

/** Throws EINVAL for a NUL: the kernel would end the name there, and take another than was checked. */
function toArgument(path: Bytes): string | Buffer {
  if (!NOT_PLAIN.test(path)) return path;
  if (path.includes('\0')) throw systemError('open', constants.errno.EINVAL);
  return Buffer.from(`${path}\0`, 'latin1');
}

function addEntries(bytes: Buffer, length: number, { names, types }: RawEntries): void {
  for (let at = 0; at < length; at += bytes.readUInt16LE(at + ENTRY.length)) {
    const name = at + ENTRY.name;
    const text = bytes.toString('latin1', name, bytes.indexOf(0, name));
    if (text === '.' || text === '..') continue;
    names.push(text);
    types.push(bytes[at + ENTRY.type] ?? 0);
  }
}

function systemError(syscall: string, number: number): Error {
  const code = getSystemErrorName(-number);
  return Object.assign(new Error(`${code}: ${syscall}`), { code, errno: -number, syscall });
}

function load(): Native | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const koffi = createRequire(import.meta.url)('koffi');
    const libc = koffi.load(null);
    const calls = new LinuxCalls({
      statx: libc.func('int statx(int, const char*, int, unsigned int, void*)'),
      openat: libc.func('int openat(int, const char*, int)'),
      close: libc.func('int close(int)'),
      pread: libc.func('long pread(int, void*, size_t, long)'),
      lseek: libc.func('long lseek(int, long, int)'),
      getdents64: libc.func('long getdents64(int, void*, size_t)'),
      errno: koffi.errno,
    });
    // An old kernel, or one behind a filter, may not know the call.
    return calls.identity(-1, '/') === undefined ? undefined : calls;
  } catch {
    return undefined;
  }
}

/** The calls, or undefined where they cannot be made. */
export const native: Native | undefined = load();

/** Memory for the marks of one thread. */
export function newMarks(): SharedArrayBuffer {
  return new SharedArrayBuffer(MAX_MARKED);
}

/** Closes what a thread left open that is no more: Node closes only what it opened itself. */
export function closeMarked(marks: SharedArrayBuffer): void {
  for (const [descriptor, isOpen] of new Uint8Array(marks).entries()) {
    if (isOpen === 1) native?.close(descriptor);
  }
}
