import type { Static, TObject, TSchema } from 'typebox';
import type { SkipReason } from '../workspace/walk.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What an operation may use. */
export interface Context {
  workspace: Workspace;
  /** Aborted when the time is up or the caller is gone; the operation then ends with what it has. */
  signal: AbortSignal;
  /** Counts an entry that was met and left out. `path` is its path as shown, for hints. */
  skip(reason: SkipReason, path?: string): void;
}

/** How a reply begins. */
export interface Head {
  path: string;
  path_bytes?: string;
  pattern?: string;
}

/**
 * An operation under way. `records` yields batches in order, empty ones too, so
 * that whoever drives it can pause, share its thread and stop it between any
 * two; it knows nothing of limits, encodings or HTTP. `close` frees what the
 * run holds; it is called once, whether or not `records` was ever started.
 */
export interface Run<R> {
  head: Head;
  records: AsyncGenerator<R[], void>;
  /** Whether what comes next belongs with the last record, and nothing of others may come between them. */
  isInside?(): boolean;
  /** Why the operation left off before its end, once `records` is done. */
  cutBy?(): 'limit' | undefined;
  /** What the operation itself adds to the end of the reply, once `records` is done. */
  end?(): object;
  /** Why nothing was found, where that can be told; asked for when there are no records. */
  hints?(): Promise<string[]>;
  close(): void;
}

/**
 * One operation: its name and schemas, from which the endpoints, the documents
 * and the tool definitions are made, and how it runs.
 */
export interface Operation<I extends TObject = TObject, R extends TSchema = TSchema> {
  name: string;
  /** One line, for lists. */
  summary: string;
  /** For the model that is to choose: when to use it, what it leaves out, how to go on when truncated. */
  description: string;
  input: I;
  record: R;
  /** The `type` of a record's line in a stream. */
  recordType: 'entry' | 'match' | 'text';
  /** The JSON reply's member that holds the records; without one, `fold` makes a member of them. */
  list?: 'entries' | 'matches';
  /** Members of the JSON reply made of all records together. */
  fold?(records: Static<R>[]): object;
  /** What `end` adds, as schemas. */
  endFields?: Record<string, TSchema>;
  /** Whether an input makes it walk a tree, so that it takes one of the places for searches. */
  isSearch(input: Static<I>): boolean;
  /** Whether its records are those of a walk's entries, one by one, so that threads may share a walk whose order does not matter. */
  isShareable?: true;
  /** A record in the text form: a line without its end, or, when the operation has no list, a piece of the text. */
  toText(record: Static<R>): string;
  /** Checks what only running can tell, and begins. Throws catalogued errors. */
  start(input: Static<I>, context: Context): Run<Static<R>>;
}

/** Keeps the schemas' types while declaring an operation. */
export function defineOperation<I extends TObject, R extends TSchema>(operation: Operation<I, R>): Operation<I, R> {
  return operation;
}
