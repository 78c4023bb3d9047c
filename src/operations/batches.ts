import { setImmediate } from 'node:timers/promises';
import { textOf } from '../search/source.ts';
import { areDescriptorsShort, descriptorsToSpare } from '../workspace/descriptors.ts';
import { type Batch, FileBatch } from './batch.ts';
import { type Candidate, Sieve } from './candidates.ts';
import type { GrepQuery } from './grep-query.ts';
import type { Context } from './operation.ts';
import { TextBatch } from './text-batch.ts';

/** The first batch of texts, in bytes, is small, so that the first result comes early; the next ones make up for the start of a process. */
const FIRST_TEXT = 128 * 1024;
const TEXT_GROWTH = 4;
const MAX_TEXT = 1024 * 1024;
/** The same of files. */
const FIRST_FILES = 32;
const FILES_GROWTH = 2;
/** Each file of a batch takes a descriptor; each batch takes a process, for which all the memory of this one is mapped anew. */
const MAX_FILES = Math.min(1024, Math.max(256, descriptorsToSpare / 8));
/** What is worth a process even where descriptors are short. */
const FEWEST_FILES = 8;
/** A file of this size is searched alone, and not kept waiting for by smaller ones. */
const LARGE = 16 * 1024 * 1024;

/**
 * Candidates in batches for one search each, in order: small files by their
 * texts, others as open files. Small ones without the required bytes are left
 * out. Whoever takes a batch closes it.
 */
export async function* batchesOf(
  candidates: Iterable<Candidate | undefined>,
  query: GrepQuery,
  { signal, skip }: Pick<Context, 'signal' | 'skip'>,
): AsyncGenerator<Batch, void> {
  const gathered = new Gathered(query, skip);
  try {
    for (const candidate of candidates) {
      if (candidate !== undefined) {
        yield* gathered.add(candidate);
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

  constructor({ bounds, isByLine, required }: GrepQuery, skip: Context['skip']) {
    this.#isByLine = isByLine;
    this.#skip = skip;
    this.#sieve = new Sieve(required, isByLine);
    this.#texts = new Texts(bounds.maxPerFile);
  }

  /** Takes a candidate; gives the batches that are complete. */
  *add(candidate: Candidate): Generator<Batch, void> {
    if (this.#sieve.passesOver(candidate, this.#skip)) return;
    const { content } = this.#sieve;
    if (content !== undefined && this.#isByLine) {
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

  /** Gives what there is. */
  *take(): Generator<Batch, void> {
    yield* this.#texts.take();
    yield* this.#files.take();
  }

  close(): void {
    this.#files.close();
  }
}

class Texts {
  readonly #free: Buffer[] = [];
  readonly #maxPerFile: number;
  #batch: TextBatch | undefined;
  #size = FIRST_TEXT;

  constructor(maxPerFile: number) {
    this.#maxPerFile = maxPerFile;
  }

  /** Takes the content of a small file; gives the batch that has no room for it. */
  *add(candidate: Candidate, content: Buffer): Generator<Batch, void> {
    const text = textOf(content, 'auto');
    if (this.#batch?.hasRoomFor(text) === false) {
      yield* this.take();
      this.#size = Math.min(this.#size * TEXT_GROWTH, MAX_TEXT);
    }
    this.#batch ??= this.#newBatch(TextBatch.roomFor(text));
    this.#batch.add(candidate, text);
  }

  *take(): Generator<Batch, void> {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch !== undefined) yield batch;
  }

  /** Rooms of full size are used again: memory that is new for each takes longer to get than to fill. */
  #newBatch(least: number): TextBatch {
    const size = Math.max(this.#size, least);
    if (size < MAX_TEXT) return new TextBatch(Buffer.allocUnsafeSlow(size), this.#maxPerFile, () => {});
    const room = this.#free.pop() ?? Buffer.allocUnsafeSlow(size);
    return new TextBatch(room, this.#maxPerFile, () => this.#free.push(room));
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
