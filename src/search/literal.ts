import { countLineFeeds, lineFeedOf } from '../text/lines.ts';
import type { Hit } from './output.ts';
import type { Scan, Source } from './source.ts';

const LINE_FEED = 0x0a;
/** Bytes looked through at once. */
const BLOCK = 64 * 1024;
/** Lines that match in one batch at most. */
const MAX_HITS = 256;
const LF = lineFeedOf('utf-8');

/**
 * The lines of a file that hold a text, byte for byte, in batches that may be
 * empty; a line that holds it twice is one hit. The text holds no line feed.
 * Takes time in proportion to the file; lines are counted only in files that
 * have a hit.
 */
export function* literalHits(source: Source, text: Buffer): Generator<Hit[], void> {
  const blockAt = source.blocks(BLOCK);
  const lines = new LineCounter(source);
  for (let position = 0; position < source.size; ) {
    const block = blockAt(position);
    const { end, matches } = searchBlock(block, text);
    if (matches.length > 0) {
      if (!(yield* lines.countTo(position))) return;
      yield matches.map((match) => lines.hitAt(position, block, match));
    }
    if (block.length < BLOCK && end >= block.length - text.length + 1) return;
    position += end;
    yield [];
  }
}

/** Where the text stands in a block, once a line; and where in the block the search is to go on. */
function searchBlock(block: Buffer, text: Buffer): { matches: number[]; end: number } {
  const matches: number[] = [];
  let from = 0;
  for (let match = block.indexOf(text); match !== -1; match = block.indexOf(text, from)) {
    if (matches.length === MAX_HITS) return { matches, end: from };
    matches.push(match);
    const feed = block.indexOf(LINE_FEED, match);
    // The rest of the line says nothing new.
    from = feed === -1 ? block.length : feed + 1;
  }
  return { matches, end: Math.max(from, block.length - text.length + 1) };
}

/** Tells the line that an offset is in; offsets come in ascending order. */
class LineCounter {
  readonly #source: Source;
  #line = 1;
  /** Where `#line` starts, as far as it is known. */
  #start = 0;
  /** Where line feeds are counted up to. */
  #counted = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Counts up to `position`; false when the file was cut off meanwhile and ends before it. */
  *countTo(position: number): Scan<boolean> {
    if (this.#counted >= position) return true;
    const blockAt = this.#source.blocks(BLOCK);
    while (this.#counted < position) {
      const bytes = blockAt(this.#counted).subarray(0, position - this.#counted);
      if (bytes.length === 0) return false;
      this.#count(bytes);
      yield [];
    }
    return true;
  }

  /** The hit of a match in a block that starts at `position`, which is not behind what is counted. */
  hitAt(position: number, block: Buffer, match: number): Hit {
    this.#count(block.subarray(this.#counted - position, match));
    return { file: 0, line: this.#line, column: position + match - this.#start + 1, offset: this.#start };
  }

  #count(bytes: Buffer): void {
    const feeds = countLineFeeds(bytes, LF);
    if (feeds > 0) this.#start = this.#counted + bytes.lastIndexOf(LINE_FEED) + 1;
    this.#line += feeds;
    this.#counted += bytes.length;
  }
}
