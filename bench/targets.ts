import { OURS, OURS_UNCACHED } from './contenders/index.ts';
import type { Findings } from './findings.ts';
import type { Result } from './phases/compare.ts';
import { aboveIdle } from './phases/health.ts';
import { toRatio, toSpread, toTable, toTime } from './report.ts';
import { median, ratioOf, spreadOf } from './statistics.ts';
import { TASKS, type TaskName } from './tasks.ts';

/** What the service is to reach. */
interface Target {
  what: string;
  limit: string;
  /** Undefined when the run did not measure it. */
  measured: { shown: string; isMet: boolean } | undefined;
}

const LARGE = '200,000 files';
const MEDIUM = '20,000 files';
const SMALL = '100 files';
const LOG = 'a log of 10,000,000 lines';

const CAPPED_MS = 30;
const FIRST_RECORD_MS = 15;
const NEAR_LINES_MS = 5;
const READY_MS = 500;
const HEALTH_ABOVE_IDLE_MS = 10;
const RECORDS_A_SECOND = 500_000;
const GROWTH_MIB = 48;

const SECOND = 1000;
const MEBIBYTE = 2 ** 20;

/** A line for each target, with what was measured and whether that is enough. */
export function targetsTable(findings: Findings): string {
  const rows = targetsOf(findings).map(({ limit, measured, what }) => [
    what,
    limit,
    measured?.shown ?? 'not measured',
    measured === undefined ? '–' : verdict(measured.isMet),
  ]);
  return toTable(['target', 'limit', 'measured', 'met'], rows);
}

function verdict(isMet: boolean): string {
  return isMet ? 'yes' : '**no**';
}

function targetsOf(findings: Findings): Target[] {
  const results = [...(findings.compare?.samples ?? []), ...(findings.growth?.samples ?? [])];
  return [
    ...walks(results),
    ...searches(results),
    ...capped(results),
    firstRecord(results),
    under(results, LOG, 'read-near', NEAR_LINES_MS),
    beside(results, LOG, 'read-far', OURS, 'sed', 0.5),
    ...peers(results),
    healthTarget(findings),
    ...streamTargets(findings),
    start(findings),
  ];
}

function walks(results: readonly Result[]): Target[] {
  return [
    beside(results, LARGE, 'glob', OURS_UNCACHED, 'rg', 0.9),
    beside(results, LARGE, 'glob', OURS_UNCACHED, 'fd', 1.5),
    beside(results, LARGE, 'list', OURS_UNCACHED, 'rg', 0.9),
    beside(results, LARGE, 'list', OURS_UNCACHED, 'fd', 1.5),
    beside(results, LARGE, 'glob', OURS, 'rg', 0.5),
    beside(results, LARGE, 'find', OURS, 'rg', 0.5),
  ];
}

function searches(results: readonly Result[]): Target[] {
  return [
    beside(results, LARGE, 'grep-rare', OURS, 'rg', 1.15),
    beside(results, LARGE, 'grep-caseless', OURS, 'rg', 1.15),
    beside(results, LARGE, 'regex-rare', OURS, 'rg', 1.15),
    beside(results, LARGE, 'grep-frequent', OURS, 'rg', 1.25),
    beside(results, LARGE, 'regex-frequent', OURS, 'rg', 1.25),
    beside(results, SMALL, 'grep-rare', OURS, 'rg', 1),
    beside(results, SMALL, 'grep-frequent', OURS, 'rg', 1),
  ];
}

/** In whatever tree. */
function capped(results: readonly Result[]): Target[] {
  const trees = [...new Set(results.filter(({ task }) => task === 'grep-frequent-100').map(({ corpus }) => corpus))];
  return trees.map((tree) => under(results, tree, 'grep-frequent-100', CAPPED_MS));
}

function peers(results: readonly Result[]): Target[] {
  const limits = { deepagents: 8, 'gemini-cli': 12, 'MCP filesystem': 40 };
  return [MEDIUM, LARGE].flatMap((tree) =>
    Object.entries(limits).map(([peer, times]) => ({
      ...beside(results, tree, 'glob', OURS, peer, 1 / times),
      limit: `≤ 1/${times} of ${peer}`,
    })),
  );
}

