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
type RuleTarget = { name: NameTest } | { path: Glob };
type NameTest = Pick<Segment, 'matches' | 'ends' | 'cost'>;

/** A rule with all its members, whatever it is about: where many are asked, those of one shape are read faster. */
interface WholeRule {
  readonly name: NameTest | undefined;
  readonly path: Glob | undefined;
  readonly negated: boolean;
  readonly directoryOnly: boolean;
}

/** What the rules know of a folder: the state of each of their globs, and what that means for names in it. */
export class RulesState {
  readonly globs: readonly (GlobState | undefined)[];
  /** False when there are many states already: this one remembers nothing and is not remembered. */
  readonly isKept: boolean;
  readonly ofFiles = new Memo<number>();
  readonly ofFolders = new Memo<number>();
  readonly below = new Memo<RulesState>();
  /** The rules that may hit a name, by how the name begins and ends. */
  readonly candidates = new Map<number, Candidates>();
  /** For each rule how the names begin and end that it hits here; undefined until the first name is asked for. */
  ends: readonly (Ends | undefined)[] | undefined;

  constructor(globs: readonly (GlobState | undefined)[], isKept: boolean) {
    this.globs = globs;
    this.isKept = isKept;
  }
}

interface Candidates {
  /** Of the rules, in the order in which they are asked. */
  readonly places: readonly number[];
  /** Whether it takes longer to ask them than to remember what they said. */
  readonly areDear: boolean;
}

/** Steps that asking rules on names may take, before what they say of a name is remembered. */
const CHEAP = 8;
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
  readonly #rules: readonly WholeRule[];
  /** Places in `#rules`, in order, of those that hold a glob over paths. */
  readonly #onPaths: readonly number[];
  /** For each rule the place of its glob in a state, or NONE. */
  readonly #globPlaces: readonly number[];
  /** All rules, the last one first: it decides. */
  readonly #all: Candidates;
  readonly #states: RulesState[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules.map(wholeOf);
    this.isEmpty = rules.length === 0;
    this.#onPaths = this.#rules.flatMap(({ path }, index) => (path === undefined ? [] : [index]));
    const places = new Map(this.#onPaths.map((index, place) => [index, place]));
    this.#globPlaces = rules.map((_, index) => places.get(index) ?? NONE);
    this.#all = { places: rules.map((_, index) => rules.length - 1 - index), areDear: true };
    this.start = this.#stateOf(this.#onPaths.map((index) => this.#rules[index]?.path?.start));
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
    if (candidates.places.length === 0) return undefined;
    const last = candidates.areDear
      ? this.#rememberedMatch(candidates, state, name, isDirectory)
      : this.#lastMatch(candidates, state, name, isDirectory);
    return last === NONE ? undefined : this.#rules[last]?.negated === false;
  }

  #rememberedMatch(candidates: Candidates, state: RulesState, name: string, isDirectory: boolean): number {
    const memo = isDirectory ? state.ofFolders : state.ofFiles;
    const known = memo.get(name);
    if (known !== undefined) return known;
    const last = this.#lastMatch(candidates, state, name, isDirectory);
    if (state.isKept) memo.keep(name, last);
    return last;
  }

  #enter({ globs }: RulesState, name: string): RulesState {
    return this.#stateOf(
      globs.map((glob, at) => {
        const path = this.#rules[this.#onPaths[at] ?? NONE]?.path;
        return path === undefined || glob === undefined ? undefined : path.step(glob, name);
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
  #candidates(state: RulesState, name: string): Candidates {
    if (name === '' || !state.isKept || this.#rules.length > MAX_SORTED) return this.#all;
    const first = name.charCodeAt(0);
    const last = name.charCodeAt(name.length - 1);
    const key = first * 0x10000 + last;
    const known = state.candidates.get(key);
    if (known !== undefined) return known;
    state.ends ??= this.#rules.map((rule, index) => endsOf(rule, state.globs[this.#globPlaces[index] ?? NONE]));
    const { ends } = state;
    const places = this.#all.places.filter((index) => mayHit(ends[index], first, last));
    const candidates = { places, areDear: this.#stepsOf(places) > CHEAP };
    if (state.candidates.size >= MAX_CANDIDATE_LISTS) state.candidates.clear();
    state.candidates.set(key, candidates);
    return candidates;
  }

  #stepsOf(places: readonly number[]): number {
    return places.reduce((sum, index) => sum + costOf(this.#rules[index]), 0);
  }

  #lastMatch({ places }: Candidates, { globs }: RulesState, name: string, isDirectory: boolean): number {
    for (const index of places) {
      const rule = this.#rules[index];
      if (rule === undefined || (rule.directoryOnly && !isDirectory)) continue;
      if (matches(rule, globs[this.#globPlaces[index] ?? NONE], name, isDirectory)) return index;
    }
    return NONE;
  }
}

function wholeOf(rule: Rule): WholeRule {
  return {
    name: 'name' in rule ? rule.name : undefined,
    path: 'path' in rule ? rule.path : undefined,
    negated: rule.negated === true,
    directoryOnly: rule.directoryOnly === true,
  };
}

/** What it takes at worst to ask the rule, in steps; a glob over paths may be as dear as it likes. */
function costOf(rule: WholeRule | undefined): number {
  return rule?.name?.cost ?? Number.POSITIVE_INFINITY;
}

/** How names begin and end that the rule hits; undefined when it hits none. */
function endsOf({ name, path }: WholeRule, glob: GlobState | undefined): Ends | undefined {
  if (name !== undefined) return name.ends;
  return glob === undefined ? undefined : path?.endsOfHits(glob);
}

function mayHit(ends: Ends | undefined, first: number, last: number): boolean {
  return ends !== undefined && (ends.first ?? first) === first && (ends.last ?? last) === last;
}

function matches(
  { name: test, path }: WholeRule,
  state: GlobState | undefined,
  name: string,
  isDirectory: boolean,
): boolean {
  if (test !== undefined) return test.matches(name);
  if (state === undefined || path === undefined) return false;
  const after = path.step(state, name);
  return after !== undefined && path.accepts(after, isDirectory);
}
