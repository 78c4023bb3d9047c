import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { LineCounter, linesIn } from '../contenders/bytes.ts';
import type { Corpora } from '../corpora/index.ts';
import { toSpread, toTable, toTime } from '../report.ts';
import type { Scale } from '../scale.ts';
import { Service } from '../service.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { WARM_MS, WARM_RUNS } from './compare.ts';

const FRAME_LINES = 2;
const SECOND = 1000;
const MEBIBYTE = 2 ** 20;

export interface FullSpeed {
  what: string;
  records: number;
  bytes: number;
  milliseconds: number[];
  firstMilliseconds: number[];
}

export interface Slowly {
  what: string;
  /** What came before the time was up. */
  records: number;
  isWhole: boolean;
  seconds: number;
  residentBefore: number;
  residentMost: number;
}

export interface Streams {
  fast: FullSpeed[];
  slow: Slowly[];
}

/** Streams of many records: at full speed, and to a client that reads a megabyte a second. */
export async function streams(
  corpora: Corpora,
  scale: Scale,
  rounds: number,
): Promise<{ text: string; samples: Streams }> {
  const tree = corpora.tree(Math.max(...scale.trees));
  const log = corpora.log(scale.logLines, scale.lineBytes);
  const fast: FullSpeed[] = [];
  const slow: Slowly[] = [];
  await withService(tree.root, async (service) => {
    fast.push(
      await atFullSpeed(service, `every one of ${tree.name}`, '/glob/stream?pattern=**&showDetails=false', rounds),
    );
  });
  for (const records of scale.streamed) {
    const what = `${records.toLocaleString('en')} lines of a log`;
    const path = `/grep/stream?pattern=request&path=log.txt&maxResults=${records}`;
    await withService(log.root, async (service) => {
      fast.push(await atFullSpeed(service, what, path, rounds));
    });
    await withService(log.root, async (service) => {
      // Memory that the first stream of all takes is not what a slow reader costs.
      await service.ask('/grep/stream?pattern=request&path=log.txt&maxResults=20000');
      slow.push(await readSlowly(service, what, path, scale.slowSeconds));
    });
  }
  return { text: `${fastTable(fast)}\n${slowTable(slow)}`, samples: { fast, slow } };
}

async function withService(root: string, use: (service: Service) => Promise<void>): Promise<void> {
  const service = await Service.start(root, { args: ['--timeout-ms', '600000'] });
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

async function atFullSpeed(service: Service, what: string, path: string, rounds: number): Promise<FullSpeed> {
  const found: FullSpeed = { what, records: 0, bytes: 0, milliseconds: [], firstMilliseconds: [] };
  await warmUp(service, path);
  for (let round = 0; round < rounds; round += 1) {
    const { chunks, firstMilliseconds, milliseconds } = await service.ask(path);
    found.records = linesIn(chunks) - FRAME_LINES;
    found.bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    found.milliseconds.push(milliseconds);
    if (firstMilliseconds !== undefined) found.firstMilliseconds.push(firstMilliseconds);
  }
  return found;
}

async function warmUp(service: Service, path: string): Promise<void> {
  const until = performance.now() + WARM_MS;
  for (let run = 0; run < WARM_RUNS && performance.now() < until; run += 1) await service.ask(path);
}

async function readSlowly(service: Service, what: string, path: string, limit: number): Promise<Slowly> {
  const residentBefore = service.residentBytes();
  const started = performance.now();
  const sent = get(`${service.address}${path}`, { agent: false });
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  reply.on('error', () => {});
  const counter = new LineCounter();
  let residentMost = residentBefore;
  const isLate = () => performance.now() - started > limit * SECOND;
  for await (const chunk of atRate(reply, MEBIBYTE, isLate)) {
    counter.add(chunk);
    residentMost = Math.max(residentMost, service.residentBytes());
  }
  const isWhole = reply.complete;
  reply.destroy();
  const seconds = (performance.now() - started) / SECOND;
  return {
    what,
    records: Math.max(0, counter.lines - (isWhole ? FRAME_LINES : 1)),
    isWhole,
    seconds,
    residentBefore,
    residentMost,
  };
}

const PACE_MS = 50;

/** Reads no faster than so many bytes a second. */
async function* atRate(reply: IncomingMessage, perSecond: number, isLate: () => boolean): AsyncGenerator<Buffer> {
  const started = performance.now();
  let bytes = 0;
  while (!reply.readableEnded && !reply.destroyed && !isLate()) {
    const due = ((performance.now() - started) / SECOND) * perSecond - bytes;
    const chunk: Buffer | null =
      due > 0 ? reply.read(Math.min(Math.ceil(due), reply.readableLength) || undefined) : null;
    if (chunk === null) {
      await setTimeout(PACE_MS);
      continue;
    }
    bytes += chunk.length;
    yield chunk;
  }
}

function fastTable(streams: readonly FullSpeed[]): string {
  const rows = streams.map(({ bytes, firstMilliseconds, milliseconds, records, what }) => {
    const whole = spreadOf(milliseconds);
    const perSecond = (value: number) => Math.round((records * SECOND) / value).toLocaleString('en');
    const rate: Spread = { median: whole.median, low: whole.high, high: whole.low };
    return [
      what,
      records.toLocaleString('en'),
      toSpread(spreadOf(firstMilliseconds), toTime),
      toSpread(whole, toTime),
      toSpread(rate, perSecond),
      `${((bytes * SECOND) / whole.median / MEBIBYTE).toFixed(0)} MiB/s`,
    ];
  });
  return toTable(['at full speed', 'records', 'first record', 'whole', 'records a second', 'bytes'], rows);
}

function slowTable(streams: readonly Slowly[]): string {
  const rows = streams.map(({ isWhole, records, residentBefore, residentMost, seconds, what }) => [
    what,
    `${records.toLocaleString('en')}${isWhole ? '' : ' when ended'}`,
    `${seconds.toFixed(0)} s`,
    `${(residentBefore / MEBIBYTE).toFixed(0)} MiB`,
    `+${((residentMost - residentBefore) / MEBIBYTE).toFixed(0)} MiB`,
  ]);
  return toTable(['at 1 MiB a second', 'records', 'took', 'resident before', 'at most'], rows);
}
