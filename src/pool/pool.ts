import { setTimeout } from 'node:timers/promises';
import { Busy } from '../errors.ts';
import { operationOf } from '../operations/index.ts';
import { toFailure } from '../problem.ts';
import { closeMarked, newMarks } from '../workspace/native.ts';
import { Crew, type Holder, type Task, type Threads } from './crew.ts';
import { Pending } from './pending.ts';
import { Places } from './places.ts';
import type { Job, OperationJob, Peer, Request, Response } from './protocol.ts';
import type { Reply } from './reply.ts';

/** A worker thread, or what stands for one. */
export interface WorkerThread extends Pick<Peer<Request, Response>, 'postMessage'> {
  on(event: 'message', listener: (message: Response) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

export interface PoolOptions {
  /** Starts a thread, which marks the descriptors that it has open. */
  start: (marks: SharedArrayBuffer) => WorkerThread;
  workers: number;
  /** Searches that run at once. */
  concurrency: number;
  /** Searches that may wait for a place. */
  waiting: number;
  /** Is told once of each thing that the operator should know. */
  warn?: (text: string) => void;
}

/** Jobs other than searches at once; they are short. */
const MAX_SHORT = 256;

/** What jobs may take to end once they are cancelled, in milliseconds. */
const CANCEL_TIME = 500;

/** What passes before a thread is started again that did not get ready, in milliseconds. */
const RESTART_DELAY = 1000;

interface Thread {
  worker: WorkerThread;
  jobs: Map<number, Holder>;
  /** Processes that it has started and that have not ended. */
  children: Set<number>;
  isReady: boolean;
}

/**
 * The worker threads that do all the work on files, so that the thread that
 * speaks HTTP never waits for a disk. Searches take one of a bounded number of
 * places. A worker that dies fails the jobs it had and is replaced; its
 * children die with it.
 */
export class Pool {
  readonly searches: Places;
  /** Resolves when a thread is ready for jobs; rejects when one of the first ends before that. */
  readonly started: Promise<void>;
  readonly #short = new Places(MAX_SHORT, MAX_SHORT);
  readonly #options: PoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #warned = new Set<string>();
  #nextId = 1;
  #isClosing = false;
  #settleStart: (failure?: Error) => void = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.searches = new Places(options.concurrency, options.waiting);
    this.started = new Promise((resolve, reject) => {
      this.#settleStart = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    // Whoever waits is told; nobody has to wait.
    this.started.catch(() => {});
    for (let left = options.workers; left > 0; left -= 1) this.#startThread();
  }

  /** Why no job can be done at this moment; undefined when one can. */
  get trouble(): string | undefined {
    return [...this.#threads].some(({ isReady }) => isReady) ? undefined : 'no worker thread is ready';
  }

  /**
   * Runs a job. Resolves when its reply begins; rejects with the failure when
   * it fails before that, and with the signal's reason when `signal` aborts.
   * A search takes a place, for which it may have to wait. Throws BUSY.
   */
  async perform(job: Job, isSearch: boolean, signal: AbortSignal): Promise<Reply> {
    const places = isSearch ? this.searches : this.#short;
    await places.enter(signal);
    if (signal.aborted) {
      places.leave();
      throw signal.reason;
    }
    const pending = this.#trySend(job, isSearch, places);
    const abandon = () => pending.abandon(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    void pending.ended.then(() => {
      signal.removeEventListener('abort', abandon);
      places.leave();
    });
    return pending.reply;
  }

  /** Cancels what is under way, so that no search outlives the service, and ends the threads. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const threads = [...this.#threads];
    const jobs = threads.flatMap((thread) => [...thread.jobs.values()]);
    for (const { worker, jobs } of threads) {
      for (const id of jobs.keys()) worker.postMessage({ type: 'cancel', id });
    }
    await Promise.race([
      Promise.all(jobs.map(({ ended }) => ended)),
      setTimeout(CANCEL_TIME, undefined, { ref: false }),
    ]);
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #trySend(job: Job, isSearch: boolean, places: Places): Pending {
    try {
      return this.#send(job, isSearch);
    } catch (error) {
      places.leave();
      throw error;
    }
  }

  #send(job: Job, isSearch: boolean): Pending {
    const thread = this.#leastBusy();
    const task = this.#taskOn(thread);
    const pending = new Pending(
      job,
      () => task.post({ type: 'ack', id: task.id }),
      () => task.post({ type: 'cancel', id: task.id }),
    );
    const holder = isSearch && canBeShared(job) ? new Crew(job, pending, task, this.#forCrews) : pending;
    this.#give(thread, task, job, holder);
    return pending;
  }

  readonly #forCrews: Threads = (() => {
    const pool = this;
    return {
      get haveIdle() {
        return pool.#idle !== undefined;
      },
      give(job, toHolder) {
        const thread = pool.#idle ?? pool.#leastBusy();
        const task = pool.#taskOn(thread);
        pool.#give(thread, task, job, toHolder(task));
      },
    };
  })();

  get #idle(): Thread | undefined {
    return [...this.#threads].find(({ isReady, jobs }) => isReady && [...jobs.values()].every(({ isIdle }) => isIdle));
  }

  #taskOn({ worker }: Thread): Task {
    const id = this.#nextId;
    this.#nextId += 1;
    return { id, post: (request) => worker.postMessage(request) };
  }

  #give({ jobs }: Thread, task: Task, job: Job, holder: Holder): void {
    jobs.set(task.id, holder);
    void holder.ended.then(() => jobs.delete(task.id));
    task.post({ type: 'job', id: task.id, job });
  }

  #replace({ isReady }: Thread): void {
    if (isReady) this.#startThread();
    else void setTimeout(RESTART_DELAY, undefined, { ref: false }).then(() => this.#startThread());
  }

  #leastBusy(): Thread {
    const ready = [...this.#threads].filter(({ isReady }) => isReady);
    const [first, ...others] = ready.length > 0 ? ready : this.#threads;
    if (first === undefined) throw new Busy('The service is starting or ending. Try again in a moment.');
    return others.reduce((best, thread) => (thread.jobs.size < best.jobs.size ? thread : best), first);
  }

  #take(thread: Thread, response: Response): void {
    if (response.type === 'warning') this.#warnOnce(response.text);
    else if (response.type === 'ready') thread.isReady = true;
    else if (response.type !== 'child') thread.jobs.get(response.id)?.take(response);
    else if (response.isRunning) thread.children.add(response.pid);
    else thread.children.delete(response.pid);
  }

  #warnOnce(text: string): void {
    if (!this.#warned.has(text)) this.#options.warn?.(text);
    this.#warned.add(text);
  }

  #startThread(): void {
    if (this.#isClosing) return;
    const marks = newMarks();
    const worker = this.#options.start(marks);
    const thread: Thread = { worker, jobs: new Map(), children: new Set(), isReady: false };
    this.#threads.add(thread);
    let cause = new Error('the worker thread ended');
    worker.on('message', (response) => {
      this.#take(thread, response);
      if (thread.isReady) this.#settleStart();
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#threads.delete(thread);
      closeMarked(marks);
      for (const pid of thread.children) kill(pid);
      for (const holder of thread.jobs.values()) holder.fail(lossOf(cause));
      if (this.#isClosing) return;
      this.#settleStart(new Error(`a worker thread cannot start: ${cause.message}`, { cause }));
      this.#replace(thread);
    });
  }
}

/** Whether several threads may do the job: its records may come in any order, and all of them are wanted. */
function canBeShared(job: Job): job is OperationJob {
  if (job.kind !== 'operation' || job.form !== 'ndjson') return false;
  const { input, limits, operation } = job;
  const isLimited = limits.maxResults !== undefined || limits.maxFiles !== undefined;
  if (operationOf(operation)?.isShareable !== true || isLimited) return false;
  return input['sort'] === 'none' && input['gitignore'] !== true;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function lossOf(cause: Error) {
  return toFailure(new Busy('The worker that had this request was lost. Try again.', { cause }));
}
