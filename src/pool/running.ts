import type { Workspace } from '../workspace/workspace.ts';
import { Outlet } from './outlet.ts';
import { perform } from './perform.ts';
import type { Job, PartSummary, Response } from './protocol.ts';
import { sendRaw } from './raw.ts';

/** A job under way in a worker. */
export class Running {
  readonly outlet: Outlet;
  readonly #cancel = new AbortController();
  readonly #id: number;
  readonly #job: Job;
  readonly #workspace: Workspace;
  readonly #post: (response: Response, transfer?: ArrayBuffer[]) => void;
  /** What the reply ends with, which goes with the word that it has ended. */
  #last: Uint8Array<ArrayBuffer> | undefined;
  /** Whether parts of its walk were given away. */
  #isShared = false;
  #joined: (parts: PartSummary[]) => void = () => {};

  constructor(
    id: number,
    job: Job,
    workspace: Workspace,
    post: (response: Response, transfer?: ArrayBuffer[]) => void,
  ) {
    this.#id = id;
    this.#job = job;
    this.#workspace = workspace;
    this.#post = post;
    this.outlet = new Outlet((bytes, isOpen, isLast) => {
      if (isLast) this.#last = bytes;
      else post({ type: 'chunk', id, bytes, isOpen }, [bytes.buffer]);
    });
  }

  async run(): Promise<void> {
    const summary = await this.#perform();
    const last = this.#last;
    this.#post({ type: 'end', id: this.#id, summary, last }, last === undefined ? [] : [last.buffer]);
  }

  #perform(): Promise<PartSummary> {
    const { signal } = this.#cancel;
    if (this.#job.kind === 'raw') {
      return sendRaw(this.#job, this.#workspace, this.outlet, signal, (head) =>
        this.#post({ type: 'head', id: this.#id, head }),
      );
    }
    const isPart = this.#job.part !== undefined;
    if (isPart) this.outlet.share();
    return perform(this.#job, this.#workspace, this.outlet, signal, async () => (isPart ? [] : this.#join()));
  }

  cancel(): void {
    this.#cancel.abort();
  }

  /** Gives part of its walk away. */
  split(): void {
    const part = this.#workspace.split();
    if (part !== undefined) {
      this.#isShared = true;
      this.outlet.share();
    }
    this.#post({ type: 'split', id: this.#id, part });
  }

  /** All others are done with their parts. */
  joined(parts: PartSummary[]): void {
    this.#joined(parts);
  }

  /** Waits for all who have parts of the walk, or parts of those; gives what they did. */
  async #join(): Promise<PartSummary[]> {
    const { signal } = this.#cancel;
    if (!this.#isShared || signal.aborted) return [];
    return new Promise((resolve) => {
      this.#joined = resolve;
      signal.addEventListener('abort', () => resolve([]), { once: true });
      this.#post({ type: 'waits', id: this.#id });
    });
  }
}
