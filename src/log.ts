import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** What may wait to be read, in characters; lines beyond it are dropped. */
const MAX_WAITING = 1024 * 1024;
const WARN = 40;

/**
 * The log on a stream that may not be read, as a pipe whose reader hangs: the
 * service goes on, does not grow by what waits, and ends when it is told to.
 * Lines that are dropped for that are counted, and told once there is room.
 */
export class LogOutput {
  readonly #stream: Writable;
  readonly #maxWaiting: number;
  #dropped = 0;

  constructor(stream: Writable, maxWaiting: number = MAX_WAITING) {
    this.#stream = stream;
    this.#maxWaiting = maxWaiting;
    // A reader that is gone (EPIPE) ends the log and not the service.
    stream.on('error', () => {});
    stream.on('drain', () => this.#tellDropped());
  }

  /** Takes a line of pino's. */
  write(line: string): void {
    if (this.#stream.writableLength + line.length > this.#maxWaiting) this.#dropped += 1;
    else this.#stream.write(line);
  }

  /** Resolves when what waits is written, and after so many milliseconds in any case. */
  async flush(milliseconds: number): Promise<void> {
    const written = new Promise<void>((resolve) => this.#stream.write('', () => resolve()));
    await Promise.race([written, setTimeout(milliseconds, undefined, { ref: false })]);
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const msg = `${this.#dropped} lines of the log were dropped: it was not read in time`;
    this.#dropped = 0;
    this.#stream.write(`${JSON.stringify({ level: WARN, time: Date.now(), pid: process.pid, msg })}\n`);
  }
}
