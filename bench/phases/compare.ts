import type { Contender, Ready } from '../contenders/contender.ts';
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
const BUDGET = 60_000;
const RUN_LIMIT = 300_000;

/**
 * Gives a corpus to all contenders, and has them do each task in turn: in each
 * round all of them, beginning with another one, so that what changes on the
 * machine meanwhile meets all alike. The first round warms up and is not counted.
 */
export async function compare(corpus: Corpus, contenders: readonly Contender[], plan: ComparePlan): Promise<void> {
  const { failed, taking } = await startAll(corpus, contenders, plan);
  try {
    for (const task of tasksOf(corpus)) {
      const runners = taking
        .filter(({ name, ready }) => plan.isWanted(corpus, task, name) && ready.runs[task] !== undefined)
        .map((taker) => new Runner(emptyResult(corpus, task, taker.name), taker.ready));
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
  for (let round = 0; round <= count; round += 1) {
    for (let at = 0; at < runners.length; at += 1) {
      await runners[(at + round) % runners.length]?.run(round);
    }
  }
}

/** One contender at one task. */
class Runner {
  readonly result: Result;
  readonly #ready: Ready;
  #spent = 0;

  constructor(result: Result, ready: Ready) {
    this.result = result;
    this.#ready = ready;
    const note = ready.notes[result.task];
    if (note !== undefined) result.note = note;
  }

  /** Round 0 warms up; it counts for whoever takes so long that there is no other. */
  async run(round: number): Promise<void> {
    const { result } = this;
    const run = this.#ready.runs[result.task];
    if (run === undefined || result.failure !== undefined) return;
    if (this.#spent > BUDGET) return;
    const started = performance.now();
    try {
      const { count, cpuMilliseconds, firstMilliseconds, milliseconds } = await within(run(), RUN_LIMIT);
      this.#spent += performance.now() - started;
      if (!result.counts.includes(count)) result.counts.push(count);
      if (round === 0 && this.#spent <= BUDGET) return;
      result.samples[round] = milliseconds;
      if (cpuMilliseconds !== undefined) result.cpu[round] = cpuMilliseconds;
      if (firstMilliseconds !== undefined) result.firsts[round] = firstMilliseconds;
    } catch (error) {
      result.failure = messageOf(error);
    }
  }
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
