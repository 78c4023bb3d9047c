import type { ChildProcess } from 'node:child_process';
import type { Corpus } from '../corpora/index.ts';
import type { TaskName } from '../tasks.ts';

/** One task done: how long it took until the last byte was there, and how many results that was. */
export interface Done {
  milliseconds: number;
  count: number;
  /** Processor time that it took, of all cores; where it can be told. */
  cpuMilliseconds?: number;
  /** Until the first result was there, where results come one by one. */
  firstMilliseconds?: number;
}

export type Run = () => Promise<Done>;

/** A contender that has been given a corpus. */
export interface Ready {
  runs: Partial<Record<TaskName, Run>>;
  /** Why a task is missing, or how its answer differs from what the others are asked for. */
  notes: Partial<Record<TaskName, string>>;
  /** Its process, when it may go on with something between two tasks. */
  child?: ChildProcess;
  close(): Promise<unknown>;
}

export interface Contender {
  name: string;
  /** Why it cannot be had here; undefined when it can. */
  missing(): string | undefined;
  /** Gives it the corpus, and waits until it can answer. */
  start(corpus: Corpus): Promise<Ready>;
}
