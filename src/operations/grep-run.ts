import { checkPattern } from '../search/ripgrep.ts';
import { inMemory } from '../search/source.ts';
import type { OpenFile } from '../workspace/open.ts';
import type { Located } from '../workspace/resolve.ts';
import type { Found } from '../workspace/walk.ts';
import { BatchSearch, Searches } from './batch-search.ts';
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
