import { setTimeout } from 'node:timers/promises';
import { OURS } from '../contenders/index.ts';
import { pathsFor } from '../contenders/sidecar.ts';
import type { Corpus } from '../corpora/index.ts';
import { toTable, toTime } from '../report.ts';
import type { Scale } from '../scale.ts';
import { Service } from '../service.ts';
import { median, quantile } from '../statistics.ts';
import { inputsOf, TASKS, type TaskName, tasksOf } from '../tasks.ts';
import { probe } from './prober.ts';

const TAIL = 0.99;
const SECOND = 1000;

export interface Health {
  corpus: string;
  /** What was done meanwhile. */
  task: string;
  /** Waits in the idle service, before and after. */
  idle: number[];
  /** Waits meanwhile. */
  busy: number[];
}

/** How long a health request waits while the service does each task over and over, and right before and after that. */
export async function health(
  corpora: readonly Corpus[],
  { seconds }: Scale,
  isWanted: (corpus: Corpus, task: TaskName, contender: string) => boolean,
): Promise<Health[]> {
  const samples: Health[] = [];
  for (const corpus of corpora) {
    const wanted = tasksOf(corpus).filter((task) => isWanted(corpus, task, OURS));
    if (wanted.length === 0) continue;
    const service = await Service.start(corpus.root, { args: ['--timeout-ms', '600000'] });
    const url = `${service.address}/healthz`;
    const paths = pathsFor(inputsOf(corpus));
    const rest = () => probe(url, () => setTimeout((seconds * SECOND) / 2));
    try {
      for (const task of wanted) {
        // What it allocates and compiles at first is not what is asked about.
        await service.ask(paths[task]);
        const before = await rest();
        const busy = await probe(url, () => repeat(() => service.ask(paths[task]), seconds));
        samples.push({ corpus: corpus.name, task: TASKS[task], idle: [...before, ...(await rest())], busy });
      }
    } finally {
      await service.close();
    }
  }
  return samples;
}

/** How much longer one in a hundred waits than in the idle service, in milliseconds. */
export function aboveIdle({ busy, idle }: Health): number {
  return quantile(busy, TAIL) - quantile(idle, TAIL);
}

async function repeat(act: () => Promise<unknown>, seconds: number): Promise<void> {
  const end = performance.now() + seconds * SECOND;
  while (performance.now() < end) await act();
}

export function healthTable(samples: readonly Health[]): string {
  const rows = samples.map((health) => [
    `${health.corpus}: ${health.task}`,
    toTime(median(health.busy)),
    toTime(quantile(health.busy, TAIL)),
    toTime(quantile(health.idle, TAIL)),
    `${aboveIdle(health).toFixed(1)} ms`,
    health.busy.length.toLocaleString('en'),
  ]);
  return toTable(['meanwhile', 'median', 'p99', 'p99 idle', 'p99 above idle', 'requests'], rows);
}
