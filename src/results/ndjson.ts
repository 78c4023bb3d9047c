import type { Head, Operation } from '../operations/operation.ts';
import type { Problem } from '../problem.ts';
import type { EffectiveLimits, End, Out, Sink } from './sink.ts';

/**
 * Lines of JSON as they come, each `{"type", "data"}`: `begin`, the records,
 * and then exactly one `end` or `error`. A body without either is not whole.
 * The list of types may grow; a reader passes over those it does not know.
 */
export class NdjsonSink implements Sink {
  readonly size = 0;
  readonly #operation: Operation;
  readonly #out: Out;
  readonly #started = performance.now();

  constructor(operation: Operation, out: Out) {
    this.#operation = operation;
    this.#out = out;
  }

  begin(head: Head, limits: EffectiveLimits): void {
    this.#out(toLine('begin', { ...head, limits }));
  }

  write(records: readonly unknown[]): void {
    if (records.length === 0) return;
    const opening = `{"type":"${this.#operation.recordType}","data":`;
    // Joined at once: a string that grew by pieces is put together when it is encoded, which takes longer than all else.
    const lines = records.map((record) => JSON.stringify(record)).join(`}\n${opening}`);
    this.#out(`${opening}${lines}}\n`);
  }

  end(end: End): void {
    this.#out(toLine('end', { ...end, elapsed_ms: Math.round(performance.now() - this.#started) }));
  }
}

/** The line that ends a stream that failed after its first record. */
export function toErrorLine(problem: Problem): string {
  return toLine('error', problem);
}

function toLine(type: string, data: object): string {
  return `${JSON.stringify({ type, data })}\n`;
}
