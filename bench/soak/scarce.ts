import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { descriptorsOf } from '../../test/helpers/proc.ts';
import { Service, statusOf } from '../service.ts';
import { ask, type Ending, judge } from './answers.ts';
import { atLeast, atMost, type Check } from './check.ts';
import { levelChecks, levelOf, settled } from './level.ts';
import { Tally } from './tally.ts';
import { FIXED } from './tree.ts';

/** Descriptors that the service may open on top of those it has. */
const SPARE = 12;
const ROUNDS = 40;
const AT_ONCE = 10;
const SOCKETS = 30;
const SETTLE_MS = 10_000;
const RECOVERY_MS = 2000;

const REQUESTS = [
  { path: '/glob?path=fixed&pattern=**/*.ts', known: { count: FIXED.files } },
  { path: '/ls/stream?path=fixed&recursive=true&type=file', known: { count: FIXED.files } },
  { path: '/grep/stream?path=fixed&pattern=needle', known: { count: FIXED.files * FIXED.needles } },
  { path: '/read?path=fixed/folder-0/file-0.ts', known: {} },
];

/** Too few descriptors for what is asked: some fail, and say so; nobody is told half of the truth. */
export async function scarceDescriptors(root: string): Promise<Check[]> {
  const service = await Service.start(root);
  try {
    // The same work with descriptors for all: what memory that takes is not what scarcity leaves.
    const plenty = await askAll(service);
    const before = levelOf(service);
    limitDescriptors(service.pid, descriptorsOf(service.pid) + SPARE);
    const tally = await askAll(service);
    const sockets = await crowd(service);
    for (const socket of sockets) socket.destroy();
    const recovered = await recoveryOf(service);
    limitDescriptors(service.pid, undefined);
    const after = await settled(service, before, SETTLE_MS);
    return [
      atMost('not whole while there were enough', plenty.sum(/^(?!whole)/), 0),
      { what: 'how requests ended', wanted: 'any', found: tally.text, isMet: true },
      atLeast('that failed, were cut or broken off', tally.sum(/^(?!whole)/), 1),
      tally.faultCheck,
      { what: 'the process', wanted: 'lives', found: service.hasEnded ? 'ended' : 'lives', isMet: !service.hasEnded },
      atMost('served again after the crowd left', recovered, RECOVERY_MS, ' ms'),
      ...levelChecks(after, before),
    ];
  } finally {
    await service.close();
  }
}

async function askAll(service: Service): Promise<Tally> {
  const tally = new Tally();
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => askOne(service, at + round, tally)));
  }
  return tally;
}

async function askOne(service: Service, at: number, tally: Tally): Promise<void> {
  const { known, path } = REQUESTS[at % REQUESTS.length] ?? { path: '/ls', known: {} };
  const ending = await ask(`${service.address}${path}`).then(
    (answer) => judge(answer, known),
    // The connection itself was one too many.
    (): Ending => ({ kind: 'broken off' }),
  );
  tally.add(path, ending);
}

/** Sets the soft limit of a process that runs; the hard one stays, so that it can be raised again. */
function limitDescriptors(pid: number, most: number | undefined): void {
  const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most ?? hard}:${hard}`]);
}

/** More connections than the service has descriptors for. */
async function crowd(service: Service): Promise<Socket[]> {
  const { hostname, port } = new URL(service.address);
  const sockets = Array.from({ length: SOCKETS }, () => connect(Number(port), hostname).on('error', () => {}));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  await setTimeout(SETTLE_MS / 10);
  return sockets;
}

async function recoveryOf(service: Service): Promise<number> {
  const started = performance.now();
  while ((await statusOf(`${service.address}${REQUESTS[0]?.path}`)) !== 200) {
    if (performance.now() - started > SETTLE_MS) break;
    await setTimeout(20);
  }
  return performance.now() - started;
}
