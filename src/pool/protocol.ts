import type { Bounds } from '../bounds.ts';
import type { Failure } from '../problem.ts';
import type { EnvelopeMembers } from '../results/envelope.ts';
import type { Limits, TruncatedBy } from '../results/limiter.ts';
import type { Skipped } from '../results/sink.ts';
import type { RootReference } from '../workspace/root.ts';
import type { Part } from '../workspace/workspace.ts';

/** What a worker is set up with. */
export interface Setup {
  root: RootReference;
  /** The operator's rules, in order. */
  policy: readonly string[];
  maxReadBytes: number;
  bounds: Bounds;
  /** Memory for listings that are used again while they prove to be fresh; 0 keeps none. */
  cacheBytes: number;
  /**
   * Makes the thread deny itself, through the kernel, everything but reading
   * the root and the program, which lies in these folders.
   */
  confinedTo?: readonly string[];
}

/** What a worker thread is started with. */
export interface ThreadSetup extends Setup {
  /** Where it marks the descriptors that it has open. */
  marks: SharedArrayBuffer;
}

export type Form = 'json' | 'ndjson' | 'text' | 'envelope';

/** An operation to be run, its input checked. */
export interface OperationJob {
  kind: 'operation';
  operation: string;
  input: Record<string, unknown>;
  form: Form;
  limits: Limits;
  /** Content of a read, in bytes, where that is less than the server's own limit. */
  maxReadBytes?: number;
  timeoutMs: number;
  requestId: string;
  /** In the text form, paths below the start of the search. */
  relativePaths: boolean;
  /** With the form `envelope`. */
  envelope?: EnvelopeMembers;
  /** Part of a walk that another worker leads: its records alone are wanted, without a beginning and an end. */
  part?: Part;
}

/** A file's bytes to be sent, with HTTP's conditions (RFC 9110, sections 13 and 14). */
export interface RawJob {
  kind: 'raw';
  input: { path?: string; pathBytes?: string };
  headers: Record<string, string>;
}

export type Job = OperationJob | RawJob;

/** How a reply begins that is not plain 200. */
export interface ReplyHead {
  status: number;
  headers: Record<string, string>;
}

/**
 * To a worker. `ack` says that the reader has taken a chunk. `split` asks for
 * part of a job's walk, for another worker; `begin` for what begins its reply,
 * since another has something to add; `joined` tells what the others did once
 * they are done.
 */
export type Request =
  | { type: 'split'; id: number }
  | { type: 'begin'; id: number }
  | { type: 'joined'; id: number; parts: PartSummary[] }
  | { type: 'job'; id: number; job: Job }
  | { type: 'ack'; id: number }
  | { type: 'cancel'; id: number };

/**
 * From a worker. A chunk that is open may not be parted from the next one of
 * its worker, which may be empty; `last` of `end` is what follows the chunks, and
 * the whole of most replies. `child` tells of a process that it has
 * started, or that has ended; `warning` is for the log. `split` answers the
 * request; `waits` says that a job has done its own part and waits to be
 * `joined`. A job ends with `end` or `failure`; `failure` after the first chunk
 * breaks the reply off.
 */
export type Response =
  | { type: 'ready' }
  | { type: 'child'; pid: number; isRunning: boolean }
  | { type: 'warning'; text: string }
  | { type: 'head'; id: number; head: ReplyHead }
  | { type: 'chunk'; id: number; bytes: Uint8Array; isOpen: boolean }
  | { type: 'split'; id: number; part: Part | undefined }
  | { type: 'waits'; id: number }
  | { type: 'end'; id: number; summary: PartSummary; last?: Uint8Array | undefined }
  | { type: 'failure'; id: number; failure: Failure };

/** What a finished job tells the log and the metrics. */
export interface Summary {
  records: number;
  /** Of the reply, as they went out. */
  bytes: number;
  truncatedBy?: TruncatedBy;
}

/** What a worker that did part of a walk tells the one that leads it. */
export interface PartSummary extends Summary {
  skipped?: Skipped;
  /** Some of the paths that were excluded, in bytes. */
  excluded?: string[];
}

/** One end of a channel between threads: a worker, its parent, or a message port. */
export interface Peer<Out, In> {
  postMessage(message: Out, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: In) => void): unknown;
}
