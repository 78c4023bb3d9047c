import type { RegexNode } from './ast.ts';
import { Machine } from './machine.ts';
import { toProgram } from './program.ts';
import { type Engine, inSlices, tooSlow } from './slices.ts';
import type { Obstacle } from './to-re2.ts';

// About 50 ms. Steps are counted, not time, so that the same request has the same answer on a busy machine.
const MAX_STEPS = 2_000_000;

/** Runs what RE2 cannot express, by backtracking, for so many steps a batch. */
export function backtrackingEngine(tree: RegexNode, obstacle: Obstacle): Engine {
  const machine = new Machine(toProgram(tree));
  return inSlices((names) => {
    const budget = { steps: MAX_STEPS };
    return names.map((name) => {
      const verdict = machine.search(codePointsOf(name), budget);
      if (budget.steps <= 0) throw tooSlow(obstacle);
      return verdict;
    });
  });
}

function codePointsOf(name: string): number[] {
  const codePoints: number[] = [];
  for (let i = 0; i < name.length; i++) {
    const codePoint = name.codePointAt(i) ?? 0;
    codePoints.push(codePoint);
    if (codePoint > 0xffff) i += 1;
  }
  return codePoints;
}
