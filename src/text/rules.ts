import type { Glob, GlobState } from './glob.ts';
import type { Ends, Segment } from './segment.ts';

/**
 * One line of a list of patterns: a policy, an ignore file, an includeGlob or
 * an excludeGlob. A rule on names matches the last segment of a path at any
 * depth; a rule on paths is a glob over all segments.
 */
export type Rule = RuleTarget & {
  /** A hit takes back what earlier rules hit. */
  negated?: boolean;
  directoryOnly?: boolean;
};
type RuleTarget = { name: Pick<Segment, 'matches' | 'ends'> } | { path: Glob };

/** What the rules know of a folder: the state of each of their globs, and what that means for names in it. */
export class RulesState {
  readonly globs: readonly (GlobState | undefined)[];
  /** False when there are many states already: this one remembers nothing and is not remembered. */
  readonly isKept: boolean;
  readonly ofFiles = new Memo<number>();
  readonly ofFolders = new Memo<number>();
  readonly below = new Memo<RulesState>();
  /** Places of the rules that may hit a name, in the order in which they are asked, by how the name begins and ends. */
  readonly candidates = new Map<number, readonly number[]>();
  /** For each rule how the names begin and end that it hits here; undefined until the first name is asked for. */
  ends: readonly (Ends | undefined)[] | undefined;

  constructor(globs: readonly (GlobState | undefined)[], isKept: boolean) {
    this.globs = globs;
    this.isKept = isKept;
  }
}

/** States that are kept, with what they remember; most folders of a tree are in one of very few. */
const MAX_STATES = 16;
const MAX_REMEMBERED = 8192;
/** Beyond this number of rules all are candidates: lists of them would take memory, and an agent may write as many as it likes. */
const MAX_SORTED = 256;
const MAX_CANDIDATE_LISTS = 512;
const NONE = -1;

/** Remembers what was worked out for a name; forgets all when there are too many. */
class Memo<T> {
  readonly #known = new Map<string, T>();

  get(name: string): T | undefined {
    return this.#known.get(name);
  }

  keep(name: string, value: T): void {
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(name, value);
  }
}

/**
 * A list of rules in which the last one that matches decides, as in gitignore.
 * Advanced one segment at a time, so that a walk pays for a folder's part of a
 * path once and not for each of its entries.
 */
export class Rules {
  readonly start: RulesState;
  readonly isEmpty: boolean;
  readonly #rules: readonly Rule[];
  /** Places in `#rules`, in order, of those that hold a glob over paths. */
  readonly #onPaths: readonly number[];
  /** For each rule the place of its glob in a state, or NONE. */
  readonly #globPlaces: readonly number[];
  /** Places of all rules, the last one first: it decides. */
  readonly #all: readonly number[];
  readonly #states: RulesState[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.isEmpty = rules.length === 0;
    this.#onPaths = rules.flatMap((rule, index) => ('path' in rule ? [index] : []));
    const places = new Map(this.#onPaths.map((index, place) => [index, place]));
    this.#globPlaces = rules.map((_, index) => places.get(index) ?? NONE);
    this.#all = rules.map((_, index) => rules.length - 1 - index);
    this.start = this.#stateOf(this.#onPaths.map((index) => startOf(rules[index])));
  }

  /** The state of the folder `name` inside a folder in `state`. */
  enter(state: RulesState, name: string): RulesState {
    if (state.globs.length === 0) return state;
    const known = state.below.get(name);
    if (known !== undefined) return known;
    const below = this.#enter(state, name);
    if (state.isKept && below.isKept) state.below.keep(name, below);
    return below;
  }

  /** True when the entry `name` is hit, false when it is taken back, undefined when no rule speaks of it. */
  verdict(state: RulesState, name: string, isDirectory: boolean): boolean | undefined {
    if (this.isEmpty) return undefined;
    const candidates = this.#candidates(state, name);
    if (candidates.length === 0) return undefined;
    const known = isDirectory ? state.ofFolders : state.ofFiles;
    let last = known.get(name);
    if (last === undefined) {
      last = this.#lastMatch(candidates, state, name, isDirectory);
      if (state.isKept) known.keep(name, last);
    }
    return last === NONE ? undefined : this.#rules[last]?.negated !== true;
  }

  #enter({ globs }: RulesState, name: string): RulesState {
    return this.#stateOf(
      globs.map((glob, at) => {
        const rule = this.#rules[this.#onPaths[at] ?? NONE];
        return rule !== undefined && 'path' in rule && glob !== undefined ? rule.path.step(glob, name) : undefined;
      }),
    );
  }

  #stateOf(globs: readonly (GlobState | undefined)[]): RulesState {
    const known = this.#states.find((state) => state.globs.every((glob, at) => glob === globs[at]));
    if (known !== undefined) return known;
    const state = new RulesState(globs, this.#states.length < MAX_STATES);
    if (state.isKept) this.#states.push(state);
    return state;
  }

  /** The rules that may hit the name. Most names begin or end as none of them does. */
  #candidates(state: RulesState, name: string): readonly number[] {
    if (name === '' || !state.isKept || this.#rules.length > MAX_SORTED) return this.#all;
    const first = name.charCodeAt(0);
    const last = name.charCodeAt(name.length - 1);
    const key = first * 0x10000 + last;
    const known = state.candidates.get(key);
    if (known !== undefined) return known;
    state.ends ??= this.#rules.map((rule, index) => endsOf(rule, state.globs[this.#globPlaces[index] ?? NONE]));
    const { ends } = state;
    const candidates = this.#all.filter((index) => mayHit(ends[index], first, last));
    if (state.candidates.size >= MAX_CANDIDATE_LISTS) state.candidates.clear();
    state.candidates.set(key, candidates);
    return candidates;
  }

  #lastMatch(candidates: readonly number[], { globs }: RulesState, name: string, isDirectory: boolean): number {
    for (const index of candidates) {
      const rule = this.#rules[index];
      if (rule === undefined || (rule.directoryOnly === true && !isDirectory)) continue;
      if (matches(rule, globs[this.#globPlaces[index] ?? NONE], name, isDirectory)) return index;
    }
    return NONE;
  }
}

function startOf(rule: Rule | undefined): GlobState | undefined {
  return rule !== undefined && 'path' in rule ? rule.path.start : undefined;
}

/** How names begin and end that the rule hits; undefined when it hits none. */
function endsOf(rule: Rule, glob: GlobState | undefined): Ends | undefined {
  if ('name' in rule) return rule.name.ends;
  return glob === undefined ? undefined : rule.path.endsOfHits(glob);
}

function mayHit(ends: Ends | undefined, first: number, last: number): boolean {
  return ends !== undefined && (ends.first ?? first) === first && (ends.last ?? last) === last;
}

function matches(rule: Rule, state: GlobState | undefined, name: string, isDirectory: boolean): boolean {
  if ('name' in rule) return rule.name.matches(name);
  if (state === undefined) return false;
  const after = rule.path.step(state, name);
  return after !== undefined && rule.path.accepts(after, isDirectory);
}
