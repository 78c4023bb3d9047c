import type { Handle } from './handle.ts';
import type { IgnoreStack } from './ignored.ts';
import type { Listing } from './listing.ts';
import type { NameFilter } from './name-filter.ts';
import type { Bytes } from './names.ts';
import type { Proof } from './tree-cache.ts';

const NOTHING: Listing = { names: [], texts: [], kinds: [] };
const NONE: readonly boolean[] = [];

/** Where a folder lies, what a selection (`S`) knows of it, and what of its names is let through. */
export type Place<S> = Pick<Frame<S>, 'name' | 'path' | 'text' | 'depth' | 'state' | 'filter'>;

/** A folder on the way of a walk: not read yet, or read as far as `next`. */
export class Frame<S> {
  handle: Handle | undefined;
  readonly name: Bytes;
  /** As shown. */
  readonly path: Bytes;
  /** `path`, decoded; the very same string when all of it is ASCII. */
  readonly text: string;
  readonly depth: number;
  device: number;
  /** What the times of folders on this device prove. */
  proof: Proof;
  readonly state: S;
  readonly filter: NameFilter;
  ignored: IgnoreStack | undefined;
  /** What passed the filter and the rest. */
  listing = NOTHING;
  /** For each entry of `listing`, whether the selection wants it. */
  wanted = NONE;
  /** The entry of `listing` that is next. */
  next = 0;
  /** Folders from this entry on are given to another walk. */
  enterBefore = Number.POSITIVE_INFINITY;

  constructor({ name, path, text, depth, state, filter }: Place<S>, device: number, proof: Proof) {
    this.name = name;
    this.path = path;
    this.text = text;
    this.depth = depth;
    this.device = device;
    this.proof = proof;
    this.state = state;
    this.filter = filter;
  }

  /** The frame of the folder `name` in this one, which a selection knows as `state`. */
  below(name: Bytes, text: string, state: S): Frame<S> {
    const path = `${this.path}/${name}`;
    const isAscii = this.text === this.path && text === name;
    return new Frame(
      {
        name,
        path,
        text: isAscii ? path : `${this.text}/${text}`,
        depth: this.depth + 1,
        state,
        filter: this.filter.enter(text),
      },
      this.device,
      this.proof,
    );
  }

  /** The entries of the listing that are folders to be entered later. */
  foldersAhead(): number[] {
    const end = Math.min(this.enterBefore, this.listing.kinds.length);
    const ahead: number[] = [];
    for (let at = this.next; at < end; at += 1) {
      if (this.listing.kinds[at] === 'directory') ahead.push(at);
    }
    return ahead;
  }
}
