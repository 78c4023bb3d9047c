import { setTimeout } from 'node:timers/promises';
import { childrenOf } from '../../test/helpers/proc.ts';
import { Service } from '../service.ts';
import { ask, type Ending, judge } from './answers.ts';
import { atMost, type Check } from './check.ts';
import { Tally } from './tally.ts';
import { FIXED, NEEDLE } from './tree.ts';

const CLIENTS = 60;
const LOAD_MS = 2000;
/** The grace time of the service, and what it may take to close. */
const END_MS = 6000;

const STREAMS = [
  { path: '/grep/stream?path=log.txt&pattern=request', known: { count: FIXED.logLines } },
  { path: '/glob/stream?path=fixed&pattern=**/*.ts', known: { count: FIXED.files } },
  {
    path: `/grep/stream?path=fixed&pattern=${encodeURIComponent(NEEDLE)}`,
    known: { count: FIXED.files * FIXED.needles },
  },
];

/** Told to end while it works: streams are finished or visibly broken off, and nothing is left. */
export async function sigterm(root: string): Promise<Check[]> {
  const service = await Service.start(root);
  const tally = new Tally();
  let isEnding = false;
  const client = async (_: unknown, at: number) => {
    const { known, path } = STREAMS[at % STREAMS.length] ?? { path: '/ls', known: {} };
    while (!isEnding) {
      const ending = await ask(`${service.address}${path}`).then(
        (answer) => judge(answer, known),
        (): Ending => (isEnding ? { kind: 'broken off' } : { kind: 'fault', why: 'no reply' }),
      );
      tally.add(path, ending);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  await setTimeout(LOAD_MS);
  const children = childrenOf(service.pid);
  isEnding = true;
  const ended = await service.close();
  await Promise.all(clients);
  const left = children.filter(isAlive);
  return [
    { what: 'exit', wanted: '0', found: `${ended.code ?? ended.signal}`, isMet: ended.code === 0 },
    atMost('ended after', ended.milliseconds, END_MS, ' ms'),
    { what: 'how requests ended', wanted: 'any', found: tally.text, isMet: true },
    tally.faultCheck,
    atMost('children left', left.length, 0),
  ];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
