import { compileGlob, type GlobOptions } from './glob.ts';
import type { Rule } from './rules.ts';

const BYTE_ORDER_MARK = '\ufeff';
const TRAILING_SPACES = /(?<!\\) +$/;
const TRAILING_TABS = /(?<!\\)[ \t]+$/;
const TRAILING_STARS = /\/\*\*(\/?)$/;
const SLASH_AROUND = /^\/|\/$/g;
/** A segment that no path has. */
const NO_NAME = /(?:^|\/)\.{0,2}(?:\/|$)/;
const BRACES = /[{}]/g;

/** The patterns of a list of rules, in order: no comments, no blank lines, no trailing blanks. */
export function ignoreLines(text: string): string[] {
  return gitignoreLines(text)
    .map((line) => line.replace(TRAILING_TABS, ''))
    .filter((line) => line !== '');
}

/** The patterns of a `.gitignore`, in which a trailing tab is part of a name (gitignore(5)). */
function gitignoreLines(text: string): string[] {
  return (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line).replace(TRAILING_SPACES, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * The rules of a `.gitignore`, relative to its folder (gitignore(5)): a slash
 * at the start or inside anchors a pattern there. A line that is no pattern is
 * left out, as git does.
 */
export function gitignoreRules(text: string): Rule[] {
  return gitignoreLines(text).flatMap((line) => {
    const negated = line.startsWith('!');
    const rule = gitignoreRule(negated ? line.slice(1) : line);
    return rule === undefined ? [] : [{ ...rule, negated }];
  });
}

function gitignoreRule(pattern: string): Rule | undefined {
  const body = pattern.replace(SLASH_AROUND, '');
  if (body !== '' && NO_NAME.test(body)) return undefined;
  // `**` at the end is all that is inside, and not the folder itself.
  const inside = pattern.replace(TRAILING_STARS, '/**/*$1');
  return tryRule(inside.replace(BRACES, '\\$&'));
}

/**
 * A rule of a glob: without an inner or leading slash about names at any depth,
 * with one about paths; a trailing slash makes it about folders alone. Throws
 * PATTERN_INVALID.
 */
export function toRule(pattern: string, limits: Pick<GlobOptions, 'maxAlternatives'> = {}): Rule {
  const directoryOnly = pattern.length > 1 && pattern.endsWith('/');
  const glob = compileGlob(directoryOnly ? pattern.slice(0, -1) : pattern, { ...limits, caseSensitive: true });
  if (!glob.nameOnly) return { path: glob, directoryOnly };
  const matches = (name: string) => {
    const after = glob.step(glob.start, name);
    return after !== undefined && glob.accepts(after);
  };
  return { name: { matches, ends: glob.endsOfHits(glob.start), cost: glob.cost }, directoryOnly };
}

function tryRule(pattern: string): Rule | undefined {
  try {
    return toRule(pattern);
  } catch {
    return undefined;
  }
}
