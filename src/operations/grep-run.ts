import { lineHits } from '../search/line-hits.ts';
import type { SearchEvent } from '../search/output.ts';
import { checkPattern, Search, type Searching } from '../search/ripgrep.ts';
import { inMemory } from '../search/source.ts';
import { TextSearch } from '../search/text-search.ts';
import type { OpenFile } from '../workspace/open.ts';
import type { Located } from '../workspace/resolve.ts';
import type { Found, SkipReason } from '../workspace/walk.ts';
import type { Batch } from './batch.ts';
import { batchesOf } from './batches.ts';
import { type Candidate, candidatesOf, isTooLarge, Sieve } from './candidates.ts';
import { FileHits } from './file-hits.ts';
import type { Match } from './grep.ts';
import type { GrepQuery } from './grep-query.ts';
import type { Context } from './operation.ts';

/** Files looked through before others have the thread. */
const FILES_PER_BATCH = 32;
const RECORDS_PER_BATCH = 256;

/** The matches in the files of a walk that started at `start`, in its order: by ourselves where we can, else by ripgrep. */
export function searchFound(
  start: Located,
  found: Iterable<Found[]>,
  query: GrepQuery,
  context: Context,
): AsyncGenerator<Match[], void> {
  return query.literal === undefined
    ? ripgrepFound(start, found, query, context)
    : scanFound(start, found, query.literal, query, context);
}

/** Looks for literal text in the files themselves, each opened inside the workspace. */
async function* scanFound(
  start: Located,
  found: Iterable<Found[]>,
  text: Buffer,
  query: GrepQuery,
  { signal, skip, workspace }: Context,
): AsyncGenerator<Match[], void> {
  const opener = workspace.openerAt(start);
  let batch: Match[] = [];
  try {
    const candidates = candidatesOf(found, opener, toPath(start), query.pattern.encoding, skip);
    for (const matches of scanAll(candidates, text, query, skip)) {
      for (const match of matches) batch.push(match);
      if (matches.length > 0 && batch.length < RECORDS_PER_BATCH) continue;
      yield batch;
      batch = [];
      if (signal.aborted) return;
    }
    yield batch;
  } finally {
    opener.close();
  }
}

/** The matches in candidates; empty batches are pauses. */
function* scanAll(
  candidates: Iterable<Candidate | undefined>,
  text: Buffer,
  query: GrepQuery,
  skip: Context['skip'],
): Generator<Match[], void> {
  const sieve = new Sieve(text);
  let files = 0;
  for (const candidate of candidates) {
    if (candidate !== undefined) yield* sifted(candidate, sieve, text, query, skip);
    files += 1;
    if (candidate === undefined || files % FILES_PER_BATCH === 0) yield [];
  }
}

/** The matches in a candidate, which is closed. Most files hold none, and are done with one look. */
function sifted(
  candidate: Candidate,
  sieve: Sieve,
  text: Buffer,
  query: GrepQuery,
  skip: Context['skip'],
): Iterable<Match[]> {
  const { file } = candidate;
  if (sieve.passesOver(candidate, skip)) return [];
  const content = sieve.content === undefined ? file : inMemory(sieve.content);
  return scanFile(new FileHits(candidate, file, query, skip, content), text);
}

/** The matches in one open file, which it closes; empty batches are pauses. */
function* scanFile(hits: FileHits, text: Buffer): Generator<Match[], void> {
  try {
    for (const batch of hits.scan(text)) {
      if (batch.length === 0) yield [];
      else yield* hits.add(batch);
      if (hits.isDone) break;
    }
    yield* hits.finish();
  } finally {
    hits.close();
  }
}

/** Records of a small file that are kept back until all of them are there. */
const MAX_KEPT = 1000;
/** Searches under way at once; their results are given in the order of the walk all the same. */
const PARALLEL = 2;

async function* ripgrepFound(
  start: Located,
  found: Iterable<Found[]>,
  query: GrepQuery,
  context: Context,
): AsyncGenerator<Match[], void> {
  const opener = context.workspace.openerAt(start);
  try {
    const candidates = candidatesOf(found, opener, toPath(start), query.pattern.encoding, context.skip);
    yield* ripgrepAll(candidates, query, context);
  } finally {
    opener.close();
  }
}

/** The matches in candidates, by ripgrep. */
async function* ripgrepAll(
  candidates: Iterable<Candidate | undefined>,
  query: GrepQuery,
  context: Context,
): AsyncGenerator<Match[], void> {
  const batches = batchesOf(candidates, query, context);
  const searches = new Searches(query, context.signal);
  const running: BatchSearch[] = [];
  const startMore = async () => {
    while (running.length < PARALLEL) {
      const next = await batches.next();
      if (next.done === true || (next.value === undefined && running.length > 0)) return;
      if (next.value !== undefined) running.push(new BatchSearch(next.value, searches, query, context));
    }
  };
  try {
    await startMore();
    if (running.length === 0) await checkUnused(query, context);
    for (let first = running.shift(); first !== undefined; first = running.shift()) {
      yield* first.records();
      if (query.outcome.isCut) return;
      await startMore();
    }
  } finally {
    for (const search of running) search.stop();
    searches.stop();
    await batches.return();
  }
}

function toPath({ shown }: Located): string {
  return shown.length === 0 ? '' : `/${shown.join('/')}`;
}

/** The matches in one open file. */
export async function* searchFile(
  named: { path: string; text: string },
  file: OpenFile,
  query: GrepQuery,
  context: Context,
): AsyncGenerator<Match[], void> {
  if (isTooLarge(named.path, file, query.pattern.encoding, context.skip)) await checkUnused(query, context);
  else if (query.literal !== undefined) yield* scanFile(new FileHits(named, file, query, context.skip), query.literal);
  else yield* ripgrepAll([{ ...named, file }], query, context);
}

/** Without a file to search, nothing has looked at the pattern yet. Throws PATTERN_INVALID. */
async function checkUnused({ bounds, pattern }: GrepQuery, { signal }: Context): Promise<void> {
  if (pattern.isRegex) await checkPattern(pattern, signal, bounds);
}

/** A batch of files that ripgrep is searching. */
class BatchSearch {
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
class Searches {
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
    this.#kept = [];
    this.#isBegun = false;
    this.#outcome.isInside = false;
    if (kept.length > 0) yield kept;
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
