import { Decoder, sniffBom } from '../text/encoding.ts';

/** Bytes that can be read anywhere. */
export interface Readable {
  readonly size: number;
  /** Up to `length` bytes from `position`; fewer at the end. */
  read(position: number, length: number): Buffer;
  /** As many from `position` as `room` has room for; they stand in it, or where they stood before. */
  readInto(room: Buffer, position: number): Buffer;
}

/**
 * Work on a file that may take as long as the file is large: yields empty
 * batches, so that whoever drives it can let others go on, or leave it.
 */
export type Scan<T> = Generator<never[], T>;

/** Files up to this size are read whole, once. */
const MAX_WHOLE = 1024 * 1024;
/** Files in other encodings than UTF-8 are decoded whole, up to this size. */
const MAX_DECODED = 64 * 1024 * 1024;
const BLOCK = 64 * 1024;
const SCAN = 256 * 1024;
/** Bytes decoded at once, which takes longer than to look through them. */
const DECODED = 256 * 1024;
const BOM_LENGTH = 4;
const LINE_FEED = 0x0a;

/**
 * A file as ripgrep sees it: in UTF-8 and without a byte order mark, which is
 * the space that its offsets count in. Undefined when it is not `isDecodable`.
 */
export function* toSource(file: Readable, encoding: string): Scan<Source | undefined> {
  const { actual, start } = encodingOf(file, encoding);
  if (actual === 'utf-8')
    return new Source(file.size <= MAX_WHOLE ? inMemory(file.read(start, file.size)) : from(file, start));
  return file.size > MAX_DECODED ? undefined : new Source(yield* decoded(file, actual, start));
}

/** What `toSource` makes of a file whose content is at hand, which is decoded at once. */
export function textOf(content: Buffer, encoding: string): Buffer {
  const { actual, start } = encodingOf(inMemory(content), encoding);
  const bytes = content.subarray(start);
  if (actual === 'utf-8') return bytes;
  const decoder = new Decoder(actual);
  return Buffer.from(decoder.decode(bytes) + decoder.end());
}

/** Whether a file is in UTF-8, or small enough to be decoded. */
export function isDecodable(file: Readable, encoding: string): boolean {
  return file.size <= MAX_DECODED || encodingOf(file, encoding).actual === 'utf-8';
}

/** The encoding that a file is read in, and where its text starts. */
function encodingOf(file: Readable, asked: string): { actual: string; start: number } {
  const bom = sniffBom(file.read(0, BOM_LENGTH));
  return { actual: bom?.encoding ?? (asked === 'auto' ? 'utf-8' : asked), start: bom?.length ?? 0 };
}

/** Where a line stands in bytes that are good until the next ones are read. */
export interface Line {
  bytes: Buffer;
  start: number;
  /** Of its text: where its line feed stands, if it has one. */
  end: number;
  hasFeed: boolean;
}

/** A file's text in UTF-8, read through one block that is kept. */
export class Source {
  readonly size: number;
  readonly #bytes: Readable;
  #block: Buffer = Buffer.alloc(0);
  #blockStart = 0;
  #isBinary: boolean | undefined;

  constructor(bytes: Readable) {
    this.#bytes = bytes;
    this.size = bytes.size;
  }

  /** Small enough to be looked through at no price. */
  get isSmall(): boolean {
    return this.size <= MAX_WHOLE;
  }

  /** Whether a NUL stands anywhere in it; reads all of it, once. */
  *isBinary(): Scan<boolean> {
    this.#isBinary ??= yield* this.#holdsNul();
    return this.#isBinary;
  }

  read(position: number, length: number): Buffer {
    const from = position - this.#blockStart;
    if (from >= 0 && from + length <= this.#block.length) return this.#block.subarray(from, from + length);
    if (length > BLOCK) return this.#bytes.read(position, length);
    this.#load(position);
    return this.#block.subarray(0, length);
  }

  /** The bytes from `position` on, as many as are at hand; none at the end. */
  after(position: number): Buffer {
    if (!this.#holds(position)) this.#load(position);
    return this.#block.subarray(position - this.#blockStart);
  }

  /** The bytes before `position`, as many as are at hand; none at the start, and where the file has become shorter. */
  before(position: number): Buffer {
    // With as many after it, where one is likely to go on.
    if (!this.#holds(position - 1)) this.#load(Math.max(0, position - BLOCK / 2));
    return this.#block.subarray(0, this.#holds(position - 1) ? position - this.#blockStart : 0);
  }

  /** The line that starts at `position`; undefined when it is longer than `limit` bytes. */
  lineAt(position: number, limit: number): Line | undefined {
    const start = position - this.#blockStart;
    const feed = this.#holds(position) ? this.#block.indexOf(LINE_FEED, start) : -1;
    const line =
      feed === -1 ? this.#readLine(position, limit) : { bytes: this.#block, start, end: feed, hasFeed: true };
    return line.end - line.start > limit ? undefined : line;
  }

  /** Reads blocks of `length` bytes to be looked through, each of them good until the next one. */
  blocks(length: number): (position: number) => Buffer {
    if (this.isSmall) return (position) => this.read(position, length);
    // Memory that is new for each block takes longer to get than to fill.
    const room = Buffer.allocUnsafeSlow(length);
    return (position) => this.#bytes.readInto(room, position);
  }

  #holds(position: number): boolean {
    return position >= this.#blockStart && position < this.#blockStart + this.#block.length;
  }

  #load(position: number): void {
    this.#block = this.#bytes.read(position, BLOCK);
    this.#blockStart = position;
  }

  #readLine(position: number, limit: number): Line {
    const bytes = this.read(position, limit + 1);
    const feed = bytes.indexOf(LINE_FEED);
    return { bytes, start: 0, end: feed === -1 ? bytes.length : feed, hasFeed: feed !== -1 };
  }

  *#holdsNul(): Scan<boolean> {
    const blockAt = this.blocks(SCAN);
    for (let position = 0; position < this.size; position += SCAN) {
      if (blockAt(position).includes(0)) return true;
      if (position + SCAN < this.size) yield [];
    }
    return false;
  }
}

export function inMemory(bytes: Buffer): Readable {
  return readable(bytes.length, (position, length) => bytes.subarray(position, position + length));
}

/** What is read by `read` alone. */
export function readable(size: number, read: Readable['read']): Readable {
  return { size, read, readInto: (room, position) => read(position, room.length) };
}

function from(file: Readable, start: number): Readable {
  return {
    size: file.size - start,
    read: (position, length) => file.read(position + start, length),
    readInto: (room, position) => file.readInto(room, position + start),
  };
}

function* decoded(file: Readable, encoding: string, start: number): Scan<Readable> {
  const decoder = new Decoder(encoding);
  const parts: Buffer[] = [];
  for (let position = start; position < file.size; position += DECODED) {
    parts.push(Buffer.from(decoder.decode(file.read(position, DECODED))));
    if (position + DECODED < file.size) yield [];
  }
  parts.push(Buffer.from(decoder.end()));
  return inMemory(yield* joined(parts));
}

/** `Buffer.concat`, with pauses. */
function* joined(parts: readonly Buffer[]): Scan<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    if (end > 0) yield [];
    end += part.copy(whole, end);
  }
  return whole;
}
