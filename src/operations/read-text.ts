import { FileIsBinary, RangePastEnd, withMembers } from '../errors.ts';
import { BINARY_SAMPLE, looksBinary } from '../text/binary.ts';
import { type Bom, Decoder, guessEncoding, isUtf8Sample, sniffBom, unitOf } from '../text/encoding.ts';
import {
  afterLineFeed,
  countCharacters,
  countLineFeeds,
  indexOfCharacter,
  type LineFeed,
  lineFeedOf,
} from '../text/lines.ts';
import type { LocatedFile } from '../workspace/open.ts';
import { headOf } from './head.ts';
import { Page } from './page.ts';
import type { Piece, ReadBound, ReadEnd, ReadInput } from './read.ts';

/** Bytes decoded at once. */
const CHUNK = 64 * 1024;
/** Bytes looked through for line feeds at once: most lines that are asked for stand near the start. */
const FIRST_SCAN = 8 * 1024;
const SCAN = 256 * 1024;
/** Lines of larger files are not counted beyond what is read anyway. */
const MAX_COUNTED = 64 * 1024 * 1024;
/** How much of a file says, with `auto`, whether it is UTF-8. */
const SAMPLE = 1024 * 1024;

/**
 * A range of a text file: passes over the lines before it by their line feeds
 * alone, decodes from there, and stops reading when the range or `maxBytes` is
 * full. The file is taken at the size it had when it was opened.
 */
export class TextReading {
  readonly #file: LocatedFile;
  readonly #input: ReadInput;
  readonly #bound: ReadBound;
  readonly #bom: Bom | undefined;
  readonly #encoding: string;
  readonly #isGuess: boolean;
  readonly #feed: LineFeed;
  readonly #decoder: Decoder;
  readonly #page: Page;
  #size: number;
  /** The next byte to be read. */
  #position: number;
  /** Line feeds before it. */
  #feeds = 0;
  /** Whether the bytes that were read last end a line. */
  #endsLine = false;
  #scan = FIRST_SCAN;
  /** The file's bytes, where the first look at them showed all. */
  readonly #whole: Buffer | undefined;
  /** Decoded, and kept back because its line may not be whole. */
  #kept = '';
  /** Bytes that were read after the range's last line, and not decoded. */
  #undecoded = 0;
  #columnsToSkip: number;
  #goesOn: boolean;

  /** Throws FILE_IS_BINARY. `encoding` is `auto` or a name that `toEncoding` gave. */
  constructor(file: LocatedFile, input: ReadInput, encoding: string, bound: ReadBound) {
    const sample = file.readInto(room(encoding === 'auto' ? SAMPLE : BINARY_SAMPLE), 0);
    const start = sample.subarray(0, BINARY_SAMPLE);
    this.#file = file;
    this.#input = input;
    this.#bound = bound;
    this.#size = file.size;
    this.#whole = start.length === file.size ? Buffer.from(start) : undefined;
    this.#bom = sniffBom(start);
    if (this.#bom === undefined && unitOf(encoding) === 1 && looksBinary(start)) {
      throw new FileIsBinary(headOf(file).path);
    }
    this.#encoding = this.#bom?.encoding ?? (encoding === 'auto' ? detect(sample, file.size) : encoding);
    this.#isGuess = this.#bom === undefined && encoding === 'auto' && this.#encoding !== 'utf-8';
    this.#feed = lineFeedOf(this.#encoding);
    this.#decoder = new Decoder(this.#encoding);
    this.#page = new Page(input, bound.maxBytes);
    this.#position = this.#bom?.length ?? 0;
    this.#columnsToSkip = input.startColumn - 1;
    this.#goesOn = this.#position < this.#size;
  }