/** The time of one contender in multiples of another's, by rounds that both took part in. */
function beside(
  results: readonly Result[],
  corpus: string,
  task: TaskName,
  one: string,
  other: string,
  times: number,
): Target {
  const ratio = ratioOf(samplesOf(results, corpus, task, one), samplesOf(results, corpus, task, other));
  const cache = one === OURS_UNCACHED ? ', no cache' : '';
  return {
    what: `${TASKS[task]}${cache}; ${corpus}`,
    limit: `≤ ${times} × ${other}`,
    measured: ratio && { shown: toSpread(ratio, toRatio), isMet: ratio.median <= times },
  };
}

function under(results: readonly Result[], corpus: string, task: TaskName, milliseconds: number): Target {
  const samples = Object.values(samplesOf(results, corpus, task, OURS));
  return { what: `${TASKS[task]}; ${corpus}`, limit: `≤ ${milliseconds} ms`, measured: timed(samples, milliseconds) };
}

function timed(samples: readonly number[], milliseconds: number): Target['measured'] {
  if (samples.length === 0) return undefined;
  const spread = spreadOf(samples);
  return { shown: toSpread(spread, toTime), isMet: spread.median <= milliseconds };
}

function samplesOf(results: readonly Result[], corpus: string, task: TaskName, contender: string) {
  const isMeant = (result: Result) =>
    result.corpus === corpus && result.task === task && result.contender === contender;
  return results.find(isMeant)?.samples ?? {};
}

/** Of the streams of the large tree that have a record soon, the slowest. */
function firstRecord(results: readonly Result[]): Target {
  const tasks: readonly TaskName[] = ['list', 'glob', 'grep-frequent', 'regex-frequent'];
  const streams = results
    .filter(({ contender, corpus, task }) => corpus === LARGE && contender === OURS && tasks.includes(task))
    .map(({ firsts, task }) => ({ task, firsts: Object.values(firsts) }))
    .filter(({ firsts }) => firsts.length > 0)
    .sort((one, other) => median(other.firsts) - median(one.firsts));
  const [slowest] = streams;
  const measured = slowest && timed(slowest.firsts, FIRST_RECORD_MS);
  return {
    what: `first record of a stream; ${LARGE}`,
    limit: `≤ ${FIRST_RECORD_MS} ms`,
    measured: measured && { ...measured, shown: `${measured.shown}, of ${TASKS[slowest.task]}` },
  };
}

/** How much longer a health request waits than in an idle service, at the worst task. */
function healthTarget({ health }: Findings): Target {
  const [worst] = (health?.samples ?? [])
    .map((sample) => ({ what: `${sample.corpus}: ${sample.task}`, above: aboveIdle(sample) }))
    .sort((one, other) => other.above - one.above);
  return {
    what: 'health p99 above idle, at the worst task',
    limit: `≤ ${HEALTH_ABOVE_IDLE_MS} ms`,
    measured: worst && {
      shown: `${worst.above.toFixed(1)} ms, ${worst.what}`,
      isMet: worst.above <= HEALTH_ABOVE_IDLE_MS,
    },
  };
}

function streamTargets({ streams }: Findings): Target[] {
  const { fast, slow } = streams?.samples ?? { fast: [], slow: [] };
  const grown = slow.map(({ residentBefore, residentMost, what }) => {
    const growth = (residentMost - residentBefore) / MEBIBYTE;
    return {
      what: `memory grown at a reader of 1 MiB/s; ${what}`,
      limit: `≤ ${GROWTH_MIB} MiB`,
      measured: { shown: `${growth.toFixed(0)} MiB`, isMet: growth <= GROWTH_MIB },
    };
  });
  const rates = fast.map(({ milliseconds, records, what }) => {
    const rate = (records * SECOND) / median(milliseconds);
    return {
      what: `records a second at full speed; ${what}`,
      limit: `≥ ${RECORDS_A_SECOND.toLocaleString('en')}`,
      measured: { shown: Math.round(rate).toLocaleString('en'), isMet: rate >= RECORDS_A_SECOND },
    };
  });
  return [...grown, ...rates];
}

function start({ starts }: Findings): Target {
  const samples = starts?.samples.find(({ name }) => name === OURS)?.milliseconds ?? [];
  return { what: 'start to ready', limit: `≤ ${READY_MS} ms`, measured: timed(samples, READY_MS) };
}
