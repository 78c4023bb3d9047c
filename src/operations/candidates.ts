import { setImmediate } from 'node:timers/promises';
import { isDecodable } from '../search/source.ts';
import { areDescriptorsShort, descriptorsToSpare } from '../workspace/descriptors.ts';
import type { Bytes } from '../workspace/names.ts';
import { type FileOpener, isReadFault, type OpenFile } from '../workspace/open.ts';
import type { Found, SkipReason } from '../workspace/walk.ts';
import type { Context } from './operation.ts';

/** An open file to be searched, and how it is shown. */
export interface Candidate {
  path: Bytes;
  text: string;
  file: OpenFile;
}

/** Files for one search. */
export interface CandidateBatch {
  candidates: readonly Candidate[];
  /** Whether the search may take so long that what it finds is wanted before it ends. */
  isLarge: boolean;
}

/** Larger files are counted, not searched: nobody waits for the whole of them, and an agent can make them of nothing. */
const MAX_SEARCHED = 4 * 1024 ** 3;
/** The first batch is small, so that the first result comes early; the next ones make up for the start of a process. */
const FIRST_BATCH = 32;
const GROWTH = 2;
/** Each file of a batch takes a descriptor; each batch takes a process, for which all the memory of this one is mapped anew. */
const MAX_BATCH = Math.min(1024, Math.max(256, descriptorsToSpare / 8));
/** What is worth a process even where descriptors are short. */
const SMALLEST_BATCH = 8;
/** A file of this size is searched alone, and not kept waiting for by smaller ones. */
const LARGE = 16 * 1024 * 1024;
/** Files that are read to see whether they are worth a search. */
const MAX_SIFTED = 1024 * 1024;
const UTF_16_MARKS = [0xfeff, 0xfffe];

/**
 * The files of a walk, open, one by one; undefined stands for the end of a
 * batch of the walk. Whoever takes one closes it. `top` is the path of the
 * walk's start, as shown: empty for the root.
 */
export function* candidatesOf(
  found: Iterable<Found[]>,
  opener: FileOpener,
  top: Bytes,
  encoding: string,
  skip: Context['skip'],
): Generator<Candidate | undefined, void> {
  for (const entries of found) {
    for (const { path, text } of entries) {
      const file = opener.open(path.slice(top.length + 1), () => skip('unreadable', path));
      if (file === undefined) continue;
      if (!isTooLarge(path, file, encoding, skip)) yield { path, text, file };
    }
    yield undefined;
  }
}

/** Whether a file is too large to be searched, or to be decoded for that, or cannot be read; it is then counted and closed. */
export function isTooLarge(path: Bytes, file: OpenFile, encoding: string, skip: Context['skip']): boolean {
  const reason = whileReadable({ path, file }, skip, () => reasonAgainst(file, encoding));
  if (reason === 'none') return false;
  if (reason !== undefined) skip(reason, path);
  file.close();
  return true;
}

function reasonAgainst(file: OpenFile, encoding: string): SkipReason | 'none' {
  if (file.size > MAX_SEARCHED) return 'too_large';
  return isDecodable(file, encoding) ? 'none' : 'undecodable';
}

/** What `look` makes of a file; undefined when that cannot be read, which is then counted. */
function whileReadable<T>(
  { file, path }: Pick<Candidate, 'file' | 'path'>,
  skip: Context['skip'],
  look: () => T,
): T | undefined {
  try {
    return look();
  } catch (error) {
    file.close();
    if (!isReadFault(error)) throw error;
    skip('unreadable', path);
    return undefined;
  }
}

/**
 * Candidates in batches for one search each, in order. Small files without the
 * `required` bytes are left out. Whoever takes a batch closes its files.
 */
export async function* batchesOf(
  candidates: Iterable<Candidate | undefined>,
  required: Buffer | undefined,
  { signal, skip }: Pick<Context, 'signal' | 'skip'>,
): AsyncGenerator<CandidateBatch, void> {
  const batch = new Batch();
  const sieve = new Sieve(required);
  try {
    for (const candidate of candidates) {
      if (candidate !== undefined) {
        if (!sieve.passesOver(candidate, skip)) yield* batch.add(candidate);
        continue;
      }
      await setImmediate();
      if (signal.aborted) return;
    }
    yield* batch.take();
  } finally {
    batch.close();
  }
}

/** Tells the small files that do not hold certain bytes, through one buffer for all. */
export class Sieve {
  /** What was read of the file that was looked at last, whole; undefined for a large one. Good until the next one. */
  content: Buffer | undefined;
  readonly #required: Buffer | undefined;
  readonly #scratch: Buffer;

  constructor(required: Buffer | undefined) {
    this.#required = required;
    this.#scratch = Buffer.allocUnsafe(required === undefined ? 0 : MAX_SIFTED);
  }

  /** Whether a file does not hold them, or cannot be read, which is counted; it is then closed. */
  passesOver(candidate: Candidate, skip: Context['skip']): boolean {
    const mayHold = whileReadable(candidate, skip, () => this.#mayHold(candidate.file)) === true;
    if (!mayHold) candidate.file.close();
    return !mayHold;
  }

  #mayHold(file: OpenFile): boolean {
    this.content = undefined;
    if (this.#required === undefined || file.size >= MAX_SIFTED) return true;
    const bytes = file.readInto(this.#scratch, 0);
    // A file that grows under our eyes is searched as it comes.
    if (bytes.length === MAX_SIFTED) return true;
    this.content = bytes;
    if (bytes.includes(this.#required)) return true;
    return bytes.length >= 2 && UTF_16_MARKS.includes(bytes.readUInt16LE(0));
  }
}

/** Gathers candidates until there are enough for a search. */
class Batch {
  #candidates: Candidate[] = [];
  #bytes = 0;
  #size = FIRST_BATCH;

  /** Takes a candidate; gives the batches that are complete. */
  *add(candidate: Candidate): Generator<CandidateBatch, void> {
    const isLarge = candidate.file.size >= LARGE;
    const before = isLarge ? this.#empty() : [];
    // Where `close` finds it: whoever takes what came before may not come back.
    this.#candidates.push(candidate);
    this.#bytes += candidate.file.size;
    if (before.length > 0) yield { candidates: before, isLarge: false };
    if (isLarge) yield { candidates: this.#empty(), isLarge };
    else if (this.#isFullWith(candidate)) {
      this.#size = Math.min(this.#size * GROWTH, MAX_BATCH);
      yield* this.take();
    }
  }

  #isFullWith({ file }: Candidate): boolean {
    const { length } = this.#candidates;
    if (length >= this.#size || this.#bytes >= LARGE) return true;
    return length >= SMALLEST_BATCH && areDescriptorsShort(file.descriptor);
  }

  /** Gives what there is. */
  *take(): Generator<CandidateBatch, void> {
    const candidates = this.#empty();
    if (candidates.length > 0) yield { candidates, isLarge: false };
  }

  close(): void {
    for (const { file } of this.#empty()) file.close();
  }

  #empty(): Candidate[] {
    const candidates = this.#candidates;
    this.#candidates = [];
    this.#bytes = 0;
    return candidates;
  }
}
