import { PatternInvalid, withMembers } from '../../errors.ts';
import type { Obstacle } from './to-re2.ts';

/** How long an engine may take for a batch of names, or for each thousand of a larger one. */
export const LIMIT_MS = 50;
const SLICE = 1000;

/** Tells for each name whether it matches. */
export type Engine = (names: readonly string[]) => boolean[];

/** Gives an engine at most a thousand names at once. */
export function inSlices(run: Engine): Engine {
  return (names) => {
    if (names.length <= SLICE) return run(names);
    const verdicts: boolean[] = [];
    for (let from = 0; from < names.length; from += SLICE) verdicts.push(...run(names.slice(from, from + SLICE)));
    return verdicts;
  };
}

/** What is told when an engine was stopped at the limit. */
export function tooSlow(obstacle: Obstacle | undefined): Error {
  const stopped = `The regular expression needs too much time: it was stopped after ${LIMIT_MS} ms.`;
  if (obstacle === undefined) {
    return new PatternInvalid(`${stopped} Send smaller repeat counts, or fewer repeats inside repeats.`);
  }
  const { construct, position } = obstacle;
  const remedy = 'Send it without, or without a repeat inside a repeat such as (a+)+';
  const detail = `${stopped} The ${construct} at position ${position} keeps it from the linear-time engine. ${remedy}.`;
  return withMembers(new PatternInvalid(detail), { position });
}
