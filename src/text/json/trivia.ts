import { type Cursor, matchAt } from './cursor.ts';
import { cutOff, unreadable } from './refusals.ts';
import { REPAIR } from './repairs.ts';

const JSON_SPACE = /[ \t\n\r]+/y;
const OTHER_SPACE = /\s+/y;
const QUOTE_MARKS = /(?<=\n[ \t]*)>[ \t>]*/y;
const LINE_COMMENT = /\/\/[^\n]*/y;
const FENCE = /(?=[`~])(?<=\n[ \t>]*)(?:`{3}|~{3})/y;
const JSON_INSIDE = /["{}[\]]/;

/**
 * Moves past white space and comments.
 *
 * A line comment that runs to the end of the text and holds brackets or quotes
 * is refused: its line break was lost, and with it what the comment swallowed.
 */
export function skipTrivia(cursor: Cursor): void {
  while (skipSpace(cursor) || skipOtherSpace(cursor) || skipQuoteMarks(cursor) || skipComment(cursor));
}

/** Whether no more of the object can follow: the text ends here, or a line that closes the fence around it. */
export function atEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length || matchAt(FENCE, cursor.text, cursor.at) !== '';
}

function skipSpace(cursor: Cursor): boolean {
  const { length } = matchAt(JSON_SPACE, cursor.text, cursor.at);
  cursor.at += length;
  return length > 0;
}

function skipOtherSpace(cursor: Cursor): boolean {
  const { length } = matchAt(OTHER_SPACE, cursor.text, cursor.at);
  if (length > 0) cursor.repairs.add(REPAIR.space);
  cursor.at += length;
  return length > 0;
}

function skipQuoteMarks(cursor: Cursor): boolean {
  if (!cursor.blockQuoted) return false;
  const { length } = matchAt(QUOTE_MARKS, cursor.text, cursor.at);
  cursor.at += length;
  return length > 0;
}

function skipComment(cursor: Cursor): boolean {
  const { text, at } = cursor;
  const end = text.startsWith('/*', at) ? endOfBlock(text, at) : endOfLine(text, at);
  if (end > at) cursor.repairs.add(REPAIR.comment);
  cursor.at = end;
  return end > at;
}

function endOfBlock(text: string, at: number): number {
  const close = text.indexOf('*/', at + 2);
  if (close < 0) throw cutOff(text, at, 'inside a comment that begins with /*');
  return close + 2;
}

function endOfLine(text: string, at: number): number {
  const comment = matchAt(LINE_COMMENT, text, at);
  const end = at + comment.length;
  if (end === text.length && JSON_INSIDE.test(comment)) {
    throw unreadable(text, at, 'a // comment swallows the rest of the object; leave the comment out');
  }
  return end;
}
