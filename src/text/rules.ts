import type { Glob, GlobState } from './glob.ts';

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
type RuleTarget = { name: (name: string) => boolean } | { path: Glob };

/** What the rules know of a folder: the state of each of their globs, and what that means for names in it. */
export class RulesState {
  readonly globs: readonly (GlobState | undefined)[];
  readonly ofFiles = new Memo<number>();
  readonly ofFolders = new Memo<number>();
  readonly below = new Memo<RulesState>();

  constructor(globs: readonly (GlobState | undefined)[]) {
    this.globs = globs;
  }
}

/** States that are kept, with what they remember; most folders of a tree are in one of very few. */
const MAX_STATES = 16;
const MAX_REMEMBERED = 8192;
const NONE = -1;

/** Remembers what was worked out for a name; forgets all when there are too many. */
class Memo<T> {
  readonly #known = new Map<string, T>();

  get(name: string, workOut: () => T): T {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const value = workOut();
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(name, value);
    return value;
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
  readonly #states: RulesState[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.isEmpty = rules.length === 0;
    this.#onPaths = rules.flatMap((rule, index) => ('path' in rule ? [index] : []));
    this.start = this.#stateOf(this.#onPaths.map((index) => startOf(rules[index])));
  }

  /** The state of the folder `name` inside a folder in `state`. */
  enter(state: RulesState, name: string): RulesState {
    return state.globs.length === 0 ? state : state.below.get(name, () => this.#enter(state, name));
  }

  /** True when the entry `name` is hit, false when it is taken back, undefined when no rule speaks of it. */
  verdict(state: RulesState, name: string, isDirectory: boolean): boolean | undefined {
    if (this.isEmpty) return undefined;
    const known = isDirectory ? state.ofFolders : state.ofFiles;
    const last = known.get(name, () => this.#lastMatch(state, name, isDirectory));
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
    const state = new RulesState(globs);
    if (this.#states.length < MAX_STATES) this.#states.push(state);
    return state;
  }

  #lastMatch({ globs }: RulesState, name: string, isDirectory: boolean): number {
    let path = this.#onPaths.length - 1;
    for (let index = this.#rules.length - 1; index >= 0; index -= 1) {
      const rule = this.#rules[index];
      const isOnPath = index === this.#onPaths[path];
      const glob = isOnPath ? globs[path] : undefined;
      if (isOnPath) path -= 1;
      if (
        rule !== undefined &&
        (isDirectory || rule.directoryOnly !== true) &&
        matches(rule, glob, name, isDirectory)
      ) {
        return index;
      }
    }
    return NONE;
  }
}

function startOf(rule: Rule | undefined): GlobState | undefined {
  return rule !== undefined && 'path' in rule ? rule.path.start : undefined;
}

function matches(rule: Rule, state: GlobState | undefined, name: string, isDirectory: boolean): boolean {
  if ('name' in rule) return rule.name(name);
  if (state === undefined) return false;
  const after = rule.path.step(state, name);
  return after !== undefined && rule.path.accepts(after, isDirectory);
}
