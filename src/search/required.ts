import type { SearchPattern } from './argv.ts';
import { type RegexPart, regexParts, repeatOf } from './regex-parts.ts';

/** What is shorter is in nearly every file. */
const MIN_LENGTH = 2;
/** Flags under which a character still stands for itself, and white space and `#` are characters. */
const HARMLESS_FLAGS = /^\(\?[smU-]*[:)]$/;
const ESCAPED_PUNCTUATION = /^\\[!-/:;=?@[-`{-~]$/;
/** Characters that may mean more than themselves. */
const META = /^[\\.[{(*+?|^$]/;
const ONCE_OR_MORE = /^(?:\+|\{0*[1-9][0-9]*(?:,[0-9]*)?\})\??$/;

/**
 * A text that stands in whatever the pattern matches, letter for letter: a file
 * without it need not be searched. Undefined when none is known; what is not
 * known to be a plain character is taken to be none.
 */
export function requiredText({ caseSensitive, isRegex, text }: SearchPattern): string | undefined {
  if (!caseSensitive) return undefined;
  return isRegex ? longestLiteral(regexParts(text).parts) : text;
}

/** The longest run of plain characters outside of groups; undefined when there is none, or another branch. */
function longestLiteral(parts: readonly RegexPart[]): string | undefined {
  const runs = new Runs();
  let depth = 0;
  for (const [at, part] of parts.entries()) {
    if (isAnotherWay(part, depth)) return undefined;
    depth += DEPTH[part.kind] ?? 0;
    runs.take(depth === 0 ? plainOf(part) : undefined, repeatsOf(parts, at));
  }
  runs.end();
  return runs.longest.length >= MIN_LENGTH ? runs.longest : undefined;
}

const DEPTH: Partial<Record<RegexPart['kind'], number>> = { open: 1, close: -1 };

/** Whether because of a part the characters around it need not be there, or not as they are. */
function isAnotherWay({ kind, text }: RegexPart, depth: number): boolean {
  if (kind === 'or') return depth === 0;
  return (kind === 'flags' || (kind === 'open' && text.endsWith(':'))) && !HARMLESS_FLAGS.test(text);
}

function repeatsOf(parts: readonly RegexPart[], at: number): string[] {
  return parts.slice(at + 1, repeatOf(parts, at).next).map(({ text }) => text);
}

class Runs {
  longest = '';
  #run = '';

  /** Takes a plain character and how it is repeated; undefined ends the run. */
  take(character: string | undefined, repeats: readonly string[]): void {
    const isThere = repeats.length === 0 || (repeats.length === 1 && ONCE_OR_MORE.test(repeats[0] ?? ''));
    if (character !== undefined && isThere) this.#run += character;
    // A character that may come again, or not at all, is not followed by the next one.
    if (character === undefined || repeats.length > 0) this.end();
  }

  end(): void {
    if (this.#run.length > this.longest.length) this.longest = this.#run;
    this.#run = '';
  }
}

/** The character that a part stands for; undefined when it is none, one of several, or not known. */
function plainOf({ kind, text }: RegexPart): string | undefined {
  if (kind !== 'atom') return undefined;
  if (ESCAPED_PUNCTUATION.test(text)) return text.slice(1);
  return META.test(text) ? undefined : text;
}
