import { PatternInvalid, withMembers } from '../errors.ts';
import { PLAIN, type RegexSyntax, VERBOSE, withoutGaps } from './regex-syntax.ts';

/**
 * A piece of a regular expression in the syntax of the Rust regex crate, as far
 * as its structure goes. `atom` takes one character; an `assertion`, the
 * `anchor` that ends a line, `flags`, and a `blank` (white space and comments
 * under `x`) take none.
 */
export interface RegexPart {
  kind: 'atom' | 'repeat' | 'anchor' | 'assertion' | 'flags' | 'blank' | 'open' | 'close' | 'or';
  text: string;
  /** Where it starts, in characters from 0. */
  position: number;
}

export interface RegexParts {
  parts: RegexPart[];
  /** Whether it ends where white space and comments are allowed between the parts (`x`). */
  endsVerbose: boolean;
}

const COMMENT = /#[^\n]*/y;
const BLANK = /\p{White_Space}+/uy;
const CHARACTER = /./suy;
const UNFINISHED = /^\\[pPxuU]$/;
const ASSERTION = /^\\(?:[AbB<>]|b\{)/;

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
    if (this.isVerbose && (this.#takeIf(BLANK, 'blank') || this.#takeIf(COMMENT, 'blank'))) return;
    if (first === '\\') this.#readEscape();
    else if (first === '[') this.#take(this.#classEnd(), 'atom');
    else if (first === '(') this.#readOpening();
    else if (first === ')') this.#readClosing();
    else if (!this.#takeIf(this.#syntax.repeat, 'repeat')) this.#takeIf(CHARACTER, kindOf(first));
  }

  #readEscape(): void {
    const text = this.#match(this.#syntax.escape)?.[0];
    if (text === undefined || this.#isCutOff(text))
      refuseRegex('incomplete escape sequence: the pattern ends', this.#position);
    this.#take(this.#index + text.length, kindOfEscape(text));
  }

  /** Whether an escape takes more than there is: it would read on in what is put behind the regex. */
  #isCutOff(text: string): boolean {
    const end = this.#pass(this.#syntax.gap, this.#index + text.length);
    return UNFINISHED.test(text) && (end === this.#regex.length || this.#regex[end] === '{');
  }

  #readOpening(): void {
    const flags = this.#match(this.#syntax.flags);
    const wasVerbose = this.isVerbose;
    const opening = flags ?? this.#match(this.#syntax.group) ?? ['('];
    if (flags?.groups !== undefined) this.isVerbose = verboseAfter(flags.groups['set'] ?? '', wasVerbose);
    if (flags?.groups?.['end'] === ')') {
      this.#take(this.#index + flags[0].length, 'flags');
      return;
    }
    this.#open.push({ position: this.#position, wasVerbose });
    this.#take(this.#index + opening[0].length, 'open');
  }

  #readClosing(): void {
    const opened = this.#open.pop();
    if (opened === undefined) refuseRegex('unopened group', this.#position);
    this.isVerbose = opened.wasVerbose;
    this.#take(this.#index + 1, 'close');
  }

  /** The end of the class that begins here; classes nest. */
  #classEnd(): number {
    let depth = 0;
    for (let at = this.#index; at < this.#regex.length; ) {
      const character = this.#regex[at];
      if (character === '[') {
        depth += 1;
        at = this.#pass(this.#syntax.classOpening, at + 1);
      } else if (character === ']') {
        depth -= 1;
        at += 1;
      } else at = this.#passItem(at);
      if (depth === 0) return at;
      at = this.#pass(this.#syntax.gap, at);
    }
    return refuseRegex('unclosed character class', this.#position);
  }

  /** Where the operator, the character or the range at `at` in a class ends. */
  #passItem(at: number): number {
    const operatorEnd = this.#pass(this.#syntax.classOperator, at);
    if (operatorEnd > at) return operatorEnd;
    const end = this.#passCharacter(at);
    const last = this.#pass(this.#syntax.range, end);
    return last > end ? this.#passCharacter(last) : end;
  }

  #passCharacter(at: number): number {
    const end = this.#pass(this.#regex[at] === '\\' ? this.#syntax.escape : CHARACTER, at);
    return end === at ? refuseRegex('unclosed character class', this.#position) : end;
  }

  get #syntax(): RegexSyntax {
    return this.isVerbose ? VERBOSE : PLAIN;
  }

  #takeIf(pattern: RegExp, kind: RegexPart['kind']): boolean {
    const end = this.#pass(pattern, this.#index);
    if (end === this.#index) return false;
    this.#take(end, kind);
    return true;
  }

  /** Where what matches at `at` ends. */
  #pass(pattern: RegExp, at: number): number {
    return at + (this.#match(pattern, at)?.[0].length ?? 0);
  }

  #match(pattern: RegExp, at = this.#index): RegExpExecArray | null {
    pattern.lastIndex = at;
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
  if (character === '^') return 'assertion';
  return character === '|' ? 'or' : 'atom';
}

function kindOfEscape(text: string): RegexPart['kind'] {
  // Each line is searched by itself, and ends the text.
  if (text === '\\z') return 'anchor';
  return ASSERTION.test(text) ? 'assertion' : 'atom';
}

/** Whether `x` is on after flags such as `i`, `x-s` or `-x`. */
function verboseAfter(flags: string, before: boolean): boolean {
  const [on = '', off = ''] = flags.split('-');
  if (off.includes('x')) return false;
  return before || on.includes('x');
}

/** How often what stands before a part must match, by all the repetitions that follow one another there. */
export interface Repeat {
  /** Whether it may be left out. */
  isOptional: boolean;
  /** How many repetitions there are. */
  count: number;
  /** The part after them. */
  next: number;
}

const ZERO_OR_MORE = /^(?:[*?]|\{0*[,}])/;

/** How the part at `index` is repeated. */
export function repeatOf(parts: readonly RegexPart[], index: number): Repeat {
  let isOptional = false;
  let next = index + 1;
  for (; ; next += 1) {
    const part = parts[next];
    if (part?.kind === 'repeat') isOptional ||= ZERO_OR_MORE.test(withoutGaps(part.text));
    else if (part?.kind !== 'blank') break;
  }
  const count = parts.slice(index + 1, next).filter(({ kind }) => kind === 'repeat').length;
  return { isOptional, count, next };
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
