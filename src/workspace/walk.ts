import { NotFound, PermissionDenied } from '../errors.ts';
import type { Rules } from '../text/rules.ts';
import { shorten, toVirtual } from './asked-path.ts';
import { Frame } from './frame.ts';
import type { Handle } from './handle.ts';
import { IGNORE_FILE, IgnoreStack } from './ignored.ts';
import { type Kind, type Listing, readListing } from './listing.ts';
import { isKernelInterface } from './mounts.ts';
import { NameFilter } from './name-filter.ts';
import { type Bytes, toText } from './names.ts';
import type { Details } from './native.ts';
import type { Policy } from './policy.ts';
import { type Located, toPathError } from './resolve.ts';
import type { Root } from './root.ts';
import { type Proof, proofOf, type TreeCache } from './tree-cache.ts';

/** Why an entry that was met is not among the results. */
export type SkipReason = 'excluded' | 'ignored' | 'unreadable' | 'binary' | 'too_large' | 'undecodable';

/** Counts an entry left out; `path` (bytes, as shown) is given where a hint may name it. */
export type Skip = (reason: SkipReason, path?: Bytes) => void;

/** An entry that a walk came upon. */
export interface Found {
  /** As shown, without a trailing slash. */
  path: Bytes;
  /** `path`, decoded. */
  text: string;
  kind: Kind;
  /** The entry's own, never a link target's; undefined when they were not asked for or the entry is gone. */
  details: Details | undefined;
}

/** Chooses among the entries of folders; `S` is what it knows of a folder. */
export interface Select<S> {
  readonly start: S;
  /** For each entry of a folder in state `state`, by decoded name and kind: whether it is wanted. */
  wanted(state: S, names: readonly string[], kinds: readonly Kind[]): readonly boolean[];
  /** The state of the folder `name`; undefined when nothing below it is wanted. */
  enter(state: S, name: string): S | undefined;
}

/** What is walked. */
export interface Tree {
  root: Root;
  policy: Policy;
  /** Listings that prove to be fresh, when there is a cache. */
  cache: TreeCache | undefined;
}

export interface WalkQuery<S> {
  /** `path`: depth first, names in code-point order; a folder stands before what it holds. `none`: in any, so that the walk can be shared. */
  order: 'path' | 'none';
  /** Levels below the start; 1 is the start's own entries. */
  depth: number;
  hidden: boolean;
  gitignore: boolean;
  exclude: Rules;
  /** Whether `exclude` does not hold for the folder at these names below the start. */
  isExempt?: (names: readonly string[]) => boolean;
  type: 'any' | 'file' | 'directory';
  details: boolean;
  select: Select<S>;
}

const DOT = 0x2e;
/**
 * Entries that fill a batch: few at first, so that whoever waits has one soon,
 * and twice as many each time. By number, not by time: where a reply is cut,
 * and what was counted until there, is the same in each run.
 */
const FIRST_BATCH = 16;
const MAX_BATCH = 256;
/** A batch that holds anything is handed over, too, when as many folders were read as a quarter of the entries that fill it. */
const ENTRIES_PER_FOLDER = 4;
/** Folders read before a batch is handed over although it is empty. */
const MAX_FOLDERS = 64;
/** Milliseconds of matching ignore files before others have the thread. */
const PAUSE_AFTER = 20;
/** Descriptors that one walk may hold; ancestors beyond are closed and opened again. */
const MAX_OPEN = 48;

/** Folders that are given to another walk, by their names below the start. */
export type Share = readonly (readonly Bytes[])[];

export interface WalkOptions {
  share?: Share | undefined;
  /** Ends the walk with what it has gathered. */
  signal?: AbortSignal | undefined;
}

/**
 * Walks the tree below a folder without ever following a link. Every folder is
 * opened under the one before it, so that a name swapped for a link during the
 * walk ends that branch and leads nowhere. Blocked entries are passed by
 * uncounted; what else is left out is counted once, with all below it.
 *
 * A walk whose order does not matter can be shared: `split` gives away folders
 * that lie ahead, and a walk from the same start in another thread takes them.
 */
export class Walk<S> {
  readonly #tree: Tree;
  readonly #start: Located;
  readonly #query: WalkQuery<S>;
  readonly #skip: Skip;
  readonly #frames: Frame<S>[] = [];
  /** Length of the start's own path, as shown. */
  readonly #startLength: number;
  readonly #realStart: Bytes;
  readonly #share: Share | undefined;
  readonly #signal: AbortSignal | undefined;
  #pauseAt = performance.now() + PAUSE_AFTER;
  /** Entries that fill the batch that is being gathered. */
  #batchSize = FIRST_BATCH;

