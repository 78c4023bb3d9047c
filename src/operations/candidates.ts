import { setImmediate } from 'node:timers/promises';
import { type Bytes, isFaithful } from '../workspace/names.ts';
import type { Found } from '../workspace/walk.ts';
import type { Context } from './operation.ts';

/** A file to be searched. */
export interface Candidate {
  /** As shown. */
  path: Bytes;
  text: string;
  /** The names below the start. */
  names: readonly Bytes[];
}

/** Larger files are counted, not searched: nobody waits for the whole of them, and an agent can make them of nothing. */
export const MAX_SEARCHED = 4 * 1024 ** 3;
/** The first batch is small, so that the first result comes early; the next ones make up for the start of a process. */
const FIRST_BATCH = 32;
const GROWTH = 4;
const MAX_BATCH = 8192;
/** execve(2) takes 2 MiB of arguments at least; paths take half of that at most. */
const MAX_ARGUMENTS = 1024 * 1024;
/** Longest path that open(2) takes, with room for a prefix. */
const MAX_PATH = 4000;

/**
 * The files of a walk in batches for one search each, in order. A file whose
 * path cannot be an argument, or not be told apart in output, comes alone.
 */
export async function* batchesOf(
  found: Iterable<Found[]>,
  top: Bytes,
  { signal, skip }: Pick<Context, 'signal' | 'skip'>,
): AsyncGenerator<Candidate[], void> {
  const batch = new Batch();
  for (const entries of found) {
    for (const entry of entries) {
      if ((entry.stats?.size ?? 0) > MAX_SEARCHED) skip('too_large', entry.path);
      else yield* batch.add(toCandidate(entry, top));
    }
    await setImmediate();
    if (signal.aborted) return;
  }
  yield* batch.take();
}

/** Gathers candidates until there are enough for a search. */
class Batch {
  #candidates: Candidate[] = [];
  #bytes = 0;
  #size = FIRST_BATCH;

  /** Takes a candidate; gives the batches that are complete. */
  *add(candidate: Candidate): Generator<Candidate[], void> {
    if (!isArgument(candidate)) {
      yield* this.take();
      yield [candidate];
      return;
    }
    this.#candidates.push(candidate);
    this.#bytes += candidate.path.length;
    if (this.#candidates.length < this.#size && this.#bytes < MAX_ARGUMENTS) return;
    this.#size = Math.min(this.#size * GROWTH, MAX_BATCH);
    yield* this.take();
  }

  /** Gives what there is. */
  *take(): Generator<Candidate[], void> {
    if (this.#candidates.length > 0) yield this.#candidates;
    this.#candidates = [];
    this.#bytes = 0;
  }
}

/** Whether the file can be given to a child by its path. */
export function isArgument({ path, text }: Candidate): boolean {
  return path.length < MAX_PATH && !path.includes('\n') && isFaithful(path, text);
}

/** A found file as something to be searched; `top` is the start's path as shown, empty for the root. */
export function toCandidate({ path, text }: Found, top: Bytes): Candidate {
  return { path, text, names: path.slice(top.length + 1).split('/') };
}
