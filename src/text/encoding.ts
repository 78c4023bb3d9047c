import { isUtf8 } from 'node:buffer';
import { labelToName, TextDecoder } from '@exodus/bytes/encoding.js';
import { analyse } from 'chardet';
import { EncodingUnknown } from '../errors.ts';

/** What a byte order mark says, and how many bytes it takes (WHATWG Encoding, "BOM sniff"). */
export interface Bom {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  length: number;
}

export function sniffBom(start: Uint8Array): Bom | undefined {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** Decodes whatever it is given to one U+FFFD (WHATWG Encoding, "replacement"): for encodings that hide markup. */
const REPLACING = 'replacement';

/** The encoding that a WHATWG label names, in lower case. Throws ENCODING_UNKNOWN. */
export function toEncoding(label: string): string {
  const name = labelToName(label);
  if (name === null || name === REPLACING) throw new EncodingUnknown(label.slice(0, 100));
  return name.toLowerCase();
}

/** Bytes of a line feed: two in UTF-16, one in every other WHATWG encoding. */
export function unitOf(encoding: string): 1 | 2 {
  return encoding.startsWith('utf-16') ? 2 : 1;
}

/**
 * The legacy encoding that `sample` looks to be in, or windows-1252, in which
 * every byte is a character. A guess: the bytes do not say.
 */
export function guessEncoding(sample: Uint8Array): string {
  for (const { name } of analyse(sample)) {
    const encoding = labelToName(name)?.toLowerCase();
    if (encoding !== undefined && encoding !== REPLACING && !encoding.startsWith('utf-')) return encoding;
  }
  return 'windows-1252';
}

/**
 * How U+FFFD itself is written. GB 18030 can write it, too, in bytes that may as
 * well be parts of other characters: there it counts as a loss.
 */
const REPLACEMENT: Record<string, Buffer> = {
  'utf-8': Buffer.from('efbfbd', 'hex'),
  'utf-16le': Buffer.from('fdff', 'hex'),
  'utf-16be': Buffer.from('fffd', 'hex'),
};

/**
 * Decodes a stream of bytes as the WHATWG Encoding standard says, characters
 * across chunk boundaries included, and notices when bytes were replaced.
 */
export class Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  readonly #encoding: string;
  #replaced = 0;
  #written = 0;
  #position = 0;
  #carry = Buffer.alloc(0);

  constructor(encoding: string) {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { ignoreBOM: true });
  }

  decode(bytes: Buffer): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#count(text, bytes);
    return text;
  }

  end(): string {
    const text = this.#decoder.decode();
    this.#count(text, Buffer.alloc(0));
    return text;
  }

  /** Whether bytes were met that are no text in the encoding; each such place shows as U+FFFD. */
  get isLossy(): boolean {
    return this.#replaced > this.#written;
  }

  /** Counts U+FFFD on both sides: what the file writes as such is not a loss. */
  #count(text: string, bytes: Buffer): void {
    const replacement = REPLACEMENT[this.#encoding];
    const all = this.#carry.length === 0 ? bytes : Buffer.concat([this.#carry, bytes]);
    if (text.includes('\ufffd')) {
      this.#replaced += text.split('\ufffd').length - 1;
      this.#written +=
        replacement === undefined ? 0 : occurrences(all, replacement, this.#position - this.#carry.length);
    }
    this.#position += bytes.length;
    if (replacement !== undefined)
      this.#carry = Buffer.from(all.subarray(Math.max(0, all.length - replacement.length + 1)));
  }
}

/** How often `part` stands in `bytes`; a part of two bytes counts at even distances from the stream's start alone. */
function occurrences(bytes: Buffer, part: Buffer, offset: number): number {
  const step = part.length === 2 ? 2 : 1;
  let count = 0;
  for (let at = bytes.indexOf(part); at !== -1; at = bytes.indexOf(part, at + 1)) {
    if ((at + offset) % step === 0) count += 1;
  }
  return count;
}

/** Whether `sample` is UTF-8; `isCut` when it is the beginning of more and may end inside a character. */
export function isUtf8Sample(sample: Buffer, isCut: boolean): boolean {
  const ends = isCut ? [0, 1, 2, 3] : [0];
  return ends.some((cut) => isUtf8(sample.subarray(0, sample.length - cut)));
}
