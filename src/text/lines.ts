const LINE_FEED = 0x0a;

/** Bytes of a line feed, and where its 0x0A stands among them. */
export interface LineFeed {
  unit: 1 | 2;
  /** 0 for UTF-8 and little-endian UTF-16, 1 for big-endian. */
  at: 0 | 1;
}

export function lineFeedOf(encoding: string): LineFeed {
  if (encoding === 'utf-16be') return { unit: 2, at: 1 };
  return encoding === 'utf-16le' ? { unit: 2, at: 0 } : { unit: 1, at: 0 };
}

/** The number of line feeds in `bytes`, which starts at a whole character. */
export function countLineFeeds(bytes: Buffer, feed: LineFeed): number {
  if (feed.unit === 1) return countBytes(bytes);
  let count = 0;
  for (let after = nextLine(bytes, 0, feed); after !== -1; after = nextLine(bytes, after, feed)) count += 1;
  return count;
}

/** Line feeds nearer than this are found sooner byte by byte than by a call for each … */
const NEAR = 16;
/** … and the next ones, within so many bytes, are taken to be as near. */
const DENSE = 256;

function countBytes(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; ) {
    count += 1;
    const next = bytes.indexOf(LINE_FEED, at + 1);
    const isNear = next !== -1 && next - at <= NEAR;
    if (isNear) count += countOneByOne(bytes, next, next + DENSE);
    at = isNear ? bytes.indexOf(LINE_FEED, next + DENSE) : next;
  }
  return count;
}

function countOneByOne(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end && at < bytes.length; at += 1) {
    if (bytes[at] === LINE_FEED) count += 1;
  }
  return count;
}

/** The offset after the `nth` line feed (from 1) in `bytes`, or -1. */
export function afterLineFeed(bytes: Buffer, nth: number, feed: LineFeed): number {
  let after = 0;
  for (let left = nth; left > 0 && after !== -1; left -= 1) after = nextLine(bytes, after, feed);
  return after;
}

/** The offset after the first line feed at or after `from`, or -1. */
function nextLine(bytes: Buffer, from: number, { unit, at }: LineFeed): number {
  let found = bytes.indexOf(LINE_FEED, from);
  if (unit === 1) return found === -1 ? -1 : found + 1;
  while (found !== -1 && !isWideLineFeed(bytes, found, at)) found = bytes.indexOf(LINE_FEED, found + 1);
  return found === -1 ? -1 : found - at + 2;
}

function isWideLineFeed(bytes: Buffer, found: number, at: 0 | 1): boolean {
  return found % 2 === at && bytes[at === 0 ? found + 1 : found - 1] === 0;
}

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** The number of characters (Unicode code points) in `text`. */
export function countCharacters(text: string): number {
  return text.length - (text.match(PAIRS)?.length ?? 0);
}

/** The index in `text` of its `nth` character (from 0), or the text's length when it has fewer. */
export function indexOfCharacter(text: string, nth: number): number {
  let index = 0;
  for (let left = nth; left > 0 && index < text.length; left -= 1) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

const encoder = new TextEncoder();

/** The longest beginning of `text` that takes at most `bytes` bytes in UTF-8, on a character boundary. */
export function fitUtf8(text: string, bytes: number): string {
  // A UTF-16 unit takes one to three bytes.
  if (text.length * 3 <= bytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, Math.min(bytes, text.length * 3))));
  return text.slice(0, read);
}
