import type { SearchPattern } from './argv.ts';
import { type RegexPart, regexParts } from './regex-parts.ts';

const IGNORE_CASE = /^\(\?[a-z]*i/;
const ESCAPED_PUNCTUATION = /^\\[^\p{L}\p{N}\s]$/u;
const OPTIONAL = /^(?:[*?]|\{0?[ ,])/;
/** What is shorter is in nearly every file. */
const MIN_LENGTH = 2;

/**
 * A text that stands in whatever the pattern matches, letter for letter: a file
 * without it need not be searched. Undefined when none is known.
 */
export function requiredText({ caseSensitive, isRegex, text }: SearchPattern): string | undefined {
  if (!caseSensitive) return undefined;
  return isRegex ? longestLiteral(regexParts(text).parts) : text;
}

/** The longest run of plain characters outside of groups; undefined when there is none, or another branch. */
function longestLiteral(parts: readonly RegexPart[]): string | undefined {
  const runs = new Runs();
  for (const part of parts) runs.take(part);
  runs.end();
  return runs.isSure && runs.longest.length >= MIN_LENGTH ? runs.longest : undefined;
}

class Runs {
  longest = '';
  /** False once there is another way to match than the runs. */
  isSure = true;
  #run: string[] = [];
  #depth = 0;

  take({ kind, text }: RegexPart): void {
    if (IGNORE_CASE.test(text)) this.isSure = false;
    switch (kind) {
      case 'atom':
        this.#add(this.#depth === 0 ? plainOf(text) : undefined);
        break;
      case 'repeat':
        // The last character may come again, or not at all.
        if (OPTIONAL.test(text)) this.#run.pop();
        this.end();
        break;
      case 'or':
        if (this.#depth === 0) this.isSure = false;
        break;
      case 'open':
      case 'close':
        this.#depth += kind === 'open' ? 1 : -1;
        this.end();
        break;
      default:
      // What takes no character breaks no run.
    }
  }

  /** Takes a plain character; undefined ends the run. */
  #add(character: string | undefined): void {
    if (character === undefined) this.end();
    else this.#run.push(character);
  }

  end(): void {
    const run = this.#run.join('');
    if (run.length > this.longest.length) this.longest = run;
    this.#run = [];
  }
}

/** The character that an atom stands for; undefined when it stands for several. */
function plainOf(atom: string): string | undefined {
  if (ESCAPED_PUNCTUATION.test(atom)) return atom.slice(1);
  return atom === '.' || atom.startsWith('\\') || atom.startsWith('[') ? undefined : atom;
}
