import { randomBytes } from 'node:crypto';
import type { SearchBounds, SearchPattern } from './argv.ts';
import type { Hit, SearchEvent } from './output.ts';
import { Search, type Searching } from './ripgrep.ts';

/** What ripgrep keeps back until it has more to print: the capacity of std::io::BufWriter. */
const UNPRINTED = 8 * 1024;
/** What ripgrep waits for before it looks through it: the capacity of grep_searcher's line buffer, which grows until a line fits in. */
const UNSEARCHED = 64 * 1024;
const GROWTH = 3;
const MARK_LINE = 1024;
const MARK_LINES = UNPRINTED / MARK_LINE + 2;
const FILL_LINE = 16 * 1024;
const LINE_FEED = 0x0a;

/**
 * One run of ripgrep over text after text, since to start a process takes as
 * long as to look through a few mebibytes. Behind each text stand lines that are
 * found whatever is looked for, more of them than ripgrep keeps back when it
 * prints, and behind these as much as it waits for when it reads: once one of
 * the lines is told, all of the text has been looked through. They are known by
 * where they stand.
 */
export class TextSearch {
  readonly #search: Search;
  readonly #output: Output;
  readonly #mark: Buffer;
  #fill: Buffer = Buffer.alloc(0);
  #written = 0;

  /** Throws PATTERN_INVALID for a regex that is not whole, and BUSY without a descriptor for the child. */
  constructor(pattern: SearchPattern, bounds: SearchBounds, signal: AbortSignal) {
    const word = randomBytes(16).toString('hex');
    this.#mark = Buffer.from(`${word.padEnd(MARK_LINE - 1)}\n`.repeat(MARK_LINES));
    // A count would be of all texts together; a byte order mark is none in the middle of them; marks are to be printed.
    const own = { ...bounds, maxPerFile: 0, maxColumns: Math.max(bounds.maxColumns, MARK_LINE) };
    this.#search = new Search({ ...pattern, encoding: 'none' }, { word }, own, signal);
    this.#output = new Output(this.#search.events());
  }

  /**
   * Begins to search a text of whole lines, without a NUL, that stays as it is
   * until its events have come. Those of the texts before it are to be taken
   * first; lines are counted from the first text on, offsets from the start of this one.
   */
  search(text: Buffer): Searching {
    if (text.length > 0 && text.at(-1) !== LINE_FEED) throw new Error('the last line of a text is to be whole');
    const start = this.#written;
    const end = start + text.length;
    const longest = longestLine(text);
    if (this.#fill.length <= longest) this.#fill = fillFor(longest);
    for (const bytes of [text, this.#mark, this.#fill]) this.#search.write(bytes);
    this.#written = end + this.#mark.length + this.#fill.length;
    return new TextPart(this.#search, this.#output, start, end);
  }

  stop(): void {
    this.#search.stop();
  }
}

/** As much as ripgrep waits for after it has read lines of up to a length. */
function fillFor(longest: number): Buffer {
  let capacity = UNSEARCHED;
  while (capacity <= longest) capacity *= GROWTH;
  return Buffer.alloc(capacity, `${' '.repeat(FILL_LINE - 1)}\n`);
}

/** The length of the longest line that does not fit into ripgrep's buffer; 0 when there is none. */
function longestLine(text: Buffer): number {
  let longest = 0;
  for (let start = 0; start + UNSEARCHED < text.length; ) {
    const near = text.lastIndexOf(LINE_FEED, start + UNSEARCHED - 1);
    const feed = near < start ? text.indexOf(LINE_FEED, start + UNSEARCHED) : near;
    if (near < start) longest = Math.max(longest, (feed === -1 ? text.length : feed) - start);
    start = feed === -1 ? text.length : feed + 1;
  }
  return longest;
}

class TextPart implements Searching {
  readonly unreadable: ReadonlySet<number> = new Set();
  readonly #search: Search;
  readonly #output: Output;
  readonly #start: number;
  readonly #end: number;
  /** Whether nothing more comes of it. */
  #isOver = false;

  constructor(search: Search, output: Output, start: number, end: number) {
    this.#search = search;
    this.#output = output;
    this.#start = start;
    this.#end = end;
  }

  get isCut(): boolean {
    return this.#search.isCut;
  }

  async *events(): AsyncGenerator<SearchEvent[], void> {
    this.#search.countAnew();
    for (;;) {
      const { events, isEnd } = await this.#output.next(this.#end);
      this.#isOver = isEnd;
      // Marks of the text before may stand before its own.
      const own = events.filter((hit): hit is Hit => 'line' in hit && hit.offset >= this.#start);
      for (const hit of own) hit.offset -= this.#start;
      yield own;
      if (isEnd) return;
    }
  }

  /** What comes behind a text cannot be had without it. */
  stop(): void {
    if (!this.#isOver) this.#search.stop();
  }
}

/** What ripgrep finds, to be taken up to an offset. */
class Output {
  readonly #chunks: AsyncGenerator<SearchEvent[], void>;
  #ahead: SearchEvent[] = [];

  constructor(chunks: AsyncGenerator<SearchEvent[], void>) {
    this.#chunks = chunks;
  }

  /** The next ones that stand before `end`, and whether more cannot come. */
  async next(end: number): Promise<{ events: SearchEvent[]; isEnd: boolean }> {
    const chunk = this.#ahead.length > 0 ? { value: this.#ahead, done: false } : await this.#chunks.next();
    if (chunk.done === true || chunk.value === undefined) return { events: [], isEnd: true };
    const behind = chunk.value.findIndex((hit) => 'line' in hit && hit.offset >= end);
    this.#ahead = behind === -1 ? [] : chunk.value.slice(behind);
    return { events: behind === -1 ? chunk.value : chunk.value.slice(0, behind), isEnd: behind !== -1 };
  }
}
