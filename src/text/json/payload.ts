import { matchAt } from './cursor.ts';
import { closingQuote, isQuote } from './strings.ts';

/** The brace at `at` begins an object; `within` is the bracket that the text before it left open. */
export interface Opening {
  at: number;
  within: '' | '{' | '[';
  empty: boolean;
}

type Bracket = '{' | '[';
type Begins = (text: string, brace: number) => boolean;

const BRACKET = /[{}[\]]/g;
const BLANK = /[\s>]*/y;
const COMMENT = /\/[/*]/y;
const AFTER_NAME = /[\s>]*(?::|\/[/*]|$)/y;
const BARE_MEMBER = /[A-Za-z_$][\w$]*\s*:\s*(?:["'{[\d-]|(?:true|false|null|True|False|None)\b)/y;

/**
 * Finds the first brace that begins an object rather than prose: one that a quoted
 * name and a colon follow, a bare name and a value, or a comment. Without any, the
 * first `{}`.
 *
 * `{braces}`, `[brackets]`, `{'a', 'b'}` and `/users/{id}` are prose. Looks at each
 * character a bounded number of times.
 */
export function findObject(text: string): Opening | undefined {
  return find(text, 0, beginsObject) ?? find(text, 0, isEmptyObject);
}

/** Finds what would have been as good a payload as `first`, from `from` on. */
export function findAnother(text: string, from: number, first: Opening): Opening | undefined {
  return find(text, from, first.empty ? isEmptyObject : beginsObject);
}

function find(text: string, from: number, begins: Begins): Opening | undefined {
  const open: Bracket[] = [];
  BRACKET.lastIndex = from;
  for (let match = BRACKET.exec(text); match !== null; match = BRACKET.exec(text)) {
    const [bracket] = match;
    if (bracket === '{' && begins(text, match.index)) {
      return { at: match.index, within: open.at(-1) ?? '', empty: begins === isEmptyObject };
    }
    passBracket(open, bracket);
  }
  return undefined;
}

/** Keeps the list of the brackets that are open; a closer of another kind is a character like any. */
function passBracket(open: Bracket[], bracket: string): void {
  if (bracket === '{' || bracket === '[') open.push(bracket);
  else if (open.at(-1) === (bracket === '}' ? '{' : '[')) open.pop();
}

function beginsObject(text: string, brace: number): boolean {
  const at = skipBlank(text, brace + 1);
  const first = text[at];
  if (isQuote(first)) {
    const close = closingQuote(text, at, first);
    return close < 0 || matchesAt(AFTER_NAME, text, close + 1);
  }
  return matchesAt(COMMENT, text, at) || matchesAt(BARE_MEMBER, text, at);
}

function isEmptyObject(text: string, brace: number): boolean {
  return text[skipBlank(text, brace + 1)] === '}';
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Moves past white space and the marks of a block quote. */
export function skipBlank(text: string, at: number): number {
  return at + matchAt(BLANK, text, at).length;
}
