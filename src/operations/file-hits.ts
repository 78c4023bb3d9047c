import {
  atLineStart,
  contextLine,
  type Excerpt,
  endOfLine,
  excerptOf,
  excerptOfLine,
  maxBytesOf,
  previousLine,
} from '../search/excerpt.ts';
import { literalHits } from '../search/literal.ts';
import type { Hit } from '../search/output.ts';
import { type Readable, type Scan, Source, toSource } from '../search/source.ts';
import { isReadFault, type OpenFile } from '../workspace/open.ts';
import { shownAs } from './entry.ts';
import type { Match } from './grep.ts';
import { CUT, type GrepQuery } from './grep-query.ts';
import type { Context } from './operation.ts';

/** Hits that are kept back until it is known whether their file holds a NUL. */
const MAX_HELD = 1000;

interface Named {
  path: string;
  text: string;
}

/**
 * The hits of one file, made into records. Every line is read from the file, or
 * from its text as it was searched: nothing that was printed is passed on
 * unseen. A file with a NUL anywhere is counted as binary and gives no records,
 * wherever the NUL stands.
 */
export class FileHits {
  readonly #name: { path: string; path_bytes?: string };
  readonly #query: GrepQuery;
  readonly #skip: Context['skip'];
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #content: Readable | Source;
  #isOpened = false;
  #isUnreadable = false;
  #source: Source | undefined;
  /** Whether `addNul` is called for a file with a NUL. */
  #nulsAreTold = true;
  #held: Hit[] = [];
  #isText: boolean | undefined;
  #lastLine = 0;
  #lastShown = 0;
  #count = 0;

  /** Takes over `file`; `content` is all of it, or of its text, where that has been read. */
  constructor(
    named: Named,
    file: OpenFile,
    query: GrepQuery,
    skip: Context['skip'],
    content: Readable | Source = file,
  ) {
    this.#name = shownAs(named, false);
    this.#path = named.path;
    this.#query = query;
    this.#skip = skip;
    this.#file = file;
    this.#content = content;
  }

  /** The file's lines that hold a text, byte for byte. */
  *scan(text: Buffer): Generator<Hit[], void> {
    this.#nulsAreTold = false;
    yield* this.#whileReadable(this.#scan(text));
  }

  /** Whether nothing that is still to come would be shown. */
  get isDone(): boolean {
    const { maxPerFile } = this.#query.bounds;
    return this.#isUnreadable || this.#isText === false || (maxPerFile > 0 && this.#count >= maxPerFile);
  }

  /** Takes the next hits; gives the records that are ready, and empty batches while it looks through a long line or file. */
  add(hits: readonly Hit[]): Generator<Match[], void> {
    return this.#whileReadable(this.#add(hits));
  }

