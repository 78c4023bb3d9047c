import { type Failure, toError, toProblem } from '../problem.ts';
import { toErrorLine } from '../results/ndjson.ts';
import type { Holder, TaskResponse } from './crew.ts';
import type { Job, ReplyHead, Summary } from './protocol.ts';
import { type Reply, ReplyBody } from './reply.ts';

const NOTHING = new Uint8Array(0);

/** A job that a worker has, from the side that waits for it. */
export class Pending implements Holder {
  readonly isIdle = false;
  /** Resolves when the reply begins; rejects when the job fails before that. */
  readonly reply: Promise<Reply>;
  /** Resolves when the job has ended, however it did. */
  readonly ended: Promise<void>;
  readonly #job: Job;
  readonly #acknowledge: () => void;
  readonly #cancel: () => void;
  #body: ReplyBody | undefined;
  readonly #summary: Promise<Summary>;
  #head: ReplyHead | undefined;
  #hasEnded = false;
  #begin: (reply: Reply) => void = () => {};
  #refuse: (error: Error) => void = () => {};
  #finish: (summary: Summary) => void = () => {};
  #break: (error: Error) => void = () => {};

  constructor(job: Job, acknowledge: () => void, cancel: () => void) {
    this.#job = job;
    this.#acknowledge = acknowledge;
    this.#cancel = cancel;
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

  take(response: TaskResponse): void {
    if (this.#hasEnded) return;
    switch (response.type) {
      case 'head':
        this.#head = response.head;
        return;
      case 'chunk':
        this.add(response.bytes, this.#acknowledge);
        return;
      case 'end':
        this.#end(response);
        return;
      case 'failure':
        this.fail(response.failure);
        return;
      default:
      // Of a walk that is shared, which a crew sees to.
    }
  }

  /** Adds bytes of records to the reply, made by whoever is to be told that they were taken. */
  add(bytes: Uint8Array, acknowledge: () => void): void {
    if (!this.#hasEnded) this.#stream().add(bytes, acknowledge);
  }

  /** Nobody waits for the reply any more. */
  abandon(reason: Error): void {
    this.#refuse(reason);
    this.#stream().destroy();
  }

  /** The job has failed, or the worker that had it is gone. */
  fail(failure: Failure): void {
    if (this.#hasEnded) return;
    const error = toError(failure);
    this.#hasEnded = true;
    this.#break(error);
    if (this.#body === undefined) {
      this.#refuse(Object.assign(error, { head: this.#head }));
      return;
    }
    if (this.#job.kind === 'operation' && this.#job.form === 'ndjson') {
      this.#body.push(toErrorLine(toProblem(error, this.#job.requestId)));
      this.#body.push(null);
      return;
    }
    this.#body.destroy(error);
  }

  #end({ last = NOTHING, summary }: Extract<TaskResponse, { type: 'end' }>): void {
    this.#hasEnded = true;
    // Before the last byte: whoever sees the end may ask for the summary.
    this.#finish(summary);
    if (this.#body === undefined) {
      this.#start(Buffer.from(last.buffer, last.byteOffset, last.byteLength));
      return;
    }
    if (last.length > 0) this.#body.push(last);
    this.#body.push(null);
  }

  /** The reply as a stream, which begins here unless it has begun. */
  #stream(): ReplyBody {
    if (this.#body !== undefined) return this.#body;
    this.#body = new ReplyBody(() => {
      if (!this.#hasEnded) this.#cancel();
    });
    this.#start(this.#body);
    return this.#body;
  }

  #start(body: Reply['body']): void {
    this.#begin({ head: this.#head, body, summary: this.#summary });
  }
}
