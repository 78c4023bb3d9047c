import type { Skipped } from '../../src/results/sink.ts';

/** The `skipped` of a reply in which nothing else was left out. */
export function skipped(counts: Partial<Skipped> = {}): Skipped {
  return { excluded: 0, ignored: 0, unreadable: 0, binary: 0, too_large: 0, undecodable: 0, ...counts };
}
