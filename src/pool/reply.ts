import { Readable } from 'node:stream';
import type { ReplyHead, Summary } from './protocol.ts';

/** A reply under way: what it begins with, and its bytes as they come. */
export interface Reply {
  head: ReplyHead | undefined;
  body: Readable;
  /** Resolves when all of it has been made. */
  summary: Promise<Summary>;
}

/**
 * The bytes of one reply on the reader's side. Each chunk is acknowledged when
 * the reader asks for more, which is what lets the worker go on; a reader that
 * goes away cancels the job.
 */
export class ReplyBody extends Readable {
  readonly #acknowledge: () => void;
  readonly #cancel: () => void;
  #unacknowledged = 0;

  constructor(acknowledge: () => void, cancel: () => void) {
    super();
    this.#acknowledge = acknowledge;
    this.#cancel = cancel;
  }

  add(bytes: Uint8Array): void {
    this.#unacknowledged += 1;
    this.push(bytes);
  }

  override _read(): void {
    for (; this.#unacknowledged > 0; this.#unacknowledged -= 1) this.#acknowledge();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#cancel();
    callback(error);
  }
}
