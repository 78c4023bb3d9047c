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
  readonly #cancel: () => void;
  #unacknowledged: (() => void)[] = [];

  constructor(cancel: () => void) {
    super();
    this.#cancel = cancel;
  }

  /** Adds a chunk; `acknowledge` tells whoever made it that it was taken. */
  add(bytes: Uint8Array, acknowledge: () => void): void {
    this.#unacknowledged.push(acknowledge);
    this.push(bytes);
  }

  override _read(): void {
    const taken = this.#unacknowledged;
    this.#unacknowledged = [];
    for (const acknowledge of taken) acknowledge();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#cancel();
    callback(error);
  }
}
