import { Readable } from 'node:stream';
import type { ReplyHead, Summary } from './protocol.ts';

/** A reply under way: what it begins with, and its bytes as they come. */
export interface Reply {
  head: ReplyHead | undefined;
  /** A stream where it begins before it ends; a reply that is collected is whole. */
  body: Buffer | Readable;
  /** Resolves when all of it has been made. */
  summary: Promise<Summary>;
}

/** The body of a reply that is collected. */
export function wholeOf({ body }: Reply): Buffer {
  if (body instanceof Buffer) return body;
  throw new Error('the reply comes in pieces');
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
