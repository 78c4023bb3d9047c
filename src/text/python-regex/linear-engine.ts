import { RE2JS } from 're2js';
import { type Engine, inSlices, LIMIT_MS, tooSlow } from './slices.ts';

/**
 * Runs an RE2 expression: linear in the length of a name, whatever the expression. The clock is looked at
 * after each name, since a large program takes up to 15 ms for one.
 */
export function linearEngine(source: string): Engine {
  const regex = RE2JS.compile(source);
  return inSlices((names) => {
    const start = performance.now();
    return names.map((name) => {
      const verdict = regex.test(name);
      if (performance.now() - start > LIMIT_MS) throw tooSlow(undefined);
      return verdict;
    });
  });
}
