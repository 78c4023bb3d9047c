import { isUtf8 } from 'node:buffer';
import { countCharacters, indexOfCharacter } from '../text/lines.ts';
import type { Hit } from './output.ts';
import type { Line, Scan, Source } from './source.ts';

/** A matching line as it is shown. */
export interface Excerpt {
  text: string;
  /** Bytes were no UTF-8 and show as U+FFFD. */
  lossy?: true;
  /** The line is longer than it may be: `text` is a part of it, and the match starts at character `column` of it, from 1. */
  cut?: Cut;
  column?: number;
  /** Where the line ends: the offset of its line feed, or of the end of the file. */
  end: number;
}

/** Where more of a line stands than is shown. */
export interface Cut {
  start: boolean;
  end: boolean;
}

const LINE_FEED = 0x0a;
/** Stands in decoded text for bytes that are no UTF-8, and for itself. */
const REPLACEMENT = '\ufffd';
const CARRIAGE_RETURN = 0x0d;
const BLOCK = 64 * 1024;
/** UTF-8 has at most four bytes a character. */
const MAX_CHARACTER = 4;
/** The part of a clipped line that stands before the match. */
const LEAD = 0.25;

/** How many bytes a line of `characters` may have at most, with a CR; ripgrep prints no longer ones. */
export function maxBytesOf(characters: number): number {
  return characters * MAX_CHARACTER + 1;
}

/** Reads the line of a hit from the file itself; see `excerptOfLine`. */
export function* excerptOf(source: Source, hit: Hit, maxLength: number): Scan<Excerpt | undefined> {
  const line = source.lineAt(hit.offset, maxBytesOf(maxLength));
  return line === undefined ? yield* longLine(source, hit, maxLength) : excerptOfLine(line, hit, maxLength);
}

/**
 * Undefined when the line is not the one that was printed: the file has changed,
 * or what ripgrep opened under its name was another.
 */
export function excerptOfLine(line: Line, hit: Hit, maxLength: number): Excerpt | undefined {
  const { bytes, start } = line;
  if (hit.printed !== undefined && bytes.compare(hit.printed, 0, hit.printed.length, start, line.end) !== 0)
    return undefined;
  const end = hit.offset + line.end - start;
  const shown = decode(bytes, start, endOf(line));
  const { text } = shown;
  if (text.length <= maxLength || countCharacters(text) <= maxLength)
    return shown.lossy === undefined ? { text, end } : { text, lossy: true, end };
  // It may have become shorter since the match was found.
  const match = Math.min(start + hit.column - 1, line.end);
  const before = countCharacters(decode(bytes, start, match).text);
  const first = Math.max(0, Math.min(before - lead(maxLength), countCharacters(text) - maxLength));
  const from = indexOfCharacter(text, first);
  const to = from + indexOfCharacter(text.slice(from), maxLength);
  const cut = { start: from > 0, end: to < text.length };
  return { ...shown, text: text.slice(from, to), cut, column: before + 1, end };
}

/** A hit of a search over several lines, whose offset may be that of the match, with that of its line. */
export function atLineStart(source: Source, hit: Hit): Hit {
  const { column, offset } = hit;
  if (column === 1 || offset === 0 || source.read(offset - 1, 1)[0] === LINE_FEED) return hit;
  return { ...hit, offset: offset - (column - 1) };
}

/** A line, from its offset on, as context shows it: its beginning, when it is too long. */
export function contextLine(source: Source, offset: number, maxLength: number): string {
  const line = source.lineAt(offset, maxBytesOf(maxLength));
  const { text } =
    line === undefined
      ? decode(source.read(offset, maxBytesOf(maxLength)))
      : decode(line.bytes, line.start, endOf(line));
  return text.slice(0, indexOfCharacter(text, maxLength));
}

/** The offset of the line before the one that starts at `offset`; undefined at the start of the file, and where it has become shorter. */
export function* previousLine(source: Source, offset: number): Scan<number | undefined> {
  if (offset === 0) return undefined;
  for (let end = offset - 1; end > 0; ) {
    const bytes = source.before(end);
    const start = end - bytes.length;
    const found = bytes.lastIndexOf(LINE_FEED);
    if (found !== -1) return start + found + 1;
    if (bytes.length === 0) return undefined;
    end = start;
    if (end > 0) yield [];
  }
  return 0;
}

/** The offset of the line feed at or after `offset`, or of the end of the file. */
export function* endOfLine(source: Source, offset: number): Scan<number> {
  for (let start = offset; start < source.size; ) {
    const bytes = source.after(start);
    const found = bytes.indexOf(LINE_FEED);
    if (found !== -1) return start + found;
    if (bytes.length === 0) break;
    start += bytes.length;
    if (start < source.size) yield [];
  }
  return source.size;
}

/** A window around the match in a line that is too long to be looked at as a whole. */
function* longLine(source: Source, hit: Hit, maxLength: number): Scan<Excerpt> {
  const match = hit.offset + hit.column - 1;
  const before = yield* charactersBetween(source, hit.offset, match);
  const tail = source.read(match, maxBytesOf(maxLength));
  const feed = tail.indexOf(LINE_FEED);
  const after = decode(tail, 0, feed === -1 ? tail.length : beforeCr(tail, 0, feed));
  const isWhole = feed !== -1 || match + tail.length === source.size;
  const afterText = after.text.slice(0, indexOfCharacter(after.text, maxLength - Math.min(before, lead(maxLength))));
  const wanted = maxLength - countCharacters(afterText);
  const start = Math.max(hit.offset, match - wanted * MAX_CHARACTER);
  const head = decode(fromWholeCharacter(source.read(start, match - start)));
  const surplus = Math.max(0, countCharacters(head.text) - wanted);
  return {
    text: head.text.slice(indexOfCharacter(head.text, surplus)) + afterText,
    // The tail may end inside a character that is not shown.
    ...(head.lossy === true || !isUtf8(tail.subarray(0, Buffer.byteLength(afterText))) ? { lossy: true } : {}),
    cut: { start: start > hit.offset || surplus > 0, end: !isWhole || afterText.length < after.text.length },
    column: before + 1,
    end: feed === -1 ? yield* endOfLine(source, match) : match + feed,
  };
}

function lead(maxLength: number): number {
  return Math.floor(maxLength * LEAD);
}

function* charactersBetween(source: Source, from: number, to: number): Scan<number> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let count = 0;
  for (let start = from; start < to; start += BLOCK) {
    const bytes = source.read(start, Math.min(BLOCK, to - start));
    count += countCharacters(decoder.decode(bytes, { stream: start + BLOCK < to }));
    if (start + BLOCK < to) yield [];
  }
  return count;
}

function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && start < MAX_CHARACTER && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

/** Whether a byte goes on with a character that began before it (RFC 3629, section 3). */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Where the text of a line ends. */
function endOf({ bytes, end, hasFeed, start }: Line): number {
  return hasFeed ? beforeCr(bytes, start, end) : end;
}

/** Where the text of a line ends that has a line feed at `end`. */
function beforeCr(bytes: Buffer, start: number, end: number): number {
  return end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}

function decode(bytes: Buffer, start = 0, end = bytes.length): { text: string; lossy?: true } {
  const text = bytes.toString('utf8', start, end);
  return !text.includes(REPLACEMENT) || isUtf8(bytes.subarray(start, end)) ? { text } : { text, lossy: true };
}
