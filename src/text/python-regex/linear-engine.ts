import { RE2JS } from 're2js';
import { cpuTime } from './cpu-clock.ts';
import { type Engine, inSlices, tooSlow } from './slices.ts';

const LIMIT_MS = 50;
// Fewer steps take less than the limit on any machine, whatever the clock says.
const STEPS_WORTH_TIMING = 200_000;

/**
 * Runs an RE2 expression of about `states` states: linear in the length of a name, whatever the expression.
 * The time is looked at after each name, since a large program takes up to 15 ms for one.
 */
export function linearEngine(source: string, states: number): Engine {
  const regex = RE2JS.compile(source);
  return inSlices((names) => {
    const start = performance.now();
    const cpuStart = cpuTime();
    let steps = 0;
    return names.map((name) => {
      const verdict = regex.test(name);
      steps += states * (name.length + 1);
      const isLate = steps > STEPS_WORTH_TIMING && performance.now() - start > LIMIT_MS;
      if (isLate && cpuTime() - cpuStart > LIMIT_MS) throw tooSlow(undefined);
      return verdict;
    });
  });
}
