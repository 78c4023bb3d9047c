import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { childrenOf } from '../../test/helpers/proc.ts';
import { probe } from '../phases/prober.ts';
import { toTime } from '../report.ts';
import { Service } from '../service.ts';
import { quantile } from '../statistics.ts';
import { type Answer, ask, type Ending, judge, type Known, opened, rest } from './answers.ts';
import { atLeast, atMost, type Check } from './check.ts';
import { levelChecks, levelOf, settled } from './level.ts';
import { END_A_WORKER, MORTAL_OPTIONS } from './mortal.ts';
import { listed, Tally } from './tally.ts';
import { FIXED, Mover, NEEDLE } from './tree.ts';

const CONNECTIONS = 200;
/** So that most of the connections' searches run or wait; being refused is a scenario of its own. */
const CONCURRENCY = '32';
const SLOW_READERS = 4;
const SLOW_BYTES = 1024;
const HANG_UPS = 500;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MOVE_MS = 5;
const KILL_MS = 2 * SECOND;
const LOOK_MS = 50;
const WORKER_MS = 15 * SECOND;
const SETTLE_MS = 30 * SECOND;
/** A share of the time goes by before the level is taken: caches and heaps fill at first. */
const WARM_SHARE = 0.2;
const TAIL = 0.99;

interface Request {
  path: string;
  body?: unknown;
  known?: Known;
}

const LINES = FIXED.files * FIXED.needles;
const NEEDLES = `pattern=${encodeURIComponent(NEEDLE)}`;
const IN_FOLDER = FIXED.files / FIXED.folders;

/** Every operation in every form, where the right answer is known and where things move. */
const REQUESTS: readonly Request[] = [
  { path: '/ls?path=fixed/folder-3', known: { count: IN_FOLDER } },
  { path: '/ls?path=fixed&recursive=true&type=file', known: { count: FIXED.files } },
  { path: '/ls/stream?path=fixed&recursive=true&type=file', known: { count: FIXED.files } },
  { path: '/find?path=fixed&pattern=file-7*', known: { count: 111 } },
  { path: '/find/stream?path=fixed&pattern=*.ts', known: { count: FIXED.files } },
  { path: '/glob?path=fixed&pattern=folder-1*/*.ts', known: { count: 11 * IN_FOLDER } },
  { path: '/glob/stream?path=fixed&pattern=**/*.ts', known: { count: FIXED.files } },
  { path: `/grep?path=fixed&${NEEDLES}`, known: { count: LINES } },
  { path: `/grep/stream?path=fixed&${NEEDLES}`, known: { count: LINES } },
  { path: `/grep/stream?path=fixed&isRegex=true&pattern=needle.*hay`, known: { count: LINES } },
  { path: `/grep?path=fixed/folder-5&output=count&${NEEDLES}`, known: { count: IN_FOLDER } },
  { path: '/read?path=fixed/folder-0/file-0.ts' },
  { path: '/read?path=log.txt&startLine=100000&endLine=100040' },
  { path: '/read/stream?path=log.txt&startLine=1000&endLine=3000' },
  { path: '/read/raw?path=fixed/folder-1/file-1.ts' },
  { path: '/ls?path=moving&recursive=true' },
  { path: '/ls/stream?path=moving&recursive=true' },
  { path: '/glob/stream?path=moving&pattern=**' },
  { path: `/grep/stream?path=moving&${NEEDLES}` },
  { path: '/read?path=moving/folder-1/file-1.ts' },
  { path: '/read/raw?path=moving/folder-2/file-2.ts' },
  { path: '/ls?path=no/such/folder' },
  { path: '/grep?pattern=(&isRegex=true' },
  { path: '/execute', body: { action: 'find_file', properties: [{ name: 'pattern', value: 'file-1.ts' }] } },
  { path: '/execute', body: { action: 'ls', input: { path: 'fixed' } } },
  { path: '/healthz' },
  { path: '/readyz' },
  { path: '/metrics' },
  { path: '/skills' },
];

/** What was done to it while it was soaked, and how requests ended. */
class Soaking extends Tally {
  hangUps = 0;
  slowEnds = 0;
  childrenKilled = 0;
  workersEnded = 0;
}

/** Two hundred connections with every operation, among slow readers, hang-ups, changes, killed children and lost workers. */
export async function mix(root: string, minutes: number, say: (line: string) => void): Promise<Check[]> {
  const service = await Service.start(root, { node: MORTAL_OPTIONS, args: ['--concurrency', CONCURRENCY] });
  try {
    await soak(service, root, minutes * WARM_SHARE * MINUTE, new Soaking());
    const before = await settled(service, levelOf(service), SECOND);
    say(`before: ${JSON.stringify(before)}`);
    const tally = new Soaking();
    const url = `${service.address}/healthz`;
    const waits = await probe(url, () => soak(service, root, minutes * MINUTE, tally));
    const after = await settled(service, before, SETTLE_MS);
    say(`after: ${JSON.stringify(after)}; ${tally.text}`);
    return [...tallyChecks(tally, minutes), healthCheck(waits), ...levelChecks(after, before)];
  } finally {
    await service.close();
  }
}

