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
  /** `idle`, or what was done meanwhile. */
  task: string;
  milliseconds: number[];
}

/** How long a health request waits while the service does each task over and over. */
export async function health(
  corpora: readonly Corpus[],
  { seconds }: Scale,
  isWanted: (corpus: Corpus, task: TaskName, contender: string) => boolean,
): Promise<{ text: string; samples: Health[] }> {
  const samples: Health[] = [];
  for (const corpus of corpora) {
    const service = await Service.start(corpus.root, { args: ['--timeout-ms', '600000'] });
    const url = `${service.address}/healthz`;
    const paths = pathsFor(inputsOf(corpus));
    try {
      const idle = await probe(url, () => setTimeout(seconds * SECOND));
      samples.push({ corpus: corpus.name, task: 'idle', milliseconds: idle });
      for (const task of tasksOf(corpus).filter((task) => isWanted(corpus, task, OURS))) {
        const milliseconds = await probe(url, () => repeat(() => service.ask(paths[task]), seconds));
        samples.push({ corpus: corpus.name, task: TASKS[task], milliseconds });
      }
    } finally {
      await service.close();
    }
  }
  return { text: toText(samples), samples };
}

async function repeat(act: () => Promise<unknown>, seconds: number): Promise<void> {
  const end = performance.now() + seconds * SECOND;
  while (performance.now() < end) await act();
}

function toText(samples: readonly Health[]): string {
  let idle = 0;
  const rows = samples.map(({ corpus, milliseconds, task }) => {
    const tail = quantile(milliseconds, TAIL);
    if (task === 'idle') idle = tail;
    const above = task === 'idle' ? '–' : `${(tail - idle).toFixed(1)} ms`;
    return [`${corpus}: ${task}`, toTime(median(milliseconds)), toTime(tail), above, String(milliseconds.length)];
  });
  return toTable(['meanwhile', 'median', 'p99', 'p99 above idle', 'requests'], rows);
}
