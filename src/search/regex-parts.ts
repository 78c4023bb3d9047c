import { PatternInvalid, withMembers } from '../errors.ts';

/**
 * A piece of a regular expression in the syntax of the Rust regex crate, as far
 * as its structure goes. `atom` takes one character; `pass` takes none (an
 * assertion, flags, white space and comments under `x`).
 */
export interface RegexPart {
  kind: 'atom' | 'repeat' | 'anchor' | 'pass' | 'open' | 'close' | 'or';
  text: string;
  /** Where it starts, in characters from 0. */
  position: number;
}

export interface RegexParts {
  parts: RegexPart[];
  /** Whether it ends where white space and comments are allowed between the parts (`x`). */
  endsVerbose: boolean;
}

const ESCAPE = /\\(?:[pPxuU]\{[^}]*\}|b\{[^}]*\}|.)/suy;
const REPEAT = /(?:[*+?]|\{[0-9, ]*\})\??/y;
const FLAGS = /\(\?(?<set>[a-zA-Z-]*)(?<end>[:)])/y;
const GROUP = /\((?:\?P?<(?![=!])[^>]*>)?/y;
const COMMENT = /#[^\n]*/y;
const BLANK = /\s+/y;
const ASSERTION = /^\\(?:[AzbB<>]|b\{)/;

/** Takes a regex apart. Throws PATTERN_INVALID where a group, a class or an escape is not closed, or one is closed that is not open. */
export function regexParts(regex: string): RegexParts {
  const reader = new Reader(regex);
  const parts = reader.readAll();
  return { parts, endsVerbose: reader.isVerbose };
}

class Reader {
  isVerbose = false;
  readonly #regex: string;
  readonly #parts: RegexPart[] = [];
  /** The groups that are open: where each starts, and whether it was verbose around it. */
  readonly #open: { position: number; wasVerbose: boolean }[] = [];
  #index = 0;
  #position = 0;

  constructor(regex: string) {
    this.#regex = regex;
  }

  readAll(): RegexPart[] {
    while (this.#index < this.#regex.length) this.#readOne();
    const unclosed = this.#open.pop();
    if (unclosed !== undefined) refuseRegex('unclosed group', unclosed.position);
    return this.#parts;
  }

  #readOne(): void {
    const first = this.#regex.charAt(this.#index);
    if (this.isVerbose && (this.#takeIf(BLANK, 'pass') || this.#takeIf(COMMENT, 'pass'))) return;
    if (first === '\\') this.#readEscape();
    else if (first === '[') this.#take(this.#classEnd(), 'atom');
    else if (first === '(') this.#readOpening();
    else if (first === ')') this.#readClosing();
    else if (!this.#takeIf(REPEAT, 'repeat')) this.#take(this.#characterEnd(), kindOf(first));
  }

  #readEscape(): void {
    const text = this.#at(ESCAPE)?.[0];
    if (text === undefined) refuseRegex('incomplete escape sequence: the pattern ends', this.#position);
    this.#take(this.#index + text.length, ASSERTION.test(text) ? 'pass' : 'atom');
  }

  #readOpening(): void {
    const flags = this.#at(FLAGS);
    const wasVerbose = this.isVerbose;
    if (flags?.groups !== undefined) this.isVerbose = verboseAfter(flags.groups['set'] ?? '', wasVerbose);
    if (flags?.groups?.['end'] === ')') {
      this.#take(this.#index + flags[0].length, 'pass');
      return;
    }
    this.#open.push({ position: this.#position, wasVerbose });
    this.#take(this.#index + (flags ?? this.#at(GROUP) ?? ['('])[0].length, 'open');
  }

  #readClosing(): void {
    const opened = this.#open.pop();
    if (opened === undefined) refuseRegex('unopened group', this.#position);
    this.isVerbose = opened.wasVerbose;
    this.#take(this.#index + 1, 'close');
  }

  /** The end of the class that begins here: classes nest, and a `]` right after the opening, `^` and `-` is literal. */
  #classEnd(): number {
    let depth = 0;
    for (let at = this.#index; at < this.#regex.length; at += 1) {
      const character = this.#regex[at];
      if (character === '\\') at += 1;
      else if (character === '[') {
        depth += 1;
        at += this.#classOpening(at + 1);
      } else if (character === ']') depth -= 1;
      if (depth === 0) return at + 1;
    }
    return refuseRegex('unclosed character class', this.#position);
  }

  /** The length of what follows a `[` and cannot end its class. */
  #classOpening(at: number): number {
    const opening = this.isVerbose ? /\s*\^?\s*-*\s*\]?/y : /\^?(?:-+|\]?)/y;
    opening.lastIndex = at;
    return opening.exec(this.#regex)?.[0].length ?? 0;
  }

  #characterEnd(): number {
    return this.#index + ((this.#regex.codePointAt(this.#index) ?? 0) > 0xffff ? 2 : 1);
  }

  #takeIf(pattern: RegExp, kind: RegexPart['kind']): boolean {
    const length = this.#at(pattern)?.[0].length ?? 0;
    if (length === 0) return false;
    this.#take(this.#index + length, kind);
    return true;
  }

  #at(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#index;
    return pattern.exec(this.#regex);
  }

  #take(end: number, kind: RegexPart['kind']): void {
    const text = this.#regex.slice(this.#index, end);
    this.#parts.push({ kind, text, position: this.#position });
    this.#index = end;
    this.#position += [...text].length;
  }
}

function kindOf(character: string): RegexPart['kind'] {
  if (character === '$') return 'anchor';
  if (character === '^') return 'pass';
  return character === '|' ? 'or' : 'atom';
}

/** Whether `x` is on after flags such as `i`, `x-s` or `-x`. */
function verboseAfter(flags: string, before: boolean): boolean {
  const [on = '', off = ''] = flags.split('-');
  if (off.includes('x')) return false;
  return before || on.includes('x');
}

const HOW =
  'This is the syntax of the Rust regex crate: no look-around and no back-references. Mend it, or leave isRegex out to search for the text as it is.';

/** Throws PATTERN_INVALID for a regex, with the reason and the position in characters from 0. */
export function refuseRegex(reason: string, position: number): never {
  throw regexError(reason, position);
}

export function regexError(reason: string, position: number): Error {
  return withMembers(new PatternInvalid(`Invalid regex: ${reason} (position ${position}). ${HOW}`), { position });
}
