import { statfsSync } from 'node:fs';
import type { Handle } from './handle.ts';
import { type Listing, readListing } from './listing.ts';
import type { Bytes } from './names.ts';
import type { Identity } from './native.ts';

/** What a folder's times prove: that none of its entries changed, the same when it lies in one layer alone, or nothing. */
export type Proof = 'always' | 'in one layer' | 'never';

/** A folder's listing, and what the folder was when it was read. */
interface Known {
  path: Bytes;
  listing: Listing;
  identity: Identity;
  proof: Proof;
  size: number;
  /** In milliseconds, as `Date.now` has it. */
  usedAt: number;
  /** Its place in the round. */
  at: number;
}

/**
 * File systems of this machine that change a folder's times with every change
 * of its entries (linux/magic.h). A network file system, or one in user space,
 * may answer from what it remembers.
 */
const PROVEN = new Map<number, Proof>([
  [0xef53, 'always'], // ext4
  [0x58465342, 'always'], // xfs
  [0x9123683e, 'always'], // btrfs
  [0x01021994, 'always'], // tmpfs
  [0xf2f52010, 'always'], // f2fs
  [0x794c7630, 'in one layer'], // overlayfs
]);

/** What the times of the held folder, and of all others on its file system, prove. */
export function proofOf(folder: Handle): Proof {
  return PROVEN.get(statfsSync(folder.self).type) ?? 'never';
}

/**
 * Kernels stamp times with a clock that ticks every 1 to 10 ms, and may tick
 * late in a virtual machine that has to wait for its processor. A folder that
 * changed so shortly before it was read may change again within the same tick,
 * and its times would not tell.
 */
const GRAIN_MS = 1000;

/**
 * A listing that was used within this time is not given up for another one:
 * walks come by in the same order, and what was used longest ago is what the
 * next one asks for first.
 */
const IN_USE_MS = 60_000;
/** Listings in use that are passed over in search of one that is not, each time that there is no room. */
const MAX_PASSED = 16;

/** What a listing takes in memory beside its characters: two strings' heads and three array slots a name. */
const BYTES_PER_ENTRY = 64;
const BYTES_PER_FOLDER = 400;

/**
 * Listings of folders, each used again only while the folder proves to be the
 * same: device, inode, and both times to the nanosecond. The times of a change
 * cannot be set back by whoever changes it (ctime, inode(7)). Bounded in
 * memory: to make room, a hand goes round the folders and gives up those that
 * are not in use; while it meets none, no other one comes in. Keeping them in
 * order of use instead would move one at every look-up.
 */
export class TreeCache {
  /** Listings that were used again. */
  hits = 0;
  readonly #maxBytes: number;
  readonly #grainMs: number;
  readonly #folders = new Map<Bytes, Known>();
  /** The same, in the round that the hand makes; in no order. */
  readonly #round: Known[] = [];
  #hand = 0;
  #bytes = 0;

  constructor(maxBytes: number, grainMs = GRAIN_MS) {
    this.#maxBytes = maxBytes;
    this.#grainMs = grainMs;
  }

  /** The listing of the folder `path` below the held `top`, if it is known and still the same; its device, and what that proves. */
  lookUp(path: Bytes, top: Handle, below: Bytes): { listing: Listing; device: number; proof: Proof } | undefined {
    const known = this.#folders.get(path);
    if (known === undefined) return undefined;
    const now = top.identity(below);
    if (now === undefined || !isSame(now, known.identity)) {
      this.#forget(known);
      return undefined;
    }
    this.hits += 1;
    known.usedAt = Date.now();
    return { listing: known.listing, device: now.dev, proof: known.proof };
  }

  /**
   * Reads the held folder, and keeps its listing under `path` when its times
   * will prove it fresh. They are taken first: what changes while it is read
   * changes them.
   */
  read(path: Bytes, folder: Handle, proof: Proof): Listing {
    if (proof === 'never') return readListing(folder);
    const settledBefore = Date.now() - this.#grainMs;
    const identity = folder.identity();
    const listing = readListing(folder);
    if (identity !== undefined && isProvable(identity, proof, settledBefore))
      this.#keep(path, identity, proof, listing);
    return listing;
  }

  #keep(path: Bytes, identity: Identity, proof: Proof, listing: Listing): void {
    const size = sizeOf(path, listing);
    if (size > this.#maxBytes / 2) return;
    const replaced = this.#folders.get(path);
    if (replaced !== undefined) this.#forget(replaced);
    const usedAt = Date.now();
    if (!this.#makeRoom(size, usedAt - IN_USE_MS)) return;
    const known = { path, listing, identity, proof, size, usedAt, at: this.#round.length };
    this.#folders.set(path, known);
    this.#round.push(known);
    this.#bytes += size;
  }

  /** Gives up what was last used before `usedBefore` until there is room; tells whether there is. */
  #makeRoom(size: number, usedBefore: number): boolean {
    for (let passed = 0; this.#bytes + size > this.#maxBytes && passed < MAX_PASSED; ) {
      const known = this.#round[this.#hand];
      if (known === undefined) this.#hand = 0;
      else if (known.usedAt < usedBefore) this.#forget(known);
      else {
        this.#hand += 1;
        passed += 1;
      }
    }
    return this.#bytes + size <= this.#maxBytes;
  }

  #forget(known: Known): void {
    this.#folders.delete(known.path);
    this.#bytes -= known.size;
    const last = this.#round.pop();
    if (last === undefined || last === known) return;
    last.at = known.at;
    this.#round[known.at] = last;
  }
}

/**
 * Whether a folder's times will tell of its next change: its last one lies
 * before `settledBefore` (milliseconds), its clock shows more than whole
 * seconds (ext4 with small inodes does not), and, where layers are laid over
 * each other, it lies in one of them. A folder merged from several has the
 * times of the uppermost and, unlike any other, a link count of 1
 * (Documentation/filesystems/overlayfs.rst).
 */
export function isProvable(
  { ctime, mtime, nlink }: Pick<Identity, 'ctime' | 'mtime' | 'nlink'>,
  proof: Proof,
  settledBefore: number,
): boolean {
  return (
    Math.max(milliseconds(ctime), milliseconds(mtime)) < settledBefore &&
    ctime[1] !== 0 &&
    (proof === 'always' || (proof === 'in one layer' && nlink > 1))
  );
}

/** Rounded up. */
function milliseconds([seconds, nanoseconds]: Identity['ctime']): number {
  return seconds * 1000 + Math.ceil(nanoseconds / 1e6);
}

function isSame(a: Identity, b: Identity): boolean {
  return (
    areEqual(a.ino, b.ino) &&
    areEqual(a.mtime, b.mtime) &&
    areEqual(a.ctime, b.ctime) &&
    a.dev === b.dev &&
    a.mode === b.mode &&
    a.nlink === b.nlink
  );
}

function areEqual(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** What a listing takes in memory, in bytes. Decoded names that are not ASCII are strings of their own, of two bytes a character. */
function sizeOf(path: Bytes, { names, texts }: Listing): number {
  let size = BYTES_PER_FOLDER + path.length + names.length * BYTES_PER_ENTRY;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? '';
    const text = texts[at] ?? '';
    size += name === text ? name.length : name.length + 2 * text.length;
  }
  return size;
}
