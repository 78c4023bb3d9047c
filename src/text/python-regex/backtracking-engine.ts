import { type Context, createContext, Script } from 'node:vm';
import { PatternInvalid } from '../../errors.ts';
import { cpuTime } from './cpu-clock.ts';
import { type Engine, inSlices, LIMIT_MS, tooSlow } from './slices.ts';
import type { Obstacle } from './to-re2.ts';

const MAX_REMEMBERED = 10_000;
const ATTEMPT_MS = LIMIT_MS / 2;
const MAX_ATTEMPTS = 10;
const TIMEOUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const TOO_LARGE = 'The regular expression is too large for the engine. Send smaller repeat counts.';
// Goes on where the attempt before it was stopped.
const RUN = new Script('while (verdicts.length < names.length) verdicts.push(regex.test(names[verdicts.length]));');

let room: Context | undefined;

/**
 * Runs a JavaScript regular expression. V8 backtracks, so `node:vm` stops it; the watchdog thread behind that
 * costs 60 µs a call. Verdicts are remembered, for about `MAX_REMEMBERED` names, so that a batch of known
 * names costs nothing.
 */
export function backtrackingEngine(source: string, obstacle: Obstacle): Engine {
  const regex = new RegExp(source);
  const remembered = new Map<string, boolean>();
  return inSlices((names) => {
    if (remembered.size > MAX_REMEMBERED) remembered.clear();
    const unknown = [...new Set(names)].filter((name) => !remembered.has(name));
    const verdicts = run(regex, unknown, obstacle);
    for (const [index, name] of unknown.entries()) remembered.set(name, verdicts[index] ?? false);
    return names.map((name) => remembered.get(name) ?? false);
  });
}

// The limit is two attempts: a thread that gets no processor for a while is late once, a slow pattern twice.
// Where the process had none in both either, there are more.
function run(regex: RegExp, names: readonly string[], obstacle: Obstacle): readonly boolean[] {
  const verdicts: boolean[] = [];
  if (names.length === 0) return verdicts;
  room ??= createContext(Object.create(null));
  Object.assign(room, { regex, names, verdicts });
  const cpuStart = cpuTime();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (finishes(room)) return verdicts;
    if (attempt > 1 && cpuTime() - cpuStart > ATTEMPT_MS) break;
  }
  throw tooSlow(obstacle);
}

function finishes(context: Context): boolean {
  try {
    RUN.runInContext(context, { timeout: ATTEMPT_MS });
    return true;
  } catch (cause) {
    if (isTimeout(cause)) return false;
    throw new PatternInvalid(TOO_LARGE, { cause });
  }
}

// Not `instanceof Error`: V8 may make the error in the context that it stopped.
function isTimeout(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === TIMEOUT;
}