async function soak(service: Service, root: string, milliseconds: number, tally: Soaking): Promise<void> {
  const over = AbortSignal.timeout(Math.round(milliseconds));
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const mover = new Mover(root);
  const each = (pause: number, act: () => void) => repeated(pause, over, act);
  const hangUpPause = milliseconds / HANG_UPS;
  await Promise.all([
    ...Array.from({ length: CONNECTIONS }, () => client(service, agent, over, tally)),
    ...Array.from({ length: SLOW_READERS }, () => slowReader(service, over, tally)),
    each(hangUpPause, () => void hangUp(service, over, tally)),
    each(MOVE_MS, () => mover.move()),
    each(KILL_MS, () => void killChild(service, over, tally)),
    each(WORKER_MS, () => {
      tally.workersEnded += 1;
      service.signal(END_A_WORKER);
    }),
  ]);
  agent.destroy();
}

async function repeated(pause: number, over: AbortSignal, act: () => void): Promise<void> {
  while (!over.aborted) {
    await setTimeout(pause, undefined, { signal: over }).catch(() => {});
    if (!over.aborted) act();
  }
}

const BACK_OFF_MS = 1000;

async function client(service: Service, agent: Agent, over: AbortSignal, tally: Soaking): Promise<void> {
  while (!over.aborted) {
    const wanted = REQUESTS[Math.floor(Math.random() * REQUESTS.length)] ?? { path: '/ls' };
    const asking = wanted.body === undefined ? { agent } : { agent, body: wanted.body };
    const ending = await ask(`${service.address}${wanted.path}`, asking).then(
      (answer) => judge(answer, wanted.known),
      (): Ending => ({ kind: 'fault', why: 'no reply' }),
    );
    tally.add(wanted.path, ending);
    if ('code' in ending && ending.code === 'BUSY') await setTimeout(Math.random() * BACK_OFF_MS);
  }
}

const LONG_STREAM = '/grep/stream?path=log.txt&pattern=request';

/** Takes a kibibyte a second until the time is up, and then what is left, to see how it ends. */
async function slowReader(service: Service, over: AbortSignal, tally: Soaking): Promise<void> {
  while (!over.aborted) {
    const reply = await opened(`${service.address}${LONG_STREAM}`);
    const chunks: Buffer[] = [];
    while (reply.statusCode === 200 && !over.aborted && !reply.readableEnded) {
      const chunk: Buffer | null = reply.read(SLOW_BYTES) ?? reply.read();
      if (chunk !== null) chunks.push(chunk);
      await setTimeout(SECOND, undefined, { signal: over }).catch(() => {});
    }
    const answer: Answer = await rest(reply, chunks);
    tally.add(`slowly: ${LONG_STREAM}`, judge(answer, { count: FIXED.logLines }));
    tally.slowEnds += 1;
    if (answer.status !== 200) await setTimeout(BACK_OFF_MS);
  }
}

/** Goes away in the middle of a stream, as soon as something of it has come. */
async function hangUp(service: Service, over: AbortSignal, tally: Soaking): Promise<void> {
  while (!over.aborted) {
    const reply = await opened(`${service.address}${LONG_STREAM}`).catch(() => undefined);
    if (reply?.statusCode === 200) {
      reply.on('error', () => {});
      await once(reply, 'data').catch(() => {});
      reply.destroy();
      tally.hangUps += 1;
      return;
    }
    reply?.resume();
    await setTimeout(LOOK_MS);
  }
}

/** Kills the next ripgrep that is seen to run. */
async function killChild(service: Service, over: AbortSignal, tally: Soaking): Promise<void> {
  while (!over.aborted) {
    const [child] = childrenOf(service.pid);
    if (child !== undefined && hasKilled(child)) {
      tally.childrenKilled += 1;
      return;
    }
    await setTimeout(LOOK_MS);
  }
}

function hasKilled(child: number): boolean {
  try {
    return process.kill(child, 'SIGKILL');
  } catch {
    // It has ended by itself.
    return false;
  }
}

function tallyChecks(tally: Soaking, minutes: number): Check[] {
  const notAskedFor = tally.matching(/^failed: (?!BUSY|INTERNAL)/);
  return [
    atLeast('requests answered', tally.sum(/./), CONNECTIONS),
    { what: 'how they ended', wanted: 'any', found: tally.text, isMet: true },
    tally.faultCheck,
    atMost('INTERNAL, of searches whose ripgrep was killed', tally.sum(/^failed: INTERNAL/), tally.childrenKilled),
    {
      what: '5xx that was not asked for',
      wanted: 'none',
      found: listed(notAskedFor),
      isMet: notAskedFor.length === 0,
    },
    atLeast('clients that hung up', tally.hangUps, Math.round(HANG_UPS * Math.min(1, minutes) * MOST)),
    atLeast('slow readers served', tally.slowEnds, SLOW_READERS),
    atLeast('ripgrep children killed', tally.childrenKilled, 1),
    atLeast('workers ended', tally.workersEnded, 1),
  ];
}

/** Some who are to hang up still wait for their first record when time is up. */
const MOST = 0.9;
const HEALTH_MS = 2000;

function healthCheck(waits: readonly number[]): Check {
  const tail = quantile(waits, TAIL);
  return { what: 'health p99 meanwhile', wanted: `≤ ${HEALTH_MS} ms`, found: toTime(tail), isMet: tail <= HEALTH_MS };
}
