import type { Operation } from '../operations/operation.ts';
import type { End, Out, Sink } from './sink.ts';

const CONTROL = /[\0-\x1f\x7f\u2028\u2029]/;

/**
 * Collects what a model should read: a result a line, a file's text as it is,
 * and a last line in brackets when there is more, or when there is nothing.
 */
export class TextSink implements Sink {
  readonly #operation: Operation;
  readonly #out: Out;
  readonly #relativeTo: boolean;
  #top = '';
  #text = '';

  /** With `relative`, paths are shown below the start of the search. */
  constructor(operation: Operation, out: Out, { relative }: { relative: boolean }) {
    this.#operation = operation;
    this.#out = out;
    this.#relativeTo = relative;
  }

  get size(): number {
    return this.#text.length;
  }

  begin({ path }: { path: string }): void {
    this.#top = this.#relativeTo ? path : '';
  }

  write(records: readonly unknown[]): void {
    const end = this.#operation.list === undefined ? '' : '\n';
    for (const record of records) this.#text += this.#operation.toText(this.#shown(record)) + end;
  }

  end(end: End): void {
    const note = noteOf(end);
    const separator = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#out(note === undefined ? this.#text : `${this.#text}${separator}[${note}]\n`);
  }

  /** The record with its path as one line of text shows it. */
  #shown(record: unknown): unknown {
    if (typeof record !== 'object' || record === null || !('path' in record)) return record;
    const path = String(record.path);
    const below = path.startsWith(this.#top) ? path.slice(this.#top.length) : path;
    // A name may hold line breaks; as JSON it stays on its line.
    return { ...record, path: CONTROL.test(below) ? JSON.stringify(below) : below };
  }
}

function noteOf(end: End): string | undefined {
  if (end.truncated) return `Truncated: ${REASONS[end.truncated_by ?? 'limit'](end)}`;
  if (end.count !== 0) return undefined;
  return ['No results.', ...(end.hints ?? [])].join(' ');
}

const REASONS: Record<NonNullable<End['truncated_by']>, (end: End) => string> = {
  maxResults: () => 'there is more. Raise maxResults, or narrow the search.',
  limit: ({ next }) =>
    next === undefined
      ? "there is more than the server's limit. Narrow the search: start it further down, or make the pattern stricter."
      : `there is more. ${goOn(next)}`,
  maxBytes: ({ next }) => `there is more. ${goOn(next)}`,
  timeout: () => 'the time ran out before all was searched. Narrow the search, or raise timeoutMs.',
};

function goOn(next: unknown): string {
  const fields = Object.entries(next ?? {}).map(([name, value]) => `${name}=${value}`);
  return `Go on with ${fields.join(' and ')}.`;
}
