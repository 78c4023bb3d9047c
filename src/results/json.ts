import type { Head, Operation } from '../operations/operation.ts';
import type { End, Out, Sink } from './sink.ts';

/** Collects a reply and gives it as one JSON object. */
export class JsonSink implements Sink {
  readonly #operation: Operation;
  readonly #out: Out;
  size = 0;
  #head = '';
  readonly #records: string[] = [];
  readonly #folded: unknown[] = [];

  constructor(operation: Operation, out: Out) {
    this.#operation = operation;
    this.#out = out;
  }

  begin(head: Head): void {
    this.#head = JSON.stringify(head);
  }

  write(records: readonly unknown[]): void {
    if (this.#operation.list === undefined) {
      this.#folded.push(...records);
      return;
    }
    for (const record of records) {
      const json = JSON.stringify(record);
      this.#records.push(json);
      this.size += json.length;
    }
  }

  end(end: End): void {
    const { fold, list } = this.#operation;
    const body = list === undefined ? membersOf(fold?.(this.#folded) ?? {}) : `"${list}":[${this.#records.join(',')}],`;
    this.#out(`${this.#head.slice(0, -1)},${body}${JSON.stringify(end).slice(1)}`);
  }
}

/** The members of an object as JSON, ready to be followed by others. */
function membersOf(object: object): string {
  const json = JSON.stringify(object).slice(1, -1);
  return json === '' ? '' : `${json},`;
}
