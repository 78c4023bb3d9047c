import { type Cursor, matchAt } from './cursor.ts';
import { findAnother, type Opening, skipBlank } from './payload.ts';
import { found, noObject, severalObjects, unreadable } from './refusals.ts';
import { REPAIR } from './repairs.ts';

/** What stands before an object. */
export interface Lead {
  /** A line that opens a code fence stands right before it. */
  fenced: boolean;
  /** There is text that is neither white space nor that line. */
  prose: boolean;
  /** Its line begins with the mark of a Markdown block quote. */
  blockQuoted: boolean;
}

const BLANK = /[\s>]/;
const FENCE_LINE = /^[ \t>]*(?:`{3,}|~{3,})[^`~]*$/;
const QUOTE_MARK = /[ \t]*>/y;
const CLOSING_FENCE = /`{3,}|~{3,}/y;
const OWNER = /(?:["'][\w$.-]+["']\s*:|[\w$]\()\s*$/;
const OWNER_LENGTH = 200;
const CONTINUATION = /[}\]]|[,:][\s>]*["'{[]|["'][\w$.-]+["']\s*:/y;

/**
 * Reads what stands before `opening`. Throws when that shows the object to be a part
 * of something: of an array, of another object, or of a call.
 */
export function leadOf(text: string, opening: Opening): Lead {
  const end = endOfText(text, opening.at);
  const line = startOfLine(text, end);
  const fenced = FENCE_LINE.test(text.slice(line, end));
  if (!fenced) refusePart(text, opening);
  return {
    fenced,
    prose: endOfText(text, fenced ? line : end) > 0,
    blockQuoted: matchAt(QUOTE_MARK, text, startOfLine(text, opening.at)) !== '',
  };
}

function refusePart(text: string, { at, within }: Opening): void {
  if (within === '[') throw noObject('The body is an array, or the object in it stands in brackets');
  if (within === '{') throw unreadable(text, at, 'the object stands inside braces that are not JSON; send it alone');
  if (OWNER.test(text.slice(Math.max(0, at - OWNER_LENGTH), at))) {
    throw unreadable(text, at, 'the object is only the last part of something; send the whole JSON object alone');
  }
}

/**
 * Passes what stands after the object that was read, and adds the repairs of both
 * sides. Throws when there is a second object, or when the text goes on as JSON: then
 * the object was closed too early, or what it stands in lost its beginning.
 */
export function leave(cursor: Cursor, opening: Opening, lead: Lead): void {
  const { text, repairs } = cursor;
  if (findAnother(text, cursor.at, opening) !== undefined) throw severalObjects();
  refuseContinuation(cursor);
  const fence = matchAt(CLOSING_FENCE, text, cursor.at);
  cursor.at += fence.length;
  refuseContinuation(cursor);
  if (lead.blockQuoted) repairs.add(REPAIR.blockQuote);
  if (lead.fenced || fence !== '') repairs.add(REPAIR.fence);
  if (lead.prose || cursor.at < text.length) repairs.add(REPAIR.prose);
}

function refuseContinuation(cursor: Cursor): void {
  cursor.at = skipBlank(cursor.text, cursor.at);
  if (matchAt(CONTINUATION, cursor.text, cursor.at) !== '') {
    throw unreadable(
      cursor.text,
      cursor.at,
      `the object was closed before this ${found(cursor.text, cursor.at)}; send one object with as many closing brackets as opening ones`,
    );
  }
}

/** Where the text before `at` ends, without white space and block quote marks. */
function endOfText(text: string, at: number): number {
  let end = at;
  while (end > 0 && BLANK.test(text[end - 1] ?? '')) end -= 1;
  return end;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}
