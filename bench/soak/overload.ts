import { setTimeout } from 'node:timers/promises';
import { probe } from '../phases/prober.ts';
import { toTime } from '../report.ts';
import { Service } from '../service.ts';
import { median, quantile } from '../statistics.ts';
import { ask, judge } from './answers.ts';
import { atLeast, atMost, type Check } from './check.ts';
import { levelChecks, levelOf, settled } from './level.ts';
import { Tally } from './tally.ts';

const CONCURRENCY = 8;
const TIMES = 10;
const LOAD_MS = 15_000;
const RECOVERY_MS = 1000;
const SETTLE_MS = 10_000;
const HEALTH_MS = 1000;
const TAIL = 0.99;
const SMALL = '/find?path=fixed/folder-1&pattern=file-1.ts';
const LARGE = '/grep/stream?path=log.txt&pattern=request&maxResults=50000';

/** Ten times as many searches as may run: some wait, some are told to come back, and afterwards all is as before. */
export async function overload(root: string): Promise<Check[]> {
  const service = await Service.start(root, { args: ['--concurrency', String(CONCURRENCY)] });
  try {
    const usual = await timesOf(service, SMALL);
    await Promise.all(Array.from({ length: CONCURRENCY }, () => ask(`${service.address}${LARGE}`)));
    const before = levelOf(service);
    const tally = new Tally();
    const over = AbortSignal.timeout(LOAD_MS);
    const clients = () => Promise.all(Array.from({ length: CONCURRENCY * TIMES }, () => client(service, over, tally)));
    const waits = await probe(`${service.address}/healthz`, async () => {
      await clients();
    });
    const recovered = await recoveryOf(service);
    const after = await settled(service, before, SETTLE_MS);
    const again = await timesOf(service, SMALL);
    const tail = quantile(waits, TAIL);
    return [
      { what: 'how searches ended', wanted: 'any', found: tally.text, isMet: true },
      tally.faultCheck,
      atLeast('told BUSY', tally.sum(/^failed: BUSY/), 1),
      atMost('BUSY without Retry-After', tally.sum(/without Retry-After/), 0),
      atLeast('searches served meanwhile', tally.sum(/^(?:whole|cut)$/), CONCURRENCY),
      atMost('any other failure', tally.sum(/^failed: (?!BUSY)/), 0),
      { what: 'health p99 meanwhile', wanted: `≤ ${HEALTH_MS} ms`, found: toTime(tail), isMet: tail <= HEALTH_MS },
      atMost('served again after', recovered, RECOVERY_MS, ' ms'),
      {
        what: 'a small search before, and afterwards',
        wanted: 'afterwards ≤ 3 × before',
        found: `${toTime(usual)}, ${toTime(again)}`,
        isMet: again <= usual * 3,
      },
      ...levelChecks(after, before),
    ];
  } finally {
    await service.close();
  }
}

async function client(service: Service, over: AbortSignal, tally: Tally): Promise<void> {
  while (!over.aborted) {
    const answer = await ask(`${service.address}${LARGE}`);
    const ending = judge(answer);
    const hasDelay = /^\d+$/.test(answer.headers['retry-after'] ?? '');
    const isBusy = 'code' in ending && ending.code === 'BUSY';
    tally.add(LARGE, isBusy && !hasDelay ? { kind: 'failed', code: 'BUSY without Retry-After' } : ending);
    if (isBusy) await setTimeout(Math.random() * RECOVERY_MS);
  }
}

const SAMPLES = 20;

async function timesOf(service: Service, path: string): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < SAMPLES; at += 1) times.push((await service.ask(path)).milliseconds);
  return median(times);
}

/** Milliseconds until a small search is served, once the clients have stopped asking. */
async function recoveryOf(service: Service): Promise<number> {
  const started = performance.now();
  while ((await service.ask(SMALL)).status !== 200) await setTimeout(10);
  return performance.now() - started;
}
