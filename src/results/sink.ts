import type { Head } from '../operations/operation.ts';
import type { Limits, TruncatedBy } from './limiter.ts';

/** Counts of entries that were met and left out. */
export interface Skipped {
  excluded: number;
  ignored: number;
  unreadable: number;
  binary: number;
  too_large: number;
  undecodable: number;
}

/** How a reply ends, beside what the operation itself adds. */
export interface End {
  count?: number;
  truncated: boolean;
  truncated_by?: TruncatedBy;
  skipped?: Skipped;
  hints?: string[];
  [fact: string]: unknown;
}

/** The limits that a reply was made under; absent where there was none. */
export interface EffectiveLimits extends Pick<Limits, 'maxResults'> {
  maxBytes?: number;
  timeoutMs: number;
}

/**
 * Where records go: one form of a reply. `begin` once, `write` for each batch,
 * `end` once unless the run failed. What it makes goes out as strings, in
 * order; a form that streams gives them as they come, one that collects when
 * all is there.
 */
export interface Sink {
  /** Characters that it holds and has not given out. */
  readonly size: number;
  begin(head: Head, limits: EffectiveLimits): void;
  write(records: readonly unknown[]): void;
  end(end: End): void;
}

/** Takes the strings of a reply, in order. */
export type Out = (text: string) => void;
