import type { Contender, Done, Ready } from '../contenders/contender.ts';
import type { Corpus } from '../corpora/index.ts';
import { type TaskName, tasksOf } from '../tasks.ts';

/** All that one contender did of one task. */
export interface Result {
  corpus: string;
  /** Of a tree. */
  files?: number;
  task: TaskName;
  contender: string;
  /** Milliseconds, by round. */
  samples: Record<string, number>;
  /** To the first result, by round. */
  firsts: Record<string, number>;
  /** Processor time, by round. */
  cpu: Record<string, number>;
  /** Results of each answer; more than one when they differ. */
  counts: number[];
  /** On what, and with how many rounds: results of several runs stand side by side. */
  measured: string;
  note?: string;
  /** Why there is nothing, or not all. */
  failure?: string;
}

export interface ComparePlan {
  measured: string;
  rounds: number;
  isWanted: (corpus: Corpus, task: TaskName, contender: string) => boolean;
  /** Told of each task's results when they are there. */
  took: (results: readonly Result[]) => void;
}

/** Time after which a contender does not take part in further rounds of a task, in milliseconds. */
const BUDGET = 90_000;
/** Who is measured warms up until its code is compiled: for so long, but so often at most. */
export const WARM_MS = 4000;
export const WARM_RUNS = 20;
const RUN_LIMIT = 300_000;

/**
 * Gives a corpus to all contenders, and has them do each task in turn: in each
 * round all of them, beginning with another one, so that what changes on the
 * machine meanwhile meets all alike. Before it all warm up, whose times are
 * not counted. A peer that lasts is stopped while it is not at work: some would go
 * on with an index. The service does nothing between requests.
 */
export async function compare(corpus: Corpus, contenders: readonly Contender[], plan: ComparePlan): Promise<void> {
  const { failed, taking } = await startAll(corpus, contenders, plan);
  try {
    for (const { ready } of taking) rest(ready);
    for (const task of tasksOf(corpus)) {
      const runners = taking
        .filter(({ name, ready }) => plan.isWanted(corpus, task, name) && ready.runs[task] !== undefined)
        .map((taker) => new Runner(emptyResult(corpus, task, taker.name), taker.ready, corpus.root));
      await rounds(runners, plan.rounds);
      const results = [...runners.map(({ result }) => result), ...failed.filter((result) => result.task === task)];
      if (results.length > 0) plan.took(results.map((result) => ({ ...result, measured: plan.measured })));
    }
  } finally {
    for (const { ready } of taking) await ready.close();
  }
}

interface Taker {
  name: string;
  ready: Ready;
}

/** Those that take part, and a result that says why for each task of those that cannot. */
async function startAll(corpus: Corpus, contenders: readonly Contender[], plan: ComparePlan) {
  const taking: Taker[] = [];
  const failed: Result[] = [];
  for (const contender of contenders) {
    const wanted = tasksOf(corpus).filter((task) => plan.isWanted(corpus, task, contender.name));
    if (wanted.length === 0) continue;
    const started = await tryStart(contender, corpus);
    if (typeof started !== 'string') taking.push({ name: contender.name, ready: started });
    else failed.push(...wanted.map((task) => ({ ...emptyResult(corpus, task, contender.name), failure: started })));
  }
  return { taking, failed };
}

async function tryStart(contender: Contender, corpus: Corpus): Promise<Ready | string> {
  const missing = contender.missing();
  if (missing !== undefined) return missing;
  try {
    return await contender.start(corpus);
  } catch (error) {
    return `does not start: ${messageOf(error)}`;
  }
}

async function rounds(runners: readonly Runner[], count: number): Promise<void> {
  for (const runner of runners) await runner.warmUp();
  for (let round = 1; round <= count; round += 1) {
    for (let at = 0; at < runners.length; at += 1) {
      await runners[(at + round) % runners.length]?.run(round);
    }
  }
}

/** One contender at one task. */
class Runner {
  readonly result: Result;
  readonly #ready: Ready;
  /** Where a corpus lies is nothing for a table. */
  readonly #root: string;
  #spent = 0;

  constructor(result: Result, ready: Ready, root: string) {
    this.result = result;
    this.#ready = ready;
    this.#root = root;
    const note = ready.notes[result.task];
    if (note !== undefined) result.note = note;
  }

  /** Not counted, but for whoever takes so long that there is no other run. */
  async warmUp(): Promise<void> {
    for (let run = 0; run < WARM_RUNS && this.#spent < WARM_MS; run += 1) {
      const done = await this.#do();
      if (done !== undefined && this.#spent > BUDGET) this.#keep(done, 0);
    }
  }

  async run(round: number): Promise<void> {
    if (this.#spent > BUDGET) return;
    const done = await this.#do();
    if (done !== undefined) this.#keep(done, round);
  }

  async #do(): Promise<Done | undefined> {
    const { result } = this;
    const run = this.#ready.runs[result.task];
    if (run === undefined || result.failure !== undefined) return undefined;
    const started = performance.now();
    try {
      wake(this.#ready);
      const done = await within(run(), RUN_LIMIT);
      if (!result.counts.includes(done.count)) result.counts.push(done.count);
      return done;
    } catch (error) {
      result.failure = messageOf(error).replaceAll(`${this.#root}/`, '');
      return undefined;
    } finally {
      rest(this.#ready);
      this.#spent += performance.now() - started;
    }
  }

  #keep({ cpuMilliseconds, firstMilliseconds, milliseconds }: Done, round: number): void {
    const { result } = this;
    result.samples[round] = milliseconds;
    if (cpuMilliseconds !== undefined) result.cpu[round] = cpuMilliseconds;
    if (firstMilliseconds !== undefined) result.firsts[round] = firstMilliseconds;
  }
}

/** A process that has ended cannot be stopped, and says so when it is asked for something. */
function rest({ child }: Ready): void {
  child?.kill('SIGSTOP');
}

function wake({ child }: Ready): void {
  child?.kill('SIGCONT');
}

async function within<T>(promise: Promise<T>, limit: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function emptyResult(corpus: Corpus, task: TaskName, contender: string): Result {
  const files = corpus.facts === undefined ? {} : { files: corpus.facts.files };
  return { corpus: corpus.name, ...files, task, contender, samples: {}, firsts: {}, cpu: {}, counts: [], measured: '' };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').slice(0, 120);
}
