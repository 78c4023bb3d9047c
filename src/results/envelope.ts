import type { Head, Operation } from '../operations/operation.ts';
import { JsonSink, membersOf } from './json.ts';
import type { End, Out, Sink } from './sink.ts';
import { TextSink } from './text.ts';

/** What the envelope of `/execute` holds beside `content` and `result`, in two parts around them. */
export interface EnvelopeMembers {
  before: object;
  after: object;
}

/** Collects a reply in both forms and gives them as the envelope of `/execute`. */
export class EnvelopeSink implements Sink {
  readonly #json: JsonSink;
  readonly #text: TextSink;
  readonly #out: Out;
  readonly #members: EnvelopeMembers;
  #result = '';
  #content = '';

  constructor(operation: Operation, out: Out, members: EnvelopeMembers, options: { relative: boolean }) {
    this.#out = out;
    this.#members = members;
    this.#json = new JsonSink(operation, (json) => {
      this.#result = json;
    });
    this.#text = new TextSink(
      operation,
      (text) => {
        this.#content = text;
      },
      options,
    );
  }

  get size(): number {
    return this.#json.size + this.#text.size;
  }

  begin(head: Head): void {
    this.#json.begin(head);
    this.#text.begin(head);
  }

  write(records: readonly unknown[]): void {
    this.#json.write(records);
    this.#text.write(records);
  }

  end(end: End): void {
    this.#json.end(end);
    this.#text.end(end);
    const { after, before } = this.#members;
    const own = `"content":${JSON.stringify(this.#content)},"result":${this.#result}`;
    const members = [membersOf(before), own, membersOf(after)].filter((part) => part !== '');
    this.#out(`{${members.join(',')}}`);
  }
}
