import type { Hit, SearchEvent } from '../search/output.ts';
import { inMemory, Source } from '../search/source.ts';
import { countLineFeeds, lineFeedOf } from '../text/lines.ts';
import type { Batch } from './batch.ts';
import type { Candidate } from './candidates.ts';

const LINE_FEED = 0x0a;
const LF = lineFeedOf('utf-8');

/** Where a file's text stands among the others. */
interface Part {
  start: number;
  end: number;
  isBinary: boolean;
  /** Matching lines that were met. */
  hits: number;
  /** Lines before its own; undefined until its first hit. */
  linesBefore: number | undefined;
}

/**
 * The texts of small files as one, each beginning a line. Of a file that holds
 * a NUL it is only told that it matches.
 */
export class TextBatch implements Batch {
  readonly candidates: Candidate[] = [];
  readonly isLarge = false;
  /** Hits that were found, and of which nobody wants to know. */
  unwanted = 0;
  readonly #room: Buffer;
  readonly #free: () => void;
  readonly #maxPerFile: number;
  readonly #parts: Part[] = [];
  #length = 0;
  #current = 0;
  #isClosed = false;

  /** `maxPerFile`: 0 is no limit. `free` is called once, when `room` may be used again. */
  constructor(room: Buffer, maxPerFile: number, free: () => void) {
    this.#room = room;
    this.#maxPerFile = maxPerFile || Number.POSITIVE_INFINITY;
    this.#free = free;
  }

  /** How many bytes a text takes at most. */
  static roomFor(text: Buffer): number {
    return text.length + 1;
  }

  hasRoomFor(text: Buffer): boolean {
    return this.#length + TextBatch.roomFor(text) <= this.#room.length;
  }

  /** Takes a text without NULs that is not empty; `isBinary`: whether it had some. */
  add(candidate: Candidate, text: Buffer, isBinary: boolean): void {
    if (!this.hasRoomFor(text)) throw new Error('a text was given that there is no room for');
    const start = this.#length;
    const end = start + text.copy(this.#room, start);
    this.candidates.push(candidate);
    this.#parts.push({ start, end, isBinary, hits: 0, linesBefore: undefined });
    this.#length = end;
    if (this.#room[end - 1] === LINE_FEED) return;
    this.#room[end] = LINE_FEED;
    this.#length += 1;
  }

  get target(): { text: Buffer } {
    return { text: this.#room.subarray(0, this.#length) };
  }

  located(events: SearchEvent[]): SearchEvent[] {
    const located: SearchEvent[] = [];
    for (const event of events) {
      const own = 'line' in event ? this.#locate(event) : undefined;
      if (own === undefined) this.unwanted += 1;
      else located.push(own);
    }
    return located;
  }

  sourceOf(index: number): Source {
    const part = this.#parts[index];
    return new Source(inMemory(this.#room.subarray(part?.start, part?.end)));
  }

  close(): void {
    if (!this.#isClosed) this.#free();
    this.#isClosed = true;
  }

  /** The hit in its file; undefined when the file has had enough of them. */
  #locate(hit: Hit): SearchEvent | undefined {
    const part = this.#partAt(hit.offset);
    if (part === undefined || part.hits >= (part.isBinary ? 1 : this.#maxPerFile)) return undefined;
    part.hits += 1;
    if (part.isBinary) return { file: this.#current, isBinary: true };
    part.linesBefore ??= hit.line - 1 - countLineFeeds(this.#room.subarray(part.start, hit.offset), LF);
    hit.file = this.#current;
    hit.line -= part.linesBefore;
    hit.offset -= part.start;
    return hit;
  }

  /** Hits come in ascending order. */
  #partAt(offset: number): Part | undefined {
    while ((this.#parts[this.#current]?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#current += 1;
    return this.#parts[this.#current];
  }
}

const ZEROS = Buffer.alloc(4096);

/**
 * Puts line feeds for NULs, at which lines end for ripgrep, too; two in a row
 * say as much as more. Done in place; gives the part of `text` that is left.
 */
export function withoutNuls(text: Buffer): Buffer {
  let end = 0;
  for (let at = 0; at < text.length; ) {
    const byte = text[at] ?? 0;
    text[end] = byte === 0 ? LINE_FEED : byte;
    end += 1;
    at += 1;
    // The second one of a run is the last that says something.
    if (byte === 0 && text[at] === 0 && text[at + 1] === 0) at = afterNuls(text, at) - 1;
  }
  return text.subarray(0, end);
}

/** Where a run of NULs ends. */
function afterNuls(text: Buffer, start: number): number {
  let end = start;
  while (end + ZEROS.length <= text.length && text.compare(ZEROS, 0, ZEROS.length, end, end + ZEROS.length) === 0)
    end += ZEROS.length;
  while (text[end] === 0) end += 1;
  return end;
}