  /** With `share`, walks those folders alone. */
  constructor(tree: Tree, start: Located, query: WalkQuery<S>, skip: Skip, options: WalkOptions = {}) {
    this.#share = options.share;
    this.#signal = options.signal;
    this.#tree = tree;
    this.#start = start;
    this.#query = query;
    this.#skip = skip;
    this.#startLength = pathOf(start.shown).length;
    this.#realStart = pathOf(start.real);
  }

  /**
   * Yields batches, possibly empty ones: a consumer that takes its time between
   * them shares the thread. Ends early when it is returned, and closes what it holds.
   */
  *found(): Generator<Found[], void> {
    try {
      if (this.#share === undefined) {
        this.#enterStart();
        yield* this.#batches();
      }
      for (const names of this.#share ?? []) {
        if (this.#signal?.aborted === true) return;
        this.#enterThrough(names);
        yield* this.#batches();
      }
    } finally {
      while (this.#frames.length > 0) this.#leave();
    }
  }

  /** Gives away half of the folders ahead on the highest level that has any; none when the order matters or there are none. */
  split(): Share {
    // Ignore files would have to be read again on the way to each folder.
    if (this.#query.order === 'path' || this.#query.gitignore) return [];
    for (const [level, frame] of this.#frames.entries()) {
      const ahead = frame.foldersAhead();
      if (ahead.length === 0) continue;
      const given = ahead.slice(Math.floor(ahead.length / 2));
      frame.enterBefore = given[0] ?? frame.enterBefore;
      const above = this.#frames.slice(1, level + 1).map(({ name }) => name);
      return given.map((at) => [...above, frame.listing.names[at] ?? '']);
    }
    return [];
  }

  *#batches(): Generator<Found[], void> {
    let batch: Found[] = [];
    let folders = 0;
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      folders += this.#advance(frame, batch);
      const due = this.#dueOf(batch, folders);
      if (due === undefined) continue;
      yield due;
      if (due === batch) {
        if (batch.length > 0) this.#batchSize = Math.min(this.#batchSize * 2, MAX_BATCH);
        batch = [];
        folders = 0;
      }
      if (this.#signal?.aborted === true) break;
      this.#pauseAt = performance.now() + PAUSE_AFTER;
    }
    yield batch;
  }

  /** Goes on in the frame, or leaves it at its end; gives the number of folders that were entered. */
  #advance(frame: Frame<S>, batch: Found[]): number {
    const before = this.#frames.length;
    if (this.#goOn(frame, batch)) this.#leave();
    return Math.max(0, this.#frames.length - before);
  }

  /**
   * What is handed over now: a batch that is full; for a pause what there is
   * or, in order, an empty one: where a reply is cut, and what was counted until
   * there, must not depend on time.
   */
  #dueOf(batch: Found[], folders: number): Found[] | undefined {
    const maxFolders = batch.length === 0 ? MAX_FOLDERS : this.#batchSize / ENTRIES_PER_FOLDER;
    if (batch.length >= this.#batchSize || folders >= maxFolders) return batch;
    if (!this.#isPauseDue()) return undefined;
    return this.#query.order === 'path' ? [] : batch;
  }

  /** Goes to a folder without reading those on the way, which another walk has read. */
  #enterThrough(names: readonly Bytes[]): void {
    const start = this.#startFrame();
    start.proof = this.#proofOf(this.#start.handle);
    this.#frames.push(start);
    for (const [at, name] of names.entries()) {
      const parent = this.#frames.at(-1);
      const frame = parent === undefined ? undefined : this.#below(parent, name, toText(name));
      if (parent === undefined || frame === undefined) return;
      this.#frames.push(frame);
      if (at === names.length - 1) this.#enter(parent, frame);
    }
  }

  #enterStart(): void {
    const { handle, shown } = this.#start;
    const frame = this.#startFrame();
    this.#frames.push(frame);
    try {
      frame.proof = this.#proofOf(handle);
      this.#choose(frame, this.#knownListing(frame) ?? this.#read(frame, handle));
    } catch (cause) {
      // The start is asked for by name: that it cannot be read is the answer, and nothing to pass by.
      throw toPathError(cause, shorten(toText(toVirtual(shown))));
    }
  }

  #startFrame(): Frame<S> {
    const { handle, shown, real, stats } = this.#start;
    const path = pathOf(shown);
    const filter = this.#filterAt(path === this.#realStart ? [shown] : [shown, real]);
    const { start: state } = this.#query.select;
    const frame = new Frame({ name: '', path, text: toText(path), depth: 1, state, filter }, stats.dev, 'never');
    frame.handle = handle;
    if (this.#query.gitignore) frame.ignored = IgnoreStack.at(this.#tree.root.handle, real);
    return frame;
  }

  #filterAt(places: readonly (readonly Bytes[])[]): NameFilter {
    const { exclude } = this.#query;
    return new NameFilter(
      places.map((names) => this.#tree.policy.at(names)),
      exclude,
      exclude.start,
    );
  }

  /**
   * Adds what is next in the frame to the batch, until that is full, a pause is
   * due or there is a folder to go into; tells whether the frame is at its end.
   */
  #goOn(frame: Frame<S>, batch: Found[]): boolean {
    while (frame.next < frame.listing.kinds.length) {
      frame.next += 1;
      if (this.#take(frame, frame.next - 1, batch)) return false;
      if (batch.length >= this.#batchSize || this.#isPauseDue()) return false;
    }
    return true;
  }

  /** Adds an entry to the batch if it is asked for, and enters it if it is a folder to look into; tells whether it did that. */
  #take(frame: Frame<S>, at: number, batch: Found[]): boolean {
    const kind = frame.listing.kinds[at] ?? 'other';
    if (this.#isIgnored(frame, at, kind)) return false;
    if (frame.wanted[at] === true && this.#isOfType(kind)) batch.push(this.#found(frame, at, kind));
    return kind === 'directory' && this.#enterIfWanted(frame, at);
  }

  /** Ignore files are the workspace's own, and may take as long for each name as whoever writes there likes. */
  #isPauseDue(): boolean {
    return this.#query.gitignore && performance.now() > this.#pauseAt;
  }

  #isIgnored(frame: Frame<S>, at: number, kind: Kind): boolean {
    if (frame.ignored?.ignores(frame.listing.texts[at] ?? '', kind === 'directory') !== true) return false;
    this.#skip('ignored', `${frame.path}/${frame.listing.names[at] ?? ''}`);
    return true;
  }

  /** Enters a folder that there is something to look for in; tells whether it did. */
  #enterIfWanted(parent: Frame<S>, at: number): boolean {
    if (at >= parent.enterBefore) return false;
    const frame = this.#below(parent, parent.listing.names[at] ?? '', parent.listing.texts[at] ?? '');
    if (frame === undefined) return false;
    this.#frames.push(frame);
    this.#enter(parent, frame);
    return true;
  }

  /** The frame of a folder, not read yet; undefined when nothing below it is asked for. */
  #below(parent: Frame<S>, name: Bytes, text: string): Frame<S> | undefined {
    if (parent.depth >= this.#query.depth) return undefined;
    const state = this.#query.select.enter(parent.state, text);
    return state === undefined ? undefined : parent.below(name, text, state);
  }

  #enter(parent: Frame<S>, frame: Frame<S>): void {
    try {
      const listing = this.#knownListing(frame) ?? this.#open(parent, frame);
      if (listing === undefined) return;
      const hasIgnoreFile = this.#query.gitignore && listing.names.includes(IGNORE_FILE);
      frame.ignored = parent.ignored?.enter(toText(frame.name), hasIgnoreFile ? this.#handleOf(frame) : undefined);
      this.#choose(frame, listing);
    } catch (error) {
      this.#pass(error, frame.path);
    }
  }

  /** The folder's listing when it is known and still the same, without opening the folder. */
  #knownListing(frame: Frame<S>): Listing | undefined {
    const { cache } = this.#tree;
    if (cache === undefined) return undefined;
    const below = frame.path.slice(this.#startLength + 1);
    const known = cache.lookUp(this.#realPathOf(frame), this.#start.handle, below);
    if (known === undefined) return undefined;
    frame.device = known.device;
    frame.proof = known.proof;
    return known.listing;
  }

  /** Opens and reads the folder; undefined when it is nothing to be read. */
  #open(parent: Frame<S>, frame: Frame<S>): Listing | undefined {
    const handle = this.#handleOf(parent).openDirectoryToRead(frame.name);
    frame.handle = handle;
    this.#closeFarAncestor();
    const { dev } = handle.stats();
    if (dev !== parent.device) {
      if (isKernelInterface(handle)) return undefined;
      frame.device = dev;
      frame.proof = this.#proofOf(handle);
    }
    return this.#read(frame, handle);
  }

  #proofOf(handle: Handle): Proof {
    return this.#tree.cache === undefined ? 'never' : proofOf(handle);
  }

