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
  /** Matching lines that were told of. */
  hits: number;
  /** Lines before its own; undefined until its first hit. */
  linesBefore: number | undefined;
}

/**
 * The texts of small files as one, each beginning a line. A NUL ends a line, as
 * it does for ripgrep; of a file that holds one it is only told that it matches.
 */
export class TextBatch implements Batch {
  readonly candidates: Candidate[] = [];
  readonly isLarge = false;
  readonly #room: Buffer;
  readonly #free: () => void;
  readonly #maxPerFile: number;
  readonly #parts: Part[] = [];
  #length = 0;
  #current = 0;
  #isClosed = false;

  /** `free` is called once, when `room` may be used again. */
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

  /** Takes a text that there is room for. */
  add(candidate: Candidate, text: Buffer): void {
    const start = this.#length;
    const isBinary = text.includes(0);
    const end = start + (isBinary ? copyWithoutNuls(text, this.#room, start) : text.copy(this.#room, start));
    this.candidates.push(candidate);
    this.#parts.push({ start, end, isBinary, hits: 0, linesBefore: undefined });
    this.#length = end;
    if (end > start && this.#room[end - 1] !== LINE_FEED) {
      this.#room[end] = LINE_FEED;
      this.#length += 1;
    }
  }

  get target(): { text: Buffer } {
    return { text: this.#room.subarray(0, this.#length) };
  }

  located(events: SearchEvent[]): SearchEvent[] {
    const located: SearchEvent[] = [];
    for (const event of events) {
      const own = 'line' in event ? this.#locate(event) : undefined;
      if (own !== undefined) located.push(own);
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
    const file = this.#current;
    if (part.isBinary) return { file, isBinary: true };
    part.linesBefore ??= hit.line - 1 - countLineFeeds(this.#room.subarray(part.start, hit.offset), LF);
    return { file, line: hit.line - part.linesBefore, column: hit.column, offset: hit.offset - part.start };
  }

  /** Hits come in ascending order. */
  #partAt(offset: number): Part | undefined {
    while ((this.#parts[this.#current]?.end ?? Number.POSITIVE_INFINITY) <= offset) this.#current += 1;
    return this.#parts[this.#current];
  }
}

/** Copies a text with line feeds for NULs, of which two in a row say as much as more; gives its new length. */
function copyWithoutNuls(text: Buffer, room: Buffer, start: number): number {
  let end = start;
  let run = 0;
  for (const byte of text) {
    run = byte === 0 ? run + 1 : 0;
    if (run > 2) continue;
    room[end] = byte === 0 ? LINE_FEED : byte;
    end += 1;
  }
  return end - start;
}
