import { type Closer, type Cursor, matchAt } from './cursor.ts';
import { cutOff, found, tooDeep, unreadable } from './refusals.ts';
import { REPAIR } from './repairs.ts';
import { isQuote, readString } from './strings.ts';
import { atEnd, skipTrivia } from './trivia.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const BARE_WORD = /[^\s,:{}[\]"'`/]+/y;
const BARE_NAME = /[A-Za-z_$][\w$]*/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const OPENERS = '{[';
const CLOSERS = '}]';

const JSON_WORDS = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const PYTHON_WORDS = new Map<string, Json>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/**
 * Reads the object that opens at the cursor, mending what has one reading.
 *
 * Mended: one trailing comma, a missing comma, missing closers, comments, names
 * without quotes, single quotes and Python's constants. Refused: whatever would
 * need a guess at a value, such as a bare word, `NaN`, `+1` or two commas in a row.
 *
 * `__proto__` becomes an own property and the last of two equal names wins, as
 * with `JSON.parse`.
 */
export function readObject(cursor: Cursor): JsonObject {
  const members: [string, Json][] = [];
  readItems(cursor, '}', () => members.push(readMember(cursor)));
  return Object.fromEntries(members);
}

function readArray(cursor: Cursor): Json[] {
  const elements: Json[] = [];
  readItems(cursor, ']', () => elements.push(readValue(cursor)));
  return elements;
}

type Previous = 'opener' | 'comma' | 'item';

function readItems(cursor: Cursor, closer: Closer, readItem: () => void): void {
  cursor.due.push(closer);
  if (cursor.due.length > cursor.maxDepth) throw tooDeep(cursor.maxDepth);
  cursor.at += 1;
  let previous: Previous = 'opener';
  for (;;) {
    const from = cursor.at;
    skipTrivia(cursor);
    if (closes(cursor, closer, previous)) break;
    if (cursor.text[cursor.at] === ',') {
      readComma(cursor, previous);
      previous = 'comma';
      continue;
    }
    if (previous === 'item') addComma(cursor, closer, from);
    readItem();
    previous = 'item';
  }
  if (previous === 'comma') cursor.repairs.add(REPAIR.trailingComma);
  cursor.due.pop();
}

function closes(cursor: Cursor, closer: Closer, previous: Previous): boolean {
  if (atEnd(cursor)) {
    closeAtEnd(cursor, previous);
    return true;
  }
  const character = cursor.text[cursor.at];
  if (character === closer) {
    cursor.at += 1;
    return true;
  }
  if (character !== '}' && character !== ']') return false;
  closeBefore(cursor, character, previous);
  return true;
}

/** A closer of another kind closes what is open inside of its own opener, unless that is still empty. */
function closeBefore(cursor: Cursor, other: Closer, previous: Previous): void {
  if (previous === 'opener' || !cursor.due.includes(other)) {
    throw unreadable(
      cursor.text,
      cursor.at,
      `'${other}' does not close what was opened last; '${cursor.due.at(-1)}' does`,
    );
  }
  cursor.repairs.add(REPAIR.missingCloser);
}

/**
 * Closers alone may be missing at the end. Right after an opener, what is missing
 * is the content; after a raw line break in a string, the last quote may belong
 * to the text that follows a string that was cut off.
 */
function closeAtEnd(cursor: Cursor, previous: Previous): void {
  const { text, at } = cursor;
  if (previous === 'opener') throw cutOff(text, at, 'right after an opening bracket');
  if (cursor.brokenLine) {
    throw cutOff(text, at, 'before its closing brackets, and a string in it holds a raw line break (write \\n)');
  }
  cursor.repairs.add(REPAIR.missingCloser);
}

function readComma(cursor: Cursor, previous: Previous): void {
  if (previous !== 'item') throw unreadable(cursor.text, cursor.at, 'something is missing before this comma');
  cursor.at += 1;
}

/**
 * A missing comma is certain before a quoted name, whose colon proves it. Between
 * elements there must be space or a bracket: `["a""b"]` may mean `a"b`.
 */
function addComma(cursor: Cursor, closer: Closer, from: number): void {
  const { text, at } = cursor;
  const next = text[at] ?? '';
  const certain = closer === '}' ? isQuote(next) : at > from || besideBracket(text, at);
  if (!certain) {
    throw unreadable(
      text,
      at,
      `a comma or '${closer}' was expected, not ${found(text, at)}; write \\" for a quote in a string`,
    );
  }
  cursor.repairs.add(REPAIR.missingComma);
}

function besideBracket(text: string, at: number): boolean {
  return CLOSERS.includes(text[at - 1] ?? ' ') || OPENERS.includes(text[at] ?? ' ');
}

function readMember(cursor: Cursor): [string, Json] {
  const name = readName(cursor);
  skipTrivia(cursor);
  const { text, at } = cursor;
  if (atEnd(cursor)) throw cutOff(text, at, 'after a name that has no value');
  if (text[at] !== ':') throw unreadable(text, at, `a colon was expected after a name, not ${found(text, at)}`);
  cursor.at += 1;
  skipTrivia(cursor);
  if (atEnd(cursor)) throw cutOff(text, cursor.at, 'after a name that has no value');
  return [name, readValue(cursor)];
}

function readName(cursor: Cursor): string {
  const { text, at } = cursor;
  const first = text[at];
  if (isQuote(first)) return readString(cursor, first);
  const name = matchAt(BARE_NAME, text, at);
  if (name === '') throw unreadable(text, at, `a name in double quotes was expected, not ${found(text, at)}`);
  cursor.repairs.add(REPAIR.bareName);
  cursor.at += name.length;
  return name;
}

function readValue(cursor: Cursor): Json {
  const first = cursor.text[cursor.at];
  if (first === '{') return readObject(cursor);
  if (first === '[') return readArray(cursor);
  if (isQuote(first)) return readString(cursor, first);
  return readBareWord(cursor);
}

function readBareWord(cursor: Cursor): Json {
  const { text, at } = cursor;
  const word = matchAt(BARE_WORD, text, at);
  cursor.at += word.length;
  if (NUMBER.test(word)) {
    if (cursor.at === text.length) cursor.repairs.add(REPAIR.lastNumber);
    return Number(word);
  }
  const constant = JSON_WORDS.get(word);
  if (constant !== undefined) return constant;
  const python = PYTHON_WORDS.get(word);
  if (python === undefined) {
    throw unreadable(text, at, `a value was expected, not ${found(text, at)}; text needs double quotes`);
  }
  cursor.repairs.add(REPAIR.python);
  return python;
}
