import { countLineFeeds, lineFeedOf } from '../text/lines.ts';
import type { Hit } from './output.ts';
import type { Source } from './source.ts';

const LINE_FEED = 0x0a;
/** Bytes looked through at once. */
const BLOCK = 256 * 1024;
/** Lines that match in one batch at most. */
const MAX_HITS = 1000;
/** Blocks after which an empty batch lets others have the thread. */
const BLOCKS_PER_BATCH = 16;
/** Bytes looked through backwards at once for the start of a line. */
const BACK = 8 * 1024;
const LF = lineFeedOf('utf-8');

/**
 * The lines of a file that hold a text, byte for byte, in batches that may be
 * empty; a line that holds it twice is one hit. The text holds no line feed.
 * Takes time in proportion to the file; lines are counted only in files that
 * have a hit.
 */
export function* literalHits(source: Source, text: Buffer): Generator<Hit[], void> {
  const lines = new LineCounter(source);
  let blocks = 0;
  for (let position = 0; position < source.size; ) {
    const block = source.read(position, BLOCK);
    const { end, matches } = searchBlock(block, text);
    blocks += 1;
    if (matches.length > 0 || blocks % BLOCKS_PER_BATCH === 0) {
      yield matches.map((match) => lines.hitAt(position + match));
    }
    if (block.length < BLOCK && end >= block.length - text.length + 1) return;
    position += end;
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
  /** Where the line feeds are counted up to: the start of `#line`. */
  #start = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  hitAt(match: number): Hit {
    const start = startOfLine(this.#source, match, this.#start);
    for (let position = this.#start; position < start; position += BLOCK) {
      this.#line += countLineFeeds(this.#source.read(position, Math.min(BLOCK, start - position)), LF);
    }
    this.#start = start;
    return { file: 0, line: this.#line, column: match - start + 1, offset: start };
  }
}

/** Where the line that holds `offset` starts, at or after `earliest`. */
function startOfLine(source: Source, offset: number, earliest: number): number {
  for (let end = offset; end > earliest; ) {
    const from = Math.max(earliest, end - BACK);
    const feed = source.read(from, end - from).lastIndexOf(LINE_FEED);
    if (feed !== -1) return from + feed + 1;
    end = from;
  }
  return earliest;
}
