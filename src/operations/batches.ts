import { setImmediate } from 'node:timers/promises';
import { crIsInDoubt } from '../search/argv.ts';
import { textOf } from '../search/source.ts';
import { areDescriptorsShort, descriptorsToSpare } from '../workspace/descriptors.ts';
import { type Batch, FileBatch } from './batch.ts';
import { type Candidate, Sieve } from './candidates.ts';
import type { GrepQuery } from './grep-query.ts';
import type { Context } from './operation.ts';
import { TextBatch, withoutNuls } from './text-batch.ts';

/** The first batch of texts, in bytes, is small, so that the first result comes early; the next ones make up for the start of a process. */
const FIRST_TEXT = 128 * 1024;
const TEXT_GROWTH = 4;
const MAX_TEXT = 1024 * 1024;
/** A batch of many very small files is not waited for either. */
const BYTES_PER_FILE = 1024;
/** A file that ripgrep is handed takes it as long as so many hits take that are found and thrown away. */
const UNWANTED_PER_FILE = 200;
const MANY_UNWANTED = 10_000;
/** Batches of open files grow, too. */
const FIRST_FILES = 32;
const FILES_GROWTH = 2;
/** Each file of a batch takes a descriptor; each batch takes a process, for which all the memory of this one is mapped anew. */
const MAX_FILES = Math.min(1024, Math.max(256, descriptorsToSpare / 8));
/** What is worth a process even where descriptors are short. */
const FEWEST_FILES = 8;
/** A file of this size is searched alone, and not kept waiting for by smaller ones. */
const LARGE = 16 * 1024 * 1024;
/** What waits is searched when so many files were seen: of most of them it may be known that they do not match. */
const FIRST_PATIENCE = 64;
const PATIENCE_GROWTH = 2;
const MAX_PATIENCE = 4096;

/**
 * Candidates in batches for one search each, in order: small files by their
 * texts, others as open files. Small ones without the required bytes are left
 * out. Undefined is a pause, for whoever has batches that are searched. Whoever
 * takes a batch closes it.
 */
export async function* batchesOf(
  candidates: Iterable<Candidate | undefined>,
  query: GrepQuery,
  { signal, skip }: Pick<Context, 'signal' | 'skip'>,
): AsyncGenerator<Batch | undefined, void> {
  const gathered = new Gathered(query, skip);
  try {
    for (const candidate of candidates) {
      if (candidate !== undefined) {
        // Most of them give nothing, for which `yield*` would wait all the same.
        for (const batch of gathered.add(candidate)) yield batch;
        continue;
      }
      await setImmediate();
      if (signal.aborted) return;
    }
    yield* gathered.take();
  } finally {
    gathered.close();
  }
}

/** What waits for company: texts or files, never both, since batches keep the order. */
class Gathered {
  readonly #isByLine: boolean;
  readonly #skip: Context['skip'];
  readonly #sieve: Sieve;
  readonly #texts: Texts;
  readonly #files = new Files();
  #patience = FIRST_PATIENCE;
  /** Candidates that were seen since the last pause. */
  #seen = 0;

  constructor(query: GrepQuery, skip: Context['skip']) {
    this.#isByLine = query.isByLine;
    this.#skip = skip;
    this.#sieve = new Sieve(query.required, query.isByLine);
    this.#texts = new Texts(query);
  }

  /** Takes a candidate; gives the batches that are complete, and at times what waits and a pause. */
  *add(candidate: Candidate): Generator<Batch | undefined, void> {
    if (!this.#sieve.passesOver(candidate, this.#skip)) yield* this.#gather(candidate);
    this.#seen += 1;
    if (this.#seen < this.#patience) return;
    this.#seen = 0;
    this.#patience = Math.min(this.#patience * PATIENCE_GROWTH, MAX_PATIENCE);
    yield* this.take();
    yield undefined;
  }

  /** Gives what there is. */
  *take(): Generator<Batch, void> {
    yield* this.#texts.take();
    yield* this.#files.take();
  }

  close(): void {
    this.#files.close();
  }

  *#gather(candidate: Candidate): Generator<Batch, void> {
    const { content } = this.#sieve;
    if (content !== undefined && this.#isByLine && this.#texts.arePreferred) {
      candidate.file.close();
      yield* this.#files.take();
      yield* this.#texts.add(candidate, content);
    } else {
      // Where `close` finds it: whoever takes what came before may not come back.
      this.#files.push(candidate);
      yield* this.#texts.take();
      yield* this.#files.takeFull();
    }
  }
}

class Texts {
  readonly #free: Buffer[] = [];
  readonly #maxPerFile: number;
  #batch: TextBatch | undefined;
  #size = FIRST_TEXT;
  /** Files in batches that are done, and their hits of which nobody wanted to know. */
  #searched = 0;
  #unwanted = 0;

