import { type Failure, toError, toProblem } from '../problem.ts';
import { toErrorLine } from '../results/ndjson.ts';
import type { Job, ReplyHead, Response, Summary } from './protocol.ts';
import { type Reply, ReplyBody } from './reply.ts';

/** A job that a worker has, from the side that waits for it. */
export class Pending {
  /** Resolves when the reply begins; rejects when the job fails before that. */
  readonly reply: Promise<Reply>;
  /** Resolves when the job has ended, however it did. */
  readonly ended: Promise<void>;
  readonly #job: Job;
  readonly #body: ReplyBody;
  readonly #summary: Promise<Summary>;
  #head: ReplyHead | undefined;
  #hasBegun = false;
  #hasEnded = false;
  #begin: (reply: Reply) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #finish: (summary: Summary) => void = () => {};
  #break: (error: Error) => void = () => {};

  constructor(job: Job, acknowledge: () => void, cancel: () => void) {
    this.#job = job;
    this.#body = new ReplyBody(acknowledge, () => {
      if (!this.#hasEnded) cancel();
    });
    this.reply = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    this.#summary = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#break = reject;
    });
    this.ended = this.#summary.then(
      () => {},
      () => {},
    );
  }

  take(response: Exclude<Response, { type: 'ready' | 'child' | 'warning' }>): void {
    switch (response.type) {
      case 'head':
        this.#head = response.head;
        return;
      case 'chunk':
        this.#start();
        this.#body.add(response.bytes);
        return;
      case 'end':
        this.#start();
        this.#hasEnded = true;
        // Before the last byte: whoever sees the end may ask for the summary.
        this.#finish(response.summary);
        this.#body.push(null);
        return;
      default:
        this.fail(response.failure);
    }
  }

  /** Nobody waits for the reply any more. */
  abandon(reason: Error): void {
    this.#refuse(reason);
    this.#body.destroy();
  }

  /** The job has failed, or the worker that had it is gone. */
  fail(failure: Failure): void {
    const error = toError(failure);
    this.#hasEnded = true;
    this.#break(error);
    if (!this.#hasBegun) {
      this.#refuse(Object.assign(error, { head: this.#head }));
      this.#body.destroy();
      return;
    }
    if (this.#job.kind === 'operation' && this.#job.form === 'ndjson') {
      this.#body.push(toErrorLine(toProblem(error, this.#job.requestId)));
      this.#body.push(null);
      return;
    }
    this.#body.destroy(error);
  }

  #start(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#begin({ head: this.#head, body: this.#body, summary: this.#summary });
  }
}
