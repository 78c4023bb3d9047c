import { lineHits } from '../search/line-hits.ts';
import type { SearchEvent } from '../search/output.ts';
import { Search, type Searching } from '../search/ripgrep.ts';
import { TextSearch } from '../search/text-search.ts';
import type { SkipReason } from '../workspace/walk.ts';
import type { Batch } from './batch.ts';
import { FileHits } from './file-hits.ts';
import type { Match } from './grep.ts';
import type { GrepQuery } from './grep-query.ts';
import type { Context } from './operation.ts';

/** Records of a small file that are kept back until all of them are there. */
const MAX_KEPT = 1000;

/** A batch of files that ripgrep is searching. */
export class BatchSearch {
  readonly #batch: Batch;
  readonly #query: GrepQuery;
  readonly #context: Context;
  readonly #search: Searching;
  /** The places of files that are counted: one may fail for ripgrep and for us. */
  readonly #skipped = new Set<number>();

  /** Takes over the batch. */
  constructor(batch: Batch, searches: Searches, query: GrepQuery, context: Context) {
    this.#batch = batch;
    this.#query = query;
    this.#context = context;
    try {
      this.#search = searches.start(batch);
    } catch (error) {
      batch.close();
      throw error;
    }
  }

  async *records(): AsyncGenerator<Match[], void> {
    try {
      const { bounds, pattern } = this.#query;
      const { signal } = this.#context;
      const isWhole = () => !this.#search.isCut && !signal.aborted;
      const found = lineHits({ events: () => this.#located() }, pattern, bounds, signal);
      const maxKept = this.#batch.isLarge ? 0 : MAX_KEPT;
      const hits = new HitsInOrder((index) => this.#hitsOf(index), this.#query.outcome, maxKept);
      yield* matchesOf(found, hits, isWhole);
      if (this.#search.isCut) this.#query.outcome.isCut = true;
      for (const index of this.#search.unreadable) this.#skip(index, 'unreadable');
    } finally {
      this.stop();
    }
  }

  stop(): void {
    this.#search.stop();
    this.#batch.close();
  }

  async *#located(): AsyncGenerator<SearchEvent[], void> {
    for await (const events of this.#search.events()) yield this.#batch.located(events);
  }

  #hitsOf(index: number): FileHits {
    const candidate = this.#batch.candidates[index];
    if (candidate === undefined) throw new Error('a search found a file that it was not given');
    const { file } = candidate;
    const skip = (reason: SkipReason) => this.#skip(index, reason);
    return new FileHits(candidate, file, this.#query, skip, this.#batch.sourceOf(index) ?? file);
  }

  #skip(index: number, reason: SkipReason): void {
    if (this.#skipped.has(index)) return;
    this.#skipped.add(index);
    this.#context.skip(reason, this.#batch.candidates[index]?.path);
  }
}

/** Starts what a query takes of ripgrep: one run for all texts, one for each batch of files. */
export class Searches {
  readonly #query: GrepQuery;
  readonly #signal: AbortSignal;
  #texts: TextSearch | undefined;

  constructor(query: GrepQuery, signal: AbortSignal) {
    this.#query = query;
    this.#signal = signal;
  }

  start({ isLarge, target }: Batch): Searching {
    const { bounds, pattern } = this.#query;
    if ('descriptors' in target) return new Search(pattern, target, { ...bounds, isUnbuffered: isLarge }, this.#signal);
    this.#texts ??= new TextSearch(pattern, bounds, this.#signal);
    return this.#texts.search(target.text);
  }

  stop(): void {
    this.#texts?.stop();
  }
}

/**
 * Records of what is found; `isWhole` is asked at the end: whether the search
 * reached its own.
 */
async function* matchesOf(
  found: AsyncIterable<SearchEvent[]>,
  hits: HitsInOrder,
  isWhole: () => boolean,
): AsyncGenerator<Match[], void> {
  try {
    for await (const events of found) yield* hits.add(events);
    yield* hits.finish(isWhole());
  } finally {
    hits.close();
  }
}

/** Hands each event to the hits of its file; a file is done when the next one begins. */
class HitsInOrder {
  readonly #open: (file: number) => FileHits;
  readonly #outcome: GrepQuery['outcome'];
  readonly #maxKept: number;
  #file = -1;
  #hits: FileHits | undefined;
  /** Records of the file that are not given yet. */
  #kept: Match[] = [];
  /** Whether some of it were given. */
  #isBegun = false;

  /**
   * `open` is called for each file with a hit, when its first one comes. So many
   * records of a file are kept back until all are there: another thread that
   * searches has to wait with its own while a file is begun and not done.
   */
  constructor(open: (file: number) => FileHits, outcome: GrepQuery['outcome'], maxKept: number) {
    this.#open = open;
    this.#outcome = outcome;
    this.#maxKept = maxKept;
  }

  *add(events: readonly SearchEvent[]): Generator<Match[], void> {
    for (let from = 0, to = 1; to <= events.length; to += 1) {
      if (events[to]?.file === events[from]?.file) continue;
      yield* this.#addToFile(events[from]?.file ?? 0, events.slice(from, to));
      from = to;
    }
    this.#outcome.isInside = this.#isBegun;
  }

  *finish(isWhole = true): Generator<Match[], void> {
    const hits = this.#hits;
    this.#hits = undefined;
    if (hits !== undefined) yield* this.#keep(hits.finish(isWhole));
    const kept = this.#kept;
    const isEndAwaited = this.#isBegun;
    this.#kept = [];
    this.#isBegun = false;
    this.#outcome.isInside = false;
    if (kept.length > 0 || isEndAwaited) yield kept;
  }

  *#addToFile(file: number, events: readonly SearchEvent[]): Generator<Match[], void> {
    if (file !== this.#file) yield* this.finish();
    this.#file = file;
    this.#hits ??= this.#open(file);
    yield* this.#keep(this.#hits.add(events.filter((event) => 'line' in event)));
    if (events.some((event) => 'isBinary' in event)) this.#hits.addNul();
  }

  /** Keeps records back while they are few; empty batches are pauses. */
  *#keep(found: Iterable<Match[]>): Generator<Match[], void> {
    for (const matches of found) {
      for (const match of matches) this.#kept.push(match);
      const given = this.#kept.length > this.#maxKept ? this.#kept.splice(0) : [];
      if (given.length > 0) this.#isBegun = true;
      this.#outcome.isInside = this.#isBegun;
      if (given.length > 0 || matches.length === 0) yield given;
    }
  }

  close(): void {
    this.#hits?.close();
  }
}
