import { Busy } from '../errors.ts';

interface Waiting {
  enter: () => void;
  leave: () => void;
}

/**
 * A number of places, and a queue before them. Whoever finds the queue full is
 * told at once to come back later: waiting would only make it longer.
 */
export class Places {
  taken = 0;
  readonly #size: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();

  constructor(size: number, maxWaiting: number) {
    this.#size = size;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when a place is taken, which `leave` gives back. Throws BUSY; rejects when `signal` aborts. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.taken < this.#size) {
      this.taken += 1;
      return;
    }
    if (this.#waiting.size >= this.#maxWaiting) {
      throw new Busy('Too many searches are under way. Try again in a moment.');
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        enter: () => {
          signal.removeEventListener('abort', waiting.leave);
          resolve();
        },
        leave: () => {
          this.#waiting.delete(waiting);
          reject(signal.reason);
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', waiting.leave, { once: true });
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.enter();
  }
}
