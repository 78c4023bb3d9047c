import { type BigIntStats, lstatSync, statfsSync } from 'node:fs';
import type { Handle } from './handle.ts';
import { type Listing, readListing } from './listing.ts';
import type { Bytes } from './names.ts';

/** A folder's listing, and what the folder was when it was read. */
interface Known {
  listing: Listing;
  identity: BigIntStats;
  size: number;
}

/**
 * File systems of this machine that change a folder's times with every change
 * of its entries, to the nanosecond (linux/magic.h). A network file system may
 * answer from what it remembers.
 */
const PROVEN = new Set([
  0xef53, // ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0xf2f52010, // f2fs
  0x794c7630, // overlayfs
]);

/**
 * Kernels stamp times with a clock that ticks every 1 to 10 ms. A folder that
 * changed so shortly before it was read may change again within the same tick,
 * and its times would not tell.
 */
const GRAIN_MS = 100;
const NANOSECONDS = 1_000_000n;

/** What a listing takes in memory beside its characters: two strings' heads and three array slots a name. */
const BYTES_PER_ENTRY = 64;
const BYTES_PER_FOLDER = 400;

/**
 * Listings of folders, each used again only while the folder proves to be the
 * same: device, inode, and both times to the nanosecond. The times of a change
 * cannot be set back by whoever changes it (ctime, inode(7)). Bounded in
 * memory; the folder that was not used for longest goes first.
 */
export class TreeCache {
  /** Listings that were used again. */
  hits = 0;
  readonly #maxBytes: number;
  readonly #grainMs: bigint;
  readonly #folders = new Map<Bytes, Known>();
  readonly #isProven = new Map<bigint, boolean>();
  #bytes = 0;

  constructor(maxBytes: number, grainMs = GRAIN_MS) {
    this.#maxBytes = maxBytes;
    this.#grainMs = BigInt(grainMs);
  }

  /** The listing of the folder `path` below the held `top`, if it is known and still the same; and its device. */
  lookUp(path: Bytes, top: Handle, below: Bytes): { listing: Listing; device: number } | undefined {
    const known = this.#folders.get(path);
    if (known === undefined) return undefined;
    const now = tryStat(top, below);
    if (now === undefined || !isSame(now, known.identity)) {
      this.#forget(path, known);
      return undefined;
    }
    this.hits += 1;
    // Moves it to the end: it was used last.
    this.#folders.delete(path);
    this.#folders.set(path, known);
    return { listing: known.listing, device: Number(now.dev) };
  }

  /** Reads the held folder, and keeps its listing under `path` when it can be proven fresh later. */
  read(path: Bytes, folder: Handle): Listing {
    const startedAt = BigInt(Date.now());
    const before = folder.identity();
    const listing = readListing(folder);
    const isSettled = lastChange(before) < (startedAt - this.#grainMs) * NANOSECONDS;
    if (isSettled && this.#proves(before, folder) && isSame(before, folder.identity()))
      this.#keep(path, before, listing);
    return listing;
  }

  #keep(path: Bytes, identity: BigIntStats, listing: Listing): void {
    const characters = listing.names.reduce((sum, name) => sum + name.length, path.length);
    const size = BYTES_PER_FOLDER + characters + listing.names.length * BYTES_PER_ENTRY;
    if (size > this.#maxBytes / 2) return;
    const replaced = this.#folders.get(path);
    if (replaced !== undefined) this.#forget(path, replaced);
    this.#folders.set(path, { listing, identity, size });
    this.#bytes += size;
    for (const [oldest, known] of this.#folders) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest, known);
    }
  }

  #forget(path: Bytes, { size }: Known): void {
    if (this.#folders.delete(path)) this.#bytes -= size;
  }

  #proves({ dev }: BigIntStats, folder: Handle): boolean {
    const known = this.#isProven.get(dev);
    if (known !== undefined) return known;
    const isProven = PROVEN.has(statfsSync(folder.self).type);
    this.#isProven.set(dev, isProven);
    return isProven;
  }
}

function tryStat(top: Handle, below: Bytes): BigIntStats | undefined {
  try {
    return lstatSync(top.entry(below), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.dev === b.dev && a.mode === b.mode;
}

function lastChange({ ctimeNs, mtimeNs }: BigIntStats): bigint {
  return ctimeNs > mtimeNs ? ctimeNs : mtimeNs;
}
