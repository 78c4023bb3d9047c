import { type Cursor, matchAt } from './cursor.ts';
import { cutInString, unreadable } from './refusals.ts';
import { REPAIR } from './repairs.ts';

type Quote = '"' | "'";

const PLAIN: Record<Quote, RegExp> = { '"': /[^"\\\x00-\x1f]*/y, "'": /[^'\\\x00-\x1f]*/y };
const BODY: Record<Quote, RegExp> = { '"': /(?:[^"\\]|\\[\s\S])*/y, "'": /(?:[^'\\]|\\[\s\S])*/y };
const UNICODE_ESCAPE = /\\u[0-9a-fA-F]{4}/y;
const FENCE_ON_NEXT_LINE = /[\r\n][ \t>]*(?:`{3}|~{3})/y;

/** RFC 8259, section 7: the escapes of two characters. */
const SHORT_ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export function isQuote(character: string | undefined): character is Quote {
  return character === '"' || character === "'";
}

/** Where the string that opens at `at` closes: the index of its last quote, or -1. */
export function closingQuote(text: string, at: number, quote: Quote): number {
  const end = at + 1 + matchAt(BODY[quote], text, at + 1).length;
  return text[end] === quote ? end : -1;
}

/**
 * Reads the string that opens at the cursor and gives the value that was written.
 *
 * RFC 8259's escapes are decoded; any other backslash stays in the value, and so
 * does a raw control character (as Python's `json.loads(strict=False)` has it).
 * Between single quotes, `\'` is an apostrophe. Nothing else is ever changed.
 *
 * Throws when the text ends before the string does, or when a line break in it
 * is followed by a fence, which was meant to end the whole object.
 */
export function readString(cursor: Cursor, quote: Quote): string {
  const { text, at: start } = cursor;
  if (quote === "'") cursor.repairs.add(REPAIR.singleQuotes);
  let value = '';
  cursor.at += 1;
  for (;;) {
    const run = matchAt(PLAIN[quote], text, cursor.at);
    value += run;
    cursor.at += run.length;
    const character = text[cursor.at];
    if (character === undefined) throw cutInString(text, start);
    if (character === quote) break;
    value += character === '\\' ? readEscape(cursor, quote) : readControl(cursor, start);
  }
  cursor.at += 1;
  return value;
}

function readEscape(cursor: Cursor, quote: Quote): string {
  const { text, at } = cursor;
  const next = text[at + 1] ?? '';
  const short = SHORT_ESCAPES.get(next) ?? (next === quote ? quote : undefined);
  if (short !== undefined) {
    cursor.at += 2;
    return short;
  }
  const unicode = matchAt(UNICODE_ESCAPE, text, at);
  if (unicode !== '') {
    cursor.at += unicode.length;
    return String.fromCharCode(Number.parseInt(unicode.slice(2), 16));
  }
  cursor.repairs.add(REPAIR.backslash);
  cursor.at += 1;
  return '\\';
}

function readControl(cursor: Cursor, start: number): string {
  const { text, at } = cursor;
  const character = text[at] ?? '';
  if (character === '\n' || character === '\r') {
    if (matchAt(FENCE_ON_NEXT_LINE, text, at) !== '') throw cutInString(text, start);
    if (cursor.blockQuoted) throw unreadable(text, at, 'a string in a block quote breaks over two lines; write \\n');
    cursor.brokenLine = true;
  }
  cursor.repairs.add(REPAIR.control);
  cursor.at += 1;
  return character;
}
