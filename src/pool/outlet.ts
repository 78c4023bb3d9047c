import type { Out } from '../results/sink.ts';

/** Bytes that are gathered before they cross to the other thread. */
const CHUNK = 64 * 1024;
/** Chunks on their way at once: the reader's pace is the worker's. */
const WINDOW = 4;
/** Records do not wait longer than this for a chunk to fill, in milliseconds. */
const MAX_WAIT = 20;

/** `isOpen`: what comes next may not be parted from these bytes. `isLast`: nothing comes next. */
type Send = (bytes: Uint8Array<ArrayBuffer>, isOpen: boolean, isLast: boolean) => void;

/**
 * The way out of a worker: gathers what a reply is made of into chunks, and
 * makes the worker wait while the reader is behind.
 */
export class Outlet {
  /** Whether anything has gone out, so that a failure can have no status of its own any more. */
  hasStarted = false;
  /** That have gone out. */
  bytes = 0;
  readonly #send: Send;
  #text = '';
  /** Whether what was written last may not be parted from what comes next, and whether that was so when something went out. */
  #isOpen = false;
  #wentOutOpen = false;
  #isShared = false;
  #onItsWay = 0;
  #lastSent = performance.now();
  #resume: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Whether what comes next belongs to what was written last, so that nothing of others may come between them. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    this.#tellEnd();
  }

  /** From now on others add to the same reply. */
  share(): void {
    this.#isShared = true;
    this.#tellEnd();
  }

  /** Others wait for the end of what went out open, and are not kept waiting for a chunk to fill. */
  #tellEnd(): void {
    if (!this.#isShared || this.#isOpen || !this.#wentOutOpen) return;
    if (this.#text === '') this.#post(new Uint8Array(0), false);
    else this.flush();
  }

  /** Takes text; what follows the first of all waits no longer than it may, whatever comes after it. */
  readonly write: Out = (text) => {
    this.#text += text;
    if (this.hasStarted) this.#timer ??= setTimeout(this.#flushLate, MAX_WAIT);
  };

  /** Sends bytes as they are; nothing may follow those that are the last. */
  writeBytes(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#post(bytes, isLast);
  }

  /** Sends what there is when it fills a chunk, is the first of all, or has waited long enough. */
  flushIfDue(): void {
    const isDue = this.#text.length >= CHUNK || !this.hasStarted || performance.now() - this.#lastSent >= MAX_WAIT;
    if (isDue) this.flush();
  }

  flush(): void {
    this.#flush(false);
  }

  /** Sends what is left: as the last where nobody else adds to the reply. */
  end(): void {
    this.#flush(!this.#isShared);
  }

  #flush(isLast: boolean): void {
    this.close();
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    const { read, written } = encoder.encodeInto(text, scratch);
    // At once, so that a line is never parted by another thread's.
    this.#post(read === text.length ? scratch.slice(0, written) : encoder.encode(text), isLast);
  }

  /** Lets nothing go out by itself any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Resolves when the reader has room; at once when `signal` aborts. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#onItsWay < WINDOW || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#resume = () => {
        signal.removeEventListener('abort', resume);
        resolve();
      };
      const resume = this.#resume;
      signal.addEventListener('abort', resume, { once: true });
    });
  }

  /** The reader has taken a chunk. */
  acknowledge(): void {
    this.#onItsWay -= 1;
    this.#resume?.();
    this.#resume = undefined;
  }

  readonly #flushLate = (): void => this.flush();

  #post(bytes: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.hasStarted = true;
    this.#onItsWay += 1;
    this.bytes += bytes.length;
    this.#lastSent = performance.now();
    this.#wentOutOpen = this.#isOpen;
    this.#send(bytes, this.#isOpen, isLast);
  }
}

const encoder = new TextEncoder();
/** Where text is encoded: memory that is new each time takes longer to get than to fill. */
const scratch = new Uint8Array(4 * CHUNK);
