import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { Busy } from '../errors.ts';
import type { Rules, RulesState } from '../text/rules.ts';
import { shorten, toVirtual } from './asked-path.ts';
import type { Handle } from './handle.ts';
import { IgnoreStack } from './ignored.ts';
import { isKernelInterface } from './mounts.ts';
import { type Bytes, toText } from './names.ts';
import type { Policy, PolicyPosition } from './policy.ts';
import { type Located, toPathError } from './resolve.ts';
import type { Root } from './root.ts';

export type Kind = 'file' | 'directory' | 'symlink' | 'other';

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
  /** The entry's own, never a link target's; absent when it was not asked for or the entry is gone. */
  stats?: Stats;
}

/** Chooses among the entries of folders; `S` is what it knows of a folder. */
export interface Select<S> {
  readonly start: S;
  /** For each entry of a folder in state `state`: whether it is wanted. */
  wanted(state: S, entries: readonly Met[]): readonly boolean[];
  /** The state of the folder `name`; undefined when nothing below it is wanted. */
  enter(state: S, name: string): S | undefined;
}

/** An entry as it is chosen by. */
export interface Met {
  /** Its name, decoded. */
  readonly text: string;
  readonly kind: Kind;
}

export interface WalkQuery<S> {
  /** `path`: depth first, names in code-point order; a folder stands before what it holds. `none`: as found. */
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

const BATCH = 256;
/** Folders read before a batch is handed over although it is not full. */
const FOLDERS_PER_BATCH = 64;
/** Descriptors that one walk may hold; ancestors beyond are closed and opened again. */
const MAX_OPEN = 48;

interface Frame<S> {
  handle: Handle | undefined;
  name: Bytes;
  path: Bytes;
  text: string;
  depth: number;
  device: number;
  state: S;
  excluded: RulesState;
  /** The folder's position in the policy as asked, and as it really lies when a link led to the start. */
  policy: readonly PolicyPosition[];
  ignored: IgnoreStack | undefined;
  entries: readonly Candidate[];
  next: number;
}

/** An entry that passed the filters: to be shown, to be entered, or both. */
interface Candidate {
  name: Bytes;
  text: string;
  kind: Kind;
  wanted: boolean;
  below: Below | undefined;
}

/** What is needed to enter a folder. */
interface Below {
  state: unknown;
}

/**
 * Walks the tree below a folder without ever following a link. Every folder is
 * opened under the one before it, so that a name swapped for a link during the
 * walk ends that branch and leads nowhere. Blocked entries are passed by
 * uncounted; what else is left out is counted once, with all below it.
 *
 * Yields batches, possibly empty ones: a consumer that takes its time between
 * them shares the thread. Ends early when it is returned, and closes what it holds.
 */
export function* walk<S>(
  root: Root,
  policy: Policy,
  start: Located,
  query: WalkQuery<S>,
  skip: Skip,
): Generator<Found[], void> {
  const run = new Walk(root, policy, start, query, skip);
  try {
    yield* run.batches();
  } finally {
    run.close();
  }
}

class Walk<S> {
  readonly #root: Root;
  readonly #policy: Policy;
  readonly #start: Located;
  readonly #query: WalkQuery<S>;
  readonly #skip: Skip;
  readonly #frames: Frame<S>[] = [];

  constructor(root: Root, policy: Policy, start: Located, query: WalkQuery<S>, skip: Skip) {
    this.#root = root;
    this.#policy = policy;
    this.#start = start;
    this.#query = query;
    this.#skip = skip;
  }

  *batches(): Generator<Found[], void> {
    let batch: Found[] = [];
    let folders = 0;
    this.#enterStart();
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      const candidate = frame.entries[frame.next];
      frame.next += 1;
      if (candidate === undefined) {
        this.#leave();
        continue;
      }
      if (candidate.wanted) batch.push(this.#found(frame, candidate));
      folders += this.#enterIfWanted(frame, candidate);
      if (batch.length < BATCH && folders < FOLDERS_PER_BATCH) continue;
      yield batch;
      batch = [];
      folders = 0;
    }
    if (batch.length > 0) yield batch;
  }

  close(): void {
    while (this.#frames.length > 0) this.#leave();
  }

  #enterStart(): void {
    const { handle, shown, real, stats } = this.#start;
    const path = shown.length === 0 ? '' : `/${shown.join('/')}`;
    const sameName = shown.length === real.length && shown.every((name, at) => name === real[at]);
    const frame: Frame<S> = {
      handle,
      name: '',
      path,
      text: toText(path),
      depth: 1,
      device: stats.dev,
      state: this.#query.select.start,
      excluded: this.#query.exclude.start,
      policy: (sameName ? [shown] : [shown, real]).map((segments) => this.#policy.at(segments)),
      ignored: this.#query.gitignore ? IgnoreStack.at(this.#root.handle, real) : undefined,
      entries: [],
      next: 0,
    };
    // The start is asked for by name: that it cannot be read is the answer, and nothing to pass by.
    this.#list(frame, this.#readStart());
    this.#frames.push(frame);
  }

  #readStart(): Dirent[] {
    try {
      return readEntries(this.#start.handle);
    } catch (cause) {
      throw toPathError(cause, shorten(toText(toVirtual(this.#start.shown))));
    }
  }

  /** Enters a folder that there is something to look for in; tells how many were entered. */
  #enterIfWanted(parent: Frame<S>, candidate: Candidate): 0 | 1 {
    if (candidate.below === undefined) return 0;
    this.#enter(parent, candidate, candidate.below.state as S);
    return 1;
  }

  #enter(parent: Frame<S>, { name, text }: Candidate, state: S): void {
    const handle = this.#openBelow(parent, name);
    if (handle === undefined) return;
    const frame: Frame<S> = {
      handle,
      name,
      path: `${parent.path}/${name}`,
      text: `${parent.text}/${text}`,
      depth: parent.depth + 1,
      device: parent.device,
      state,
      excluded: this.#query.exclude.enter(parent.excluded, text),
      policy: parent.policy.map((position) => position.enter(text)),
      ignored: parent.ignored,
      entries: [],
      next: 0,
    };
    this.#frames.push(frame);
    this.#closeFarAncestor();
    try {
      const { dev } = handle.stats();
      if (dev !== parent.device && isKernelInterface(handle)) return;
      frame.device = dev;
      frame.ignored = parent.ignored?.enter(handle, text);
      this.#list(frame, readEntries(handle));
    } catch (error) {
      this.#pass(error, frame.path);
    }
  }

  #openBelow(parent: Frame<S>, name: Bytes): Handle | undefined {
    try {
      return this.#handleOf(parent).openDirectory(name);
    } catch (error) {
      this.#pass(error, `${parent.path}/${name}`);
      return undefined;
    }
  }

  /** A folder or file that cannot be read is counted; one that is gone, or a link by now, is as if it had not been met. */
  #pass(error: unknown, path: Bytes): void {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EMFILE' || code === 'ENFILE') {
      throw new Busy('The service has no file descriptor left for this request. Try again in a moment.', {
        cause: error,
      });
    }
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return;
    if (code === undefined) throw error;
    this.#skip('unreadable', path);
  }