  *#scan(text: Buffer): Generator<Hit[], void> {
    const source = yield* this.#opened();
    if (source !== undefined) yield* literalHits(source, text);
  }

  *#add(hits: readonly Hit[]): Generator<Match[], void> {
    const source = yield* this.#opened();
    if (source === undefined) return;
    for (const hit of hits) {
      this.#hold(hit, source);
      if (this.#isText === undefined && this.#mayDecide(source)) this.#decide(!(yield* source.isBinary()));
    }
    // With context, a hit waits for the one after it, which ends its window.
    if (this.#isText === true) yield* this.#release(this.#query.hasContext ? 1 : 0);
  }

  /** A NUL was met while searching. */
  addNul(): void {
    if (this.#isText === undefined && this.#source !== undefined) this.#decide(false);
  }

  /** Gives the last records; no more hits come. `isWhole`: whether the file was searched to its end. */
  *finish(isWhole = true): Generator<Match[], void> {
    try {
      yield* this.#whileReadable(this.#finish(isWhole));
    } finally {
      this.close();
    }
  }

  *#finish(isWhole: boolean): Generator<Match[], void> {
    if (this.#source === undefined) return;
    if (this.#isText === undefined && this.#held.length > 0) {
      this.#decide((isWhole && this.#nulsAreTold) || !(yield* this.#source.isBinary()));
    }
    yield* this.#release(0);
    if (isWhole && this.#query.output === 'count' && this.#count > 0) yield [{ ...this.#name, count: this.#count }];
  }

  /** Goes on for as long as the file can be read; when it cannot, counts it, and has nothing more to say of it. */
  *#whileReadable<T>(reading: Generator<T, void>): Generator<T, void> {
    try {
      if (!this.#isUnreadable) yield* reading;
    } catch (error) {
      if (!isReadFault(error)) throw error;
      this.#isUnreadable = true;
      this.#skip('unreadable', this.#path);
    }
  }

  close(): void {
    this.#query.outcome.isInside = false;
    this.#file.close();
  }

  *#opened(): Scan<Source | undefined> {
    if (this.#isOpened) return this.#source;
    this.#isOpened = true;
    const content = this.#content;
    this.#source = content instanceof Source ? content : yield* toSource(content, this.#query.pattern.encoding);
    // It was decodable when it was chosen, and may have been written to since.
    if (this.#source === undefined) this.#skip('undecodable', this.#path);
    return this.#source;
  }

  #hold(hit: Hit, source: Source): void {
    if (this.#isText === false || hit.line === this.#lastLine) return;
    this.#lastLine = hit.line;
    this.#held.push(this.#query.pattern.multiline ? atLineStart(source, hit) : hit);
  }

  #mayDecide(source: Source): boolean {
    return source.isSmall || this.#query.bounds.maxPerFile > 0 || this.#held.length >= MAX_HELD;
  }

  #decide(isText: boolean): void {
    this.#isText = isText;
    if (isText) return;
    this.#held = [];
    this.#skip('binary', this.#path);
  }

  *#release(keep: number): Generator<Match[], void> {
    const room = (this.#query.bounds.maxPerFile || Number.POSITIVE_INFINITY) - this.#count;
    const ready = this.#held.splice(0, Math.max(0, this.#held.length - keep));
    const matches: Match[] = [];
    for (let at = 0; at < ready.length && matches.length < room; at += 1) {
      const isLast = matches.length === room - 1;
      const match =
        this.#toMatchAtOnce(ready[at]) ??
        (yield* this.#toMatch(ready[at], isLast ? undefined : (ready[at + 1] ?? this.#held[0])));
      if (match !== undefined) matches.push(match);
    }
    this.#count += matches.length;
    this.#query.outcome.isInside = this.#count > 0;
    if (this.#query.output !== 'count') yield matches;
  }

  /** The match of a line that is short, asked for by itself, and still the one that was found, as most are. */
  #toMatchAtOnce(hit: Hit | undefined): Match | undefined {
    const { hasContext, maxLineLength, output } = this.#query;
    if (hit === undefined || hasContext || output !== 'lines') return undefined;
    const line = this.#source?.lineAt(hit.offset, maxBytesOf(maxLineLength));
    const excerpt = line && excerptOfLine(line, hit, maxLineLength);
    return excerpt && this.#shown(hit.line, excerpt);
  }

  *#toMatch(hit: Hit | undefined, next: Hit | undefined): Scan<Match | undefined> {
    const source = this.#source;
    if (hit === undefined || source === undefined) return undefined;
    // What the file itself was looked through for stands there.
    if (this.#query.output !== 'lines' && hit.printed === undefined) return this.#name;
    const excerpt = yield* excerptOf(source, hit, this.#query.maxLineLength);
    if (excerpt === undefined) return undefined;
    if (this.#query.output !== 'lines') return this.#name;
    const match = this.#shown(hit.line, excerpt);
    return this.#query.hasContext ? { ...match, ...(yield* this.#contextOf(source, hit, excerpt.end, next)) } : match;
  }

  /** Most lines are shown whole: those records are made at once, and have one shape. */
  #shown(line: number, { column, cut, lossy, text }: Excerpt): Match {
    const { path, path_bytes } = this.#name;
    const match: Match = path_bytes === undefined ? { path, line, text } : { path, path_bytes, line, text };
    if (lossy !== undefined) match.lossy = lossy;
    if (column !== undefined) match.column = column;
    if (cut !== undefined) {
      match.clipped = true;
      match[CUT] = cut;
    }
    return match;
  }

  *#contextOf(source: Source, hit: Hit, end: number, next?: Hit): Scan<{ before: string[]; after: string[] }> {
    const before: string[] = [];
    let offset = yield* previousLine(source, hit.offset);
    for (let line = hit.line - 1; line > this.#lastShown && before.length < this.#query.before; line -= 1) {
      if (offset === undefined) break;
      before.unshift(contextLine(source, offset, this.#query.maxLineLength));
      offset = yield* previousLine(source, offset);
    }
    const after = yield* this.#linesAfter(source, hit, end, next);
    this.#lastShown = hit.line + after.length;
    return { before, after };
  }

  *#linesAfter(source: Source, hit: Hit, end: number, next?: Hit): Scan<string[]> {
    const room = next === undefined ? this.#query.after : Math.min(this.#query.after, next.line - hit.line - 1);
    const after: string[] = [];
    let offset = end + 1;
    while (after.length < room && offset < source.size) {
      after.push(contextLine(source, offset, this.#query.maxLineLength));
      offset = (yield* endOfLine(source, offset)) + 1;
    }
    return after;
  }
}
