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
    this.#head = membersOf(head);
  }

  write(records: readonly unknown[]): void {
    if (this.#operation.list === undefined) {
      this.#folded.push(...records);
      for (const record of records) this.size += lengthOf(record);
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
    const body = list === undefined ? membersOf(fold?.(this.#folded) ?? {}) : `"${list}":[${this.#records.join(',')}]`;
    this.#out(`{${this.#head},${body},${membersOf(end)}}`);
  }
}

/** How much text a record holds. */
function lengthOf(record: unknown): number {
  const values = typeof record === 'object' && record !== null ? Object.values(record) : [];
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** The members of an object as JSON, without its braces. */
export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