  #leave(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined && this.#frames.length > 0) frame.handle?.close();
  }

  #closeFarAncestor(): void {
    const far = this.#frames.at(-MAX_OPEN);
    if (far === undefined || far === this.#frames[0]) return;
    far.handle?.close();
    far.handle = undefined;
  }

  /** The frame's folder, opened again under the nearest ancestor that is still held when it was closed. */
  #handleOf(frame: Frame<S>): Handle {
    if (frame.handle !== undefined) return frame.handle;
    const at = this.#frames.indexOf(frame);
    const above = this.#frames.findLastIndex((other, index) => index < at && other.handle !== undefined);
    const names = this.#frames.slice(above + 1, at + 1).map(({ name }) => name);
    frame.handle = (this.#frames[above]?.handle ?? this.#start.handle).openThrough(names);
    return frame.handle;
  }

  #list(frame: Frame<S>, dirents: Dirent[]): void {
    const met = dirents.length === 0 ? [] : this.#pick(frame, dirents);
    if (this.#query.order === 'path') met.sort(byName);
    const wanted = this.#query.select.wanted(frame.state, met);
    for (const [at, entry] of met.entries()) {
      entry.wanted = wanted[at] === true && (this.#query.type === 'any' || entry.kind === this.#query.type);
      entry.below = this.#belowOf(frame, entry);
    }
    frame.entries = met.filter((entry) => entry.wanted || entry.below !== undefined);
  }

  #pick(frame: Frame<S>, dirents: Dirent[]): Candidate[] {
    const met: Candidate[] = [];
    for (const dirent of dirents) {
      const name = dirent.name;
      const text = toText(name);
      if (!this.#query.hidden && name.startsWith('.')) continue;
      if (frame.policy.some((position) => position.blocks(text))) continue;
      const kind = kindOf(dirent);
      if (this.#isLeftOut(frame, name, text, kind)) continue;
      met.push({ name, text, kind, wanted: false, below: undefined });
    }
    return met;
  }

  #isLeftOut(frame: Frame<S>, name: Bytes, text: string, kind: Kind): boolean {
    const isDirectory = kind === 'directory';
    if (this.#query.exclude.verdict(frame.excluded, text, isDirectory) === true && !this.#isExempt(frame, text)) {
      this.#skip('excluded', `${frame.path}/${name}`);
      return true;
    }
    if (frame.ignored?.ignores(text, isDirectory) === true) {
      this.#skip('ignored', `${frame.path}/${name}`);
      return true;
    }
    return false;
  }

  #isExempt(frame: Frame<S>, text: string): boolean {
    if (this.#query.isExempt === undefined) return false;
    const top = this.#frames[0]?.text ?? frame.text;
    return this.#query.isExempt(`${frame.text}/${text}`.slice(top.length + 1).split('/'));
  }

  #belowOf(frame: Frame<S>, entry: Candidate): Below | undefined {
    if (entry.kind !== 'directory' || frame.depth >= this.#query.depth) return undefined;
    const state = this.#query.select.enter(frame.state, entry.text);
    return state === undefined ? undefined : { state };
  }

  #found(frame: Frame<S>, { name, text, kind }: Candidate): Found {
    const found: Found = { path: `${frame.path}/${name}`, text: `${frame.text}/${text}`, kind };
    if (!this.#query.details) return found;
    const stats = this.#statOf(frame, name);
    return stats === undefined ? found : { ...found, stats };
  }

  #statOf(frame: Frame<S>, name: Bytes): Stats | undefined {
    try {
      return lstatSync(this.#handleOf(frame).entry(name), { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }
}

/** The entries of the held folder, with names in bytes. */
export function readEntries(folder: Handle): Dirent[] {
  try {
    return readdirSync(folder.self, { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // On a file system that does not tell types, Node stats each name as if it were UTF-8 text.
    const dirents = readdirSync(folder.self, { withFileTypes: true, encoding: 'buffer' });
    return dirents.map((dirent) => Object.assign(Object.create(dirent), { name: dirent.name.toString('latin1') }));
  }
}

export function kindOf(entry: Dirent | Stats): Kind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

function byName(a: Candidate, b: Candidate): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