  #read(frame: Frame<S>, handle: Handle): Listing {
    const { cache } = this.#tree;
    return cache === undefined ? readListing(handle) : cache.read(this.#realPathOf(frame), handle, frame.proof);
  }

  #realPathOf({ path }: Frame<S>): Bytes {
    return this.#realStart + path.slice(this.#startLength);
  }

  /** A folder that cannot be read is counted; one that is gone, or a link by now, is as if it had not been met. */
  #pass(error: unknown, path: Bytes): void {
    const known = toPathError(error, toText(path));
    if (known instanceof NotFound) return;
    if (!(known instanceof PermissionDenied)) throw known;
    this.#skip('unreadable', path);
  }

  #leave(): void {
    const frame = this.#frames.pop();
    if (this.#frames.length > 0) frame?.handle?.close();
  }

  #closeFarAncestor(): void {
    const far = this.#frames.at(-MAX_OPEN);
    if (far === undefined || far === this.#frames[0]) return;
    far.handle?.close();
    far.handle = undefined;
  }

  /** The frame's folder, opened under the nearest ancestor that is held when it is not held itself. */
  #handleOf(frame: Frame<S>): Handle {
    if (frame.handle !== undefined) return frame.handle;
    const at = this.#frames.lastIndexOf(frame);
    const above = this.#frames.findLastIndex((other, index) => index < at && other.handle !== undefined);
    const names = this.#frames.slice(above + 1, at + 1).map(({ name }) => name);
    const handle = (this.#frames[above]?.handle ?? this.#start.handle).openThrough(names);
    frame.handle = handle;
    this.#closeFarAncestor();
    return handle;
  }

  /** Makes the frame's entries of what passes the filters. */
  #choose(frame: Frame<S>, listing: Listing): void {
    frame.listing = this.#filtered(frame, listing);
    frame.wanted = this.#query.select.wanted(frame.state, frame.listing.texts, frame.listing.kinds);
  }

  #isOfType(kind: Kind): boolean {
    return this.#query.type === 'any' || kind === this.#query.type;
  }

  /** The listing without what is hidden, blocked or excluded; the listing itself when nothing is. */
  #filtered(frame: Frame<S>, listing: Listing): Listing {
    const { length } = listing.names;
    let at = 0;
    while (at < length && this.#passes(frame, listing, at)) at += 1;
    if (at === length) return listing;
    const kept = Array.from({ length: at }, (_, before) => before);
    for (at += 1; at < length; at += 1) {
      if (this.#passes(frame, listing, at)) kept.push(at);
    }
    return {
      names: kept.map((index) => listing.names[index] ?? ''),
      texts: kept.map((index) => listing.texts[index] ?? ''),
      kinds: kept.map((index) => listing.kinds[index] ?? 'other'),
    };
  }

  #passes(frame: Frame<S>, { kinds, names, texts }: Listing, at: number): boolean {
    const name = names[at] ?? '';
    const text = texts[at] ?? '';
    if (!this.#query.hidden && name.charCodeAt(0) === DOT) return false;
    const verdict = frame.filter.verdict(text, kinds[at] === 'directory');
    if (verdict === 'blocked') return false;
    if (verdict !== 'excluded' || this.#isExempt(frame, text)) return true;
    this.#skip('excluded', `${frame.path}/${name}`);
    return false;
  }

  #isExempt(frame: Frame<S>, text: string): boolean {
    if (this.#query.isExempt === undefined) return false;
    const top = this.#frames[0]?.text ?? frame.text;
    return this.#query.isExempt(`${frame.text}/${text}`.slice(top.length + 1).split('/'));
  }

  #found(frame: Frame<S>, at: number, kind: Kind): Found {
    const name = frame.listing.names[at] ?? '';
    const text = frame.listing.texts[at] ?? '';
    const path = `${frame.path}/${name}`;
    const shown = frame.text === frame.path && text === name ? path : `${frame.text}/${text}`;
    if (!this.#query.details) return { path, text: shown, kind, details: undefined };
    return { path, text: shown, kind, details: this.#detailsOf(frame, name) };
  }

  #detailsOf(frame: Frame<S>, name: Bytes): Details | undefined {
    try {
      return this.#handleOf(frame).details(name);
    } catch {
      return undefined;
    }
  }
}

function pathOf(names: readonly Bytes[]): Bytes {
  return names.length === 0 ? '' : `/${names.join('/')}`;
}
