import { PatternInvalid, withMembers } from '../../errors.ts';
import type { Obstacle } from './to-re2.ts';

const SLICE = 1000;
const STOPPED = 'The regular expression needs too much time and was stopped.';

/** Tells for each name whether it matches. */
export type Engine = (names: readonly string[]) => boolean[];

/** Gives an engine at most a thousand names at once: its limit is for so many. */
export function inSlices(run: Engine): Engine {
  return (names) => {
    if (names.length <= SLICE) return run(names);
    const verdicts: boolean[] = [];
    for (let from = 0; from < names.length; from += SLICE) verdicts.push(...run(names.slice(from, from + SLICE)));
    return verdicts;
  };
}

/** What is told when an engine was stopped at its limit. */
export function tooSlow(obstacle: Obstacle | undefined): Error {
  if (obstacle === undefined) {
    return new PatternInvalid(`${STOPPED} Send smaller repeat counts, or fewer repeats inside repeats.`);
  }
  const { construct, position } = obstacle;
  const remedy = 'Send it without, or without a repeat inside a repeat such as (a+)+';
  const detail = `${STOPPED} The ${construct} at position ${position} keeps it from the linear-time engine. ${remedy}.`;
  return withMembers(new PatternInvalid(detail), { position });
}
