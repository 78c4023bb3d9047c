import type { Bounds } from '../bounds.ts';
import { compileFnmatch, fnmatchSegment } from '../text/fnmatch.ts';
import { toRule } from '../text/ignore-file.ts';
import { Rules } from '../text/rules.ts';

/** Whether a name matches one of the patterns, as Python's fnmatch has it; with no patterns every name does. */
export function matchesAny(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map((pattern) => compileFnmatch(pattern, { caseSensitive: true }));
  return (name) => matchers.length === 0 || matchers.some((matches) => matches(name));
}

/** The patterns as rules on names, as Python's fnmatch has them. */
export function fnmatchRules(patterns: readonly string[]): Rules {
  return new Rules(patterns.map((pattern) => ({ name: fnmatchSegment(pattern) })));
}

/** Globs as rules: without a slash on names at any depth, with one on paths below the start. Throws PATTERN_INVALID. */
export function globRules(patterns: readonly string[], { alternatives }: Bounds): Rules {
  return new Rules(patterns.map((pattern) => toRule(pattern, { maxAlternatives: alternatives })));
}
