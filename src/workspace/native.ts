import { createRequire } from 'node:module';
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

/** Of what stands at a path below a held folder, a link's own, or of the folder when the path is empty; undefined when it cannot be had. */
export interface Native {
  identity(folder: number, path: Bytes): Identity | undefined;
  details(folder: number, path: Bytes): Details | undefined;
}

const NO_FOLLOW_NO_AUTOMOUNT_EMPTY_PATH = 0x1900;
const BASIC_STATS = 0x7ff;
/** Places in `struct statx` (statx(2)), which is the same on all machines. */
const PLACES = { nlink: 16, mode: 28, ino: 32, size: 40, ctime: 96, mtime: 112, major: 136, minor: 140 };
const STATX_BYTES = 256;
const NON_ASCII = /[^\0-\x7f]/;

type Statx = (folder: number, path: string | Buffer, flags: number, mask: number, result: Buffer) => number;

/**
 * statx(2) from the descriptor of a folder. Node wants a path, which leads
 * through /proc to the descriptor, and makes four dates of each answer; that
 * takes four times as long, and walks ask this of every folder and every entry
 * with details.
 */
class LinuxCalls implements Native {
  readonly #statx: Statx;
  readonly #result = Buffer.allocUnsafeSlow(STATX_BYTES);
  readonly #fields = new DataView(this.#result.buffer);

  constructor(statx: Statx) {
    this.#statx = statx;
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
    const name = NON_ASCII.test(path) ? Buffer.from(`${path}\0`, 'latin1') : path;
    return this.#statx(folder, name, NO_FOLLOW_NO_AUTOMOUNT_EMPTY_PATH, BASIC_STATS, this.#result) === 0;
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

function load(): Native | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const libc = createRequire(import.meta.url)('koffi').load(null);
    const calls = new LinuxCalls(libc.func('int statx(int, const char*, int, unsigned int, void*)'));
    // An old kernel, or one behind a filter, may not know the call.
    return calls.identity(-1, '/') === undefined ? undefined : calls;
  } catch {
    return undefined;
  }
}

/** The call, or undefined where it cannot be made. */
export const native: Native | undefined = load();
