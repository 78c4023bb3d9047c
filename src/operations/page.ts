import { countCharacters, fitUtf8 } from '../text/lines.ts';

/** The part of a file that one reply may carry. */
export interface PageBounds {
  startLine: number;
  startColumn: number;
  /** 0: to the end of the file. */
  endLine: number;
  lineNumbers: boolean;
}

const NUMBER_WIDTH = 6;

/**
 * Takes text as it is decoded, up to the last line or `maxBytes` of UTF-8,
 * whichever comes first, and knows where the file goes on.
 */
export class Page {
  readonly #bounds: PageBounds;
  #bytesLeft: number;
  #line: number;
  #column: number;
  #lastLine: number;
  /** The line whose number was shown last. */
  #numbered = 0;
  /** Whether `maxBytes` ended it. */
  isCut = false;

  constructor(bounds: PageBounds, maxBytes: number) {
    this.#bounds = bounds;
    this.#bytesLeft = maxBytes;
    this.#line = bounds.startLine;
    this.#column = bounds.startColumn;
    this.#lastLine = bounds.startLine;
  }

  get isDone(): boolean {
    return this.isCut || (this.#bounds.endLine > 0 && this.#line > this.#bounds.endLine);
  }

  /** The line that the next character belongs to. */
  get line(): number {
    return this.#line;
  }

  get range(): { start_line: number; end_line: number } {
    return { start_line: this.#bounds.startLine, end_line: this.#lastLine };
  }

  get next(): { startLine: number; startColumn?: number } {
    return this.#column === 1 ? { startLine: this.#line } : { startLine: this.#line, startColumn: this.#column };
  }

  /** The beginning of `text` that the page has room for, as it is shown, and how much of `text` that is. */
  take(text: string): { shown: string; consumed: number } {
    return this.#bounds.lineNumbers ? this.#takeNumbered(text) : this.#takePlain(text);
  }

  #takePlain(text: string): { shown: string; consumed: number } {
    const wanted = text.slice(0, this.#endOfRange(text));
    const shown = fitUtf8(wanted, this.#bytesLeft);
    this.#bytesLeft -= Buffer.byteLength(shown);
    this.isCut = shown.length < wanted.length;
    this.#advance(shown);
    return { shown, consumed: shown.length };
  }

  #takeNumbered(text: string): { shown: string; consumed: number } {
    let shown = '';
    let consumed = 0;
    while (consumed < text.length && !this.isDone) {
      const feed = text.indexOf('\n', consumed);
      const line = text.slice(consumed, feed === -1 ? text.length : feed + 1);
      const number = this.#line === this.#numbered ? '' : `${String(this.#line).padStart(NUMBER_WIDTH)}\t`;
      const part = fitUtf8(line, this.#bytesLeft - number.length);
      this.isCut = part.length < line.length;
      if (part !== '') {
        this.#numbered = this.#line;
        shown += number + part;
        this.#bytesLeft -= number.length + Buffer.byteLength(part);
      }
      consumed += part.length;
      this.#advance(part);
    }
    return { shown, consumed };
  }

  /** The index in `text` after the last line of the range. */
  #endOfRange(text: string): number {
    if (this.#bounds.endLine === 0) return text.length;
    let end = 0;
    for (let left = this.#bounds.endLine - this.#line + 1; left > 0; left -= 1) {
      end = text.indexOf('\n', end) + 1;
      if (end === 0) return text.length;
    }
    return end;
  }

  #advance(text: string): void {
    if (text === '') return;
    const lineStart = text.lastIndexOf('\n') + 1;
    const feeds = lineStart === 0 ? 0 : countFeeds(text);
    this.#lastLine = this.#line + (text.endsWith('\n') ? feeds - 1 : feeds);
    this.#line += feeds;
    this.#column = countCharacters(text.slice(lineStart)) + (feeds === 0 ? this.#column : 1);
  }
}

function countFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
