/** How much a reply may hold. */
export interface Limits {
  /** Asked for by the caller. */
  maxResults?: number;
  /** Asked for: records of at most so many files. */
  maxFiles?: number;
  /** The server's. */
  cap?: number;
  /** Of all records together, as JSON. */
  maxCharacters?: number;
}

export type TruncatedBy = 'maxResults' | 'limit' | 'timeout' | 'maxBytes';

/**
 * The one place where results are counted and cut. It sees one record more than
 * it lets through before it says that there were more, so that exactly as many
 * as were asked for, and no more there, is not truncated.
 */
export class Limiter {
  count = 0;
  /** Set once a record had to be left out, or `stop` was called. */
  truncatedBy: TruncatedBy | undefined;
  readonly #limits: Limits;
  #files = 0;
  #characters = 0;
  #file: string | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The records of `batch` that the reply has room for. */
  take<R>(batch: R[]): R[] {
    if (this.truncatedBy !== undefined) return [];
    const room = this.#room;
    const kept =
      this.#limits.maxFiles === undefined ? batch.length : this.#ofAllowedFiles(batch, this.#limits.maxFiles);
    if (kept < batch.length && kept <= room) this.truncatedBy = 'maxResults';
    else if (batch.length > room) this.truncatedBy = this.#isAsked ? 'maxResults' : 'limit';
    const wanted = Math.min(kept, room);
    const taken = this.#fitting(batch, wanted);
    if (taken < wanted) this.truncatedBy = 'limit';
    this.count += taken;
    return taken === batch.length ? batch : batch.slice(0, taken);
  }

  /** Ends the reply for another reason. */
  stop(reason: TruncatedBy): void {
    this.truncatedBy ??= reason;
  }

  get #room(): number {
    return (
      Math.min(this.#limits.maxResults ?? Number.POSITIVE_INFINITY, this.#limits.cap ?? Number.POSITIVE_INFINITY) -
      this.count
    );
  }

  /** Whether the caller's own limit is the one that cuts. */
  get #isAsked(): boolean {
    const { maxResults, cap } = this.#limits;
    return maxResults !== undefined && maxResults <= (cap ?? Number.POSITIVE_INFINITY);
  }

  /** How many of the first `wanted` records there are characters for. */
  #fitting(batch: readonly unknown[], wanted: number): number {
    const { maxCharacters } = this.#limits;
    if (maxCharacters === undefined) return wanted;
    for (const [at, record] of batch.slice(0, wanted).entries()) {
      this.#characters += JSON.stringify(record).length;
      if (this.#characters > maxCharacters) return at;
    }
    return wanted;
  }

  #ofAllowedFiles(batch: readonly unknown[], maxFiles: number): number {
    for (const [at, record] of batch.entries()) {
      const file = fileOf(record);
      if (file === this.#file) continue;
      if (this.#files === maxFiles) return at;
      this.#files += 1;
      this.#file = file;
    }
    return batch.length;
  }
}

/** What tells a record's file: its bytes where its path does not. */
function fileOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  if ('path_bytes' in record) return `${record.path_bytes}`;
  return 'path' in record ? `${record.path}` : '';
}
