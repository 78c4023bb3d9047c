import { isDecodable } from '../search/source.ts';
import type { Bytes } from '../workspace/names.ts';
import { type FileOpener, isReadFault, type OpenFile } from '../workspace/open.ts';
import type { Found, SkipReason } from '../workspace/walk.ts';
import type { Context } from './operation.ts';

/** A file to be searched, open until its content is known, and how it is shown. */
export interface Candidate {
  path: Bytes;
  text: string;
  file: OpenFile;
}

/** Larger files are counted, not searched: nobody waits for the whole of them, and an agent can make them of nothing. */
const MAX_SEARCHED = 4 * 1024 ** 3;
/** Smaller files are read whole, once. */
const MAX_SIFTED = 1024 * 1024;
const UTF_16_MARKS = [0xfeff, 0xfffe];

/**
 * The files of a walk, open, one by one; undefined stands for the end of a
 * batch of the walk. Whoever takes one closes it. `top` is the path of the
 * walk's start, as shown: empty for the root.
 */
export function* candidatesOf(
  found: Iterable<Found[]>,
  opener: FileOpener,
  top: Bytes,
  encoding: string,
  skip: Context['skip'],
): Generator<Candidate | undefined, void> {
  for (const entries of found) {
    for (const { path, text } of entries) {
      const file = opener.open(path.slice(top.length + 1), () => skip('unreadable', path));
      if (file === undefined) continue;
      if (!isTooLarge(path, file, encoding, skip)) yield { path, text, file };
    }
    yield undefined;
  }
}

/** Whether a file is too large to be searched, or to be decoded for that, or cannot be read; it is then counted and closed. */
export function isTooLarge(path: Bytes, file: OpenFile, encoding: string, skip: Context['skip']): boolean {
  const reason = whileReadable({ path, file }, skip, () => reasonAgainst(file, encoding));
  if (reason === 'none') return false;
  if (reason !== undefined) skip(reason, path);
  file.close();
  return true;
}

function reasonAgainst(file: OpenFile, encoding: string): SkipReason | 'none' {
  if (file.size > MAX_SEARCHED) return 'too_large';
  return isDecodable(file, encoding) ? 'none' : 'undecodable';
}

/** What `look` makes of a file; undefined when that cannot be read, which is then counted. */
function whileReadable<T>(
  { file, path }: Pick<Candidate, 'file' | 'path'>,
  skip: Context['skip'],
  look: () => T,
): T | undefined {
  try {
    return look();
  } catch (error) {
    file.close();
    if (!isReadFault(error)) throw error;
    skip('unreadable', path);
    return undefined;
  }
}

/** Reads small files, through one buffer for all, and tells those that do not hold certain bytes. */
export class Sieve {
  /** What was read of the file that was looked at last, whole; undefined for a large one. Good until the next one. */
  content: Buffer | undefined;
  readonly #required: Buffer | undefined;
  readonly #scratch: Buffer;

  /** `readsAll`: whether the content is wanted where nothing is required of it. */
  constructor(required: Buffer | undefined, readsAll = false) {
    this.#required = required;
    this.#scratch = Buffer.allocUnsafe(required === undefined && !readsAll ? 0 : MAX_SIFTED);
  }

  /** Whether a file does not hold them, or cannot be read, which is counted; it is then closed. */
  passesOver(candidate: Candidate, skip: Context['skip']): boolean {
    const mayHold = whileReadable(candidate, skip, () => this.#mayHold(candidate.file)) === true;
    if (!mayHold) candidate.file.close();
    return !mayHold;
  }

  #mayHold(file: OpenFile): boolean {
    this.content = undefined;
    if (file.size >= this.#scratch.length) return true;
    const bytes = file.readInto(this.#scratch, 0);
    // A file that grows under our eyes is searched as it comes.
    if (bytes.length === MAX_SIFTED) return true;
    this.content = bytes;
    if (this.#required === undefined || bytes.includes(this.#required)) return true;
    return bytes.length >= 2 && UTF_16_MARKS.includes(bytes.readUInt16LE(0));
  }
}
