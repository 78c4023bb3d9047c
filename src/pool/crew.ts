import type { Failure } from '../problem.ts';
import type { Pending } from './pending.ts';
import type { OperationJob, PartSummary, Request, Response } from './protocol.ts';

/** How long a walk goes on alone, since most are done by then; and what passes before one is asked again that had nothing to give, in milliseconds. */
const ALONE = 2;

/** A job, or part of one, that a thread was given. */
export interface Task {
  readonly id: number;
  post(request: Request): void;
}

/** What a worker says of one task. */
export type TaskResponse = Exclude<Response, { type: 'ready' | 'child' | 'warning' }>;

/** What a thread adds to a reply. */
interface Chunk {
  task: Task;
  bytes: Uint8Array;
  /** Nothing of others may come before the next one of the same thread. */
  isOpen: boolean;
}

/** Whoever waits for what a thread makes of a task. */
export interface Holder {
  /** Resolves when the thread is done with it. */
  readonly ended: Promise<void>;
  /** Whether the thread has it but nothing to do for it. */
  readonly isIdle: boolean;
  take(response: TaskResponse): void;
  /** The thread is gone. */
  fail(failure: Failure): void;
}

/** The threads, as far as a crew is concerned. */
export interface Threads {
  readonly haveIdle: boolean;
  give(job: OperationJob, toHolder: (task: Task) => Holder): void;
}

/**
 * The threads that do one walk together. One of them leads: it begins and ends
 * the reply. Whenever another has nothing to do, one that walks is asked for
 * half of what it has ahead. Records go into the reply as they come from each.
 */
export class Crew implements Holder {
  readonly #job: OperationJob;
  readonly #reply: Pending;
  readonly #lead: Task;
  readonly #threads: Threads;
  readonly #startedAt = performance.now();
  readonly #parts = new Set<Task>();
  readonly #done: PartSummary[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Whose bytes come next: until it has begun the reply the lead's, then those of who is inside what may not be parted. */
  #floor: Task | undefined;
  #hasBegun = false;
  /** What waits for its turn; no more than each thread may have on its way. */
  readonly #held: Chunk[] = [];
  #isLeadWaiting = false;
  #hasEnded = false;

  constructor(job: OperationJob, reply: Pending, lead: Task, threads: Threads) {
    this.#job = job;
    this.#reply = reply;
    this.#lead = lead;
    this.#floor = lead;
    this.#threads = threads;
    this.#askLater();
    void reply.ended.then(() => this.#end());
  }

  get ended(): Promise<void> {
    return this.#reply.ended;
  }

  get isIdle(): boolean {
    return this.#isLeadWaiting;
  }

  /** What the thread says that leads. */
  take(response: TaskResponse): void {
    if (response.type === 'split') this.#share(response.part);
    else if (response.type === 'waits') {
      this.#isLeadWaiting = true;
      this.#goOn();
    } else if (response.type === 'chunk') this.#add({ ...response, task: this.#lead });
    else this.#reply.take(response);
  }

  fail(failure: Failure): void {
    this.#reply.fail(failure);
  }

  #askLater(): void {
    this.#timer = setTimeout(() => this.#ask(), ALONE);
  }

  #ask(): void {
    const [part] = this.#parts;
    const walker = this.#isLeadWaiting ? part : this.#lead;
    if (walker === undefined) return;
    if (this.#threads.haveIdle) walker.post({ type: 'split', id: walker.id });
    else this.#askLater();
  }

  #share(part: OperationJob['part']): void {
    if (this.#hasEnded) return;
    this.#askLater();
    if (part === undefined) return;
    const timeoutMs = Math.max(1, this.#job.timeoutMs - Math.round(performance.now() - this.#startedAt));
    this.#threads.give({ ...this.#job, part, timeoutMs }, (task) => this.#holderOf(task));
  }

  #holderOf(task: Task): Holder {
    this.#parts.add(task);
    let finish = () => {};
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const fail = (failure: Failure) => {
      this.#reply.fail(failure);
      finish();
    };
    const take = (response: TaskResponse) => {
      if (response.type === 'split') this.#share(response.part);
      else if (response.type === 'failure') fail(response.failure);
      else if (response.type === 'end') {
        this.#finished(task, response.summary);
        finish();
      } else if (response.type === 'chunk') this.#add({ ...response, task });
    };
    return { ended, isIdle: false, take, fail };
  }

  /** Adds bytes when it is their turn. While nobody has anything to say the reply has not begun, and a failure has a status of its own. */
  #add(chunk: Chunk): void {
    this.#held.push(chunk);
    for (let at = this.#next(); at !== -1; at = this.#next()) this.#deliver(this.#held.splice(at, 1));
    if (!this.#hasBegun) this.#lead.post({ type: 'begin', id: this.#lead.id });
  }

  #next(): number {
    return this.#held.findIndex(({ task }) => this.#floor === undefined || this.#floor === task);
  }

  #deliver(chunks: readonly Chunk[]): void {
    for (const { bytes, isOpen, task } of chunks) {
      const acknowledge = () => task.post({ type: 'ack', id: task.id });
      if (bytes.length === 0) acknowledge();
      else this.#reply.add(bytes, acknowledge);
      this.#floor = isOpen ? task : undefined;
      this.#hasBegun = true;
    }
  }

  #finished(task: Task, summary: PartSummary): void {
    this.#parts.delete(task);
    this.#done.push(summary);
    this.#goOn();
  }

  /** Lets the lead end the reply when all is done. */
  #goOn(): void {
    if (!this.#isLeadWaiting || this.#parts.size > 0) return;
    this.#lead.post({ type: 'joined', id: this.#lead.id, parts: this.#done });
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    for (const task of [this.#lead, ...this.#parts]) task.post({ type: 'cancel', id: task.id });
  }
}
