import { type Context, createContext, Script } from 'node:vm';
import { PatternInvalid } from '../../errors.ts';
import { type Engine, inSlices, LIMIT_MS, tooSlow } from './slices.ts';
import type { Obstacle } from './to-re2.ts';

const MAX_REMEMBERED = 10_000;
const MAX_ATTEMPTS = 5;
const TIMEOUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const TOO_LARGE = 'The regular expression is too large for the engine. Send smaller repeat counts.';
// Goes on where the attempt before it was stopped.
const RUN = new Script('while (verdicts.length < names.length) verdicts.push(regex.test(names[verdicts.length]));');

let room: Context | undefined;

/**
 * Runs a JavaScript regular expression. V8 backtracks, so `node:vm` stops it at the limit; the watchdog
 * thread behind that costs 60 µs a call. Verdicts are remembered, for about `MAX_REMEMBERED` names, so that a batch of
 * known names costs nothing.
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

function run(regex: RegExp, names: readonly string[], obstacle: Obstacle): readonly boolean[] {
  const verdicts: boolean[] = [];
  if (names.length === 0) return verdicts;
  room ??= createContext(Object.create(null));
  Object.assign(room, { regex, names, verdicts });
  for (let attempt = 1; !finishes(room, obstacle, attempt === MAX_ATTEMPTS); ) attempt += 1;
  return verdicts;
}

// False when the process was given no processor until the limit: then nothing was slow.
function finishes(context: Context, obstacle: Obstacle, isLast: boolean): boolean {
  const before = process.cpuUsage();
  try {
    RUN.runInContext(context, { timeout: LIMIT_MS });
    return true;
  } catch (cause) {
    if (!isTimeout(cause)) throw new PatternInvalid(TOO_LARGE, { cause });
    const { user, system } = process.cpuUsage(before);
    const starved = user + system < (LIMIT_MS * 1000) / 2;
    if (isLast || !starved) throw tooSlow(obstacle, cause);
    return false;
  }
}

// Not `instanceof Error`: V8 may make the error in the context that it stopped.
function isTimeout(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === TIMEOUT;
}
