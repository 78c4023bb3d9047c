import { compileGlob } from './glob.ts';
import type { Rule } from './rules.ts';

const TRAILING_BLANKS = /(?<!\\)[ \t]+$/;
const BRACES = /[{}]/g;

/** The patterns of an ignore file, in order: no comments, no blank lines, no trailing blanks (gitignore(5)). */
export function ignoreLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line).replace(TRAILING_BLANKS, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/**
 * The rules of a `.gitignore`, relative to its folder (gitignore(5)): a slash
 * at the start or inside anchors a pattern there. A line that is no pattern is
 * left out, as git does.
 */
export function gitignoreRules(text: string): Rule[] {
  return ignoreLines(text).flatMap((line) => {
    const negated = line.startsWith('!');
    const pattern = (negated ? line.slice(1) : line).replace(BRACES, '\\$&');
    const rule = tryRule(pattern);
    return rule === undefined ? [] : [{ ...rule, negated }];
  });
}

/**
 * A rule of a glob: without an inner or leading slash about names at any depth,
 * with one about paths; a trailing slash makes it about folders alone. Throws
 * PATTERN_INVALID.
 */
export function toRule(pattern: string): Rule {
  const directoryOnly = pattern.length > 1 && pattern.endsWith('/');
  const glob = compileGlob(directoryOnly ? pattern.slice(0, -1) : pattern, { caseSensitive: true });
  if (!glob.nameOnly) return { path: glob, directoryOnly };
  return {
    name: (name) => {
      const after = glob.step(glob.start, name);
      return after !== undefined && glob.accepts(after);
    },
    directoryOnly,
  };
}

function tryRule(pattern: string): Rule | undefined {
  try {
    return toRule(pattern);
  } catch {
    return undefined;
  }
}
