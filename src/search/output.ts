/** A line that ripgrep says matches. */
export interface Hit {
  /** The file's place in the list that was searched. */
  file: number;
  /** From 1. */
  line: number;
  /** Where the match starts in the line, in bytes from 1. */
  column: number;
  /**
   * Where the line starts, in bytes of the decoded file without a byte order
   * mark; in a search over several lines it may also be where the match does.
   */
  offset: number;
  /**
   * The line's bytes without its line feed, or a note of ripgrep's for a line
   * longer than it may print; absent when the hit was read from the file itself.
   */
  printed?: Buffer;
}

/** A file that matches and holds a NUL. */
export interface BinaryNote {
  file: number;
  isBinary: true;
}

export type SearchEvent = Hit | BinaryNote;

const LINE_FEED = 0x0a;
const COLON = 0x3a;
const BINARY = /: binary file matches \(found "\\0" byte around offset \d+\)$/;

/** How ripgrep names standard input. */
export const STDIN = Buffer.from('<stdin>');

/**
 * Reads what ripgrep prints with the arguments of `toArguments`: on lines of
 * their own, `path NUL line:column:offset:text`, or `path: binary file matches
 * (…)`. Parsed as bytes, since neither paths nor lines need be text. Files come
 * in the order in which they were given; a path holds no line feed.
 */
export class OutputParser {
  readonly #files: readonly Buffer[];
  #current = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** `files`: the paths as given; standard input is `STDIN`. */
  constructor(files: readonly Buffer[]) {
    this.#files = files;
  }

  push(chunk: Buffer): SearchEvent[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const events: SearchEvent[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      events.push(this.#parse(bytes.subarray(start, end)));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    return events;
  }

  #parse(line: Buffer): SearchEvent {
    const nul = line.indexOf(0);
    if (nul !== -1) return this.#hit(this.#find(line.subarray(0, nul)), line, nul + 1);
    const note = BINARY.exec(line.toString('latin1'));
    if (note === null) throw new Error('ripgrep printed what is neither a hit nor a note');
    return { file: this.#find(line.subarray(0, note.index)), isBinary: true };
  }

  #hit(file: number, bytes: Buffer, from: number): Hit {
    const afterLine = bytes.indexOf(COLON, from);
    const afterColumn = bytes.indexOf(COLON, afterLine + 1);
    const afterOffset = bytes.indexOf(COLON, afterColumn + 1);
    return {
      file,
      line: toNumber(bytes, from, afterLine),
      column: toNumber(bytes, afterLine + 1, afterColumn),
      offset: toNumber(bytes, afterColumn + 1, afterOffset),
      printed: bytes.subarray(afterOffset + 1),
    };
  }

  #find(path: Buffer): number {
    for (let at = this.#current; at < this.#files.length; at += 1) {
      if (this.#files[at]?.equals(path)) {
        this.#current = at;
        return at;
      }
    }
    throw new Error('ripgrep named a file that it was not given');
  }
}

function toNumber(digits: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + (digits[at] ?? 0x30) - 0x30;
  return value;
}