  constructor({ bounds, pattern }: GrepQuery) {
    // Hits that are in doubt may not count.
    this.#maxPerFile = crIsInDoubt(pattern) ? 0 : bounds.maxPerFile;
  }

  /** Whether a file takes less time as text: handed over by itself, it can be left when enough has been found in it. */
  get arePreferred(): boolean {
    return this.#unwanted <= Math.max(MANY_UNWANTED, this.#searched * UNWANTED_PER_FILE);
  }

  /** Takes the content of a small file, which is written to; gives the batch that has no room for it. */
  *add(candidate: Candidate, content: Buffer): Generator<Batch, void> {
    const decoded = textOf(content, 'auto');
    const isBinary = decoded.includes(0);
    const text = isBinary ? withoutNuls(decoded) : decoded;
    // A file without a line has none that matches.
    if (text.length === 0) return;
    if (this.#isFullFor(text)) {
      yield* this.take();
      this.#size = Math.min(this.#size * TEXT_GROWTH, MAX_TEXT);
    }
    this.#batch ??= this.#newBatch(TextBatch.roomFor(text));
    this.#batch.add(candidate, text, isBinary);
  }

  *take(): Generator<Batch, void> {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch !== undefined) yield batch;
  }

  #isFullFor(text: Buffer): boolean {
    if (this.#batch === undefined) return false;
    return !this.#batch.hasRoomFor(text) || this.#batch.candidates.length >= this.#size / BYTES_PER_FILE;
  }

  #newBatch(least: number): TextBatch {
    const size = Math.max(this.#size, least);
    // Rooms of the usual size are used again: memory that is new for each takes longer to get than to fill.
    const room = (size === MAX_TEXT ? this.#free.pop() : undefined) ?? Buffer.allocUnsafeSlow(size);
    const batch: TextBatch = new TextBatch(room, this.#maxPerFile, () => {
      this.#searched += batch.candidates.length;
      this.#unwanted += batch.unwanted;
      if (size === MAX_TEXT) this.#free.push(room);
    });
    return batch;
  }
}

class Files {
  #candidates: Candidate[] = [];
  #bytes = 0;
  #size = FIRST_FILES;

  push(candidate: Candidate): void {
    this.#candidates.push(candidate);
    this.#bytes += candidate.file.size;
  }

  /** Gives the batches that the last candidate makes complete. */
  *takeFull(): Generator<Batch, void> {
    const last = this.#candidates.at(-1);
    if (last === undefined) return;
    if (last.file.size >= LARGE) yield* this.#takeAlone(last);
    else if (this.#isFullWith(last)) {
      this.#size = Math.min(this.#size * FILES_GROWTH, MAX_FILES);
      yield* this.take();
    }
  }

  *take(): Generator<Batch, void> {
    const candidates = this.#empty();
    if (candidates.length > 0) yield new FileBatch(candidates, false);
  }

  close(): void {
    for (const { file } of this.#empty()) file.close();
  }

  *#takeAlone(last: Candidate): Generator<Batch, void> {
    const before = this.#empty().slice(0, -1);
    this.push(last);
    if (before.length > 0) yield new FileBatch(before, false);
    yield new FileBatch(this.#empty(), true);
  }

  #isFullWith({ file }: Candidate): boolean {
    const { length } = this.#candidates;
    if (length >= this.#size || this.#bytes >= LARGE) return true;
    return length >= FEWEST_FILES && areDescriptorsShort(file.descriptor);
  }

  #empty(): Candidate[] {
    const candidates = this.#candidates;
    this.#candidates = [];
    this.#bytes = 0;
    return candidates;
  }
}