  /** Throws RANGE_PAST_END before the first piece. */
  async *records(): AsyncGenerator<Piece[], void> {
    yield* this.#passLines(this.#input.startLine - 1);
    while (!this.#page.isDone && (this.#goesOn || this.#position < this.#size)) {
      const text = this.#skipColumns(this.#decodeMore());
      const startLine = this.#page.line;
      const { shown, consumed } = this.#page.take(text);
      this.#goesOn = consumed < text.length || this.#kept !== '' || this.#undecoded > 0 || this.#position < this.#size;
      yield shown === '' ? [] : [{ start_line: startLine, text: shown }];
    }
    if (this.#size <= MAX_COUNTED) yield* this.#passLines(Number.POSITIVE_INFINITY);
  }

  end(): ReadEnd {
    const { isCut, next, range } = this.#page;
    const isEmpty = this.#size <= (this.#bom?.length ?? 0);
    return {
      encoding: this.#encoding,
      ...(this.#isGuess ? { encoding_guessed: true } : {}),
      ...(this.#bom === undefined ? {} : { bom: true }),
      ...(this.#decoder.isLossy ? { lossy: true } : {}),
      ...(isEmpty ? { start_line: 0, end_line: 0 } : range),
      total_lines: this.#position >= this.#size ? this.#totalLines() : null,
      ...(isCut ? { truncated: true, truncated_by: this.#bound.by } : {}),
      ...(this.#goesOn ? { next } : {}),
    };
  }

  /** Moves on by `lines` line feeds, or to the end of the file; throws RANGE_PAST_END when the first line is not there. */
  async *#passLines(lines: number): AsyncGenerator<Piece[], void> {
    let left = lines;
    while (left > 0 && this.#position < this.#size) {
      const bytes = this.#readMore(this.#scan);
      this.#scan = Math.min(SCAN, 4 * this.#scan);
      const count = countLineFeeds(bytes, this.#feed);
      if (count >= left) {
        this.#position += afterLineFeed(bytes, left, this.#feed) - bytes.length;
        this.#feeds += left;
        left = 0;
      } else {
        this.#feeds += count;
        left -= count;
      }
      yield [];
    }
    if (Number.isFinite(lines) && lines > 0 && this.#position >= this.#size) this.#refuse();
  }

  #refuse(): never {
    const path = headOf(this.#file).path;
    const total = this.#totalLines();
    const detail = `'${path}' has no line ${this.#input.startLine}: it ends after line ${total}.`;
    throw withMembers(new RangePastEnd(detail), { total_lines: total });
  }

  /** Moves on by the next bytes, which are to be done with before anybody else runs; a file that has become shorter ends here. */
  #readMore(length: number): Buffer {
    const bytes =
      this.#whole?.subarray(this.#position) ?? this.#readFile(Math.min(length, this.#size - this.#position));
    if (bytes.length === 0) this.#size = this.#position;
    this.#position += bytes.length;
    if (bytes.length > 0) this.#endsLine = countLineFeeds(bytes.subarray(-this.#feed.unit), this.#feed) > 0;
    return bytes;
  }

  #readFile(length: number): Buffer {
    return this.#file.readInto(room(length), this.#position);
  }

  /** The next text, up to the end of a line where there is one. */
  #decodeMore(): string {
    const bytes = this.#readMore(CHUNK);
    const isLast = this.#position >= this.#size;
    const feeds = countLineFeeds(bytes, this.#feed);
    this.#feeds += feeds;
    const wanted = this.#endsIn(feeds) ? this.#beginningOf(bytes, isLast) : bytes;
    this.#undecoded = bytes.length - wanted.length;
    const text = this.#kept + this.#decoder.decode(wanted) + (isLast ? this.#decoder.end() : '');
    const lineStart = isLast ? text.length : text.lastIndexOf('\n') + 1;
    this.#kept = lineStart === 0 ? '' : text.slice(lineStart);
    return lineStart === 0 ? text : text.slice(0, lineStart);
  }

  /** Whether the range ends within the next so many line feeds. */
  #endsIn(feeds: number): boolean {
    return this.#input.endLine > 0 && this.#linesLeft <= feeds;
  }

  get #linesLeft(): number {
    return this.#input.endLine - this.#page.line + 1;
  }

  /**
   * What of the bytes has to be decoded: up to the range's end, when what follows is UTF-8 as well. A reply tells of
   * bytes that are not wherever in a chunk they stand.
   */
  #beginningOf(bytes: Buffer, isLast: boolean): Buffer {
    if (this.#encoding !== 'utf-8') return bytes;
    const end = afterLineFeed(bytes, this.#linesLeft, this.#feed);
    return isUtf8Sample(bytes.subarray(end), !isLast) ? bytes.subarray(0, end) : bytes;
  }

  /** `text` without the characters of the first line that are before `startColumn`. */
  #skipColumns(text: string): string {
    if (this.#columnsToSkip === 0) return text;
    const feed = text.indexOf('\n');
    const line = feed === -1 ? text : text.slice(0, feed);
    const skipped = indexOfCharacter(line, this.#columnsToSkip);
    this.#columnsToSkip -= countCharacters(line.slice(0, skipped));
    const lineIsWhole = feed !== -1 || this.#position >= this.#size;
    if (this.#columnsToSkip > 0 && lineIsWhole) {
      const { startColumn, startLine } = this.#input;
      throw new RangePastEnd(`Line ${startLine} of '${headOf(this.#file).path}' has no character ${startColumn}.`);
    }
    return text.slice(skipped);
  }

  #totalLines(): number {
    const { unit } = this.#feed;
    const content = this.#size - (this.#bom?.length ?? 0);
    if (content <= 0) return 0;
    // A byte too many is a character by itself, and no line feed.
    const endsWhole = content >= unit && content % unit === 0;
    return this.#feeds + (endsWhole && this.#endsLine ? 0 : 1);
  }
}

let scratch: Buffer | undefined;

/** Room for bytes that are done with before anybody else runs: memory that is new each time takes longer to get than to fill. */
function room(length: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(SAMPLE);
  return scratch.subarray(0, length);
}

function detect(sample: Buffer, size: number): string {
  return isUtf8Sample(sample, sample.length < size) ? 'utf-8' : guessEncoding(sample);
}
