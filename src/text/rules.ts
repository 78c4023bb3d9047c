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

/** What the path rules know of a folder: the state of each of their globs. */
export type RulesState = readonly (GlobState | undefined)[];

const NO_PATHS: RulesState = [];
const MEMO_SIZE = 20_000;

/**
 * A list of rules in which the last one that matches decides, as in gitignore.
 * Advanced one segment at a time, so that a walk pays for a folder's part of a
 * path once and not for each of its entries.
 */
export class Rules {
  readonly start: RulesState;
  readonly #rules: readonly Rule[];
  readonly #onNames: readonly number[];
  readonly #onPaths: readonly number[];
  readonly #memo = new Map<string, number>();

  constructor(rules: readonly Rule[]) {
    const indices = rules.map((_, index) => index);
    this.#rules = rules;
    this.#onNames = indices.filter((index) => isNameRule(rules[index]) && rules[index]?.directoryOnly !== true);
    this.#onPaths = indices.filter((index) => !this.#onNames.includes(index));
    this.start = this.#onPaths.length === 0 ? NO_PATHS : this.#onPaths.map((index) => startOf(rules[index]));
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** The state of the folder `name` inside a folder in `state`. */
  enter(state: RulesState, name: string): RulesState {
    if (state.length === 0) return state;
    return state.map((glob, at) => {
      const rule = this.#rules[this.#onPaths[at] ?? -1];
      return rule !== undefined && 'path' in rule && glob !== undefined ? rule.path.step(glob, name) : undefined;
    });
  }

  /** True when the entry `name` is hit, false when it is taken back, undefined when no rule speaks of it. */
  verdict(state: RulesState, name: string, isDirectory: boolean): boolean | undefined {
    const byName = this.#lastOnNames(name);
    const byPath = state.length === 0 && this.#onPaths.length === 0 ? -1 : this.#lastOnPaths(state, name, isDirectory);
    const rule = this.#rules[Math.max(byName, byPath)];
    return rule === undefined ? undefined : rule.negated !== true;
  }

  #lastOnNames(name: string): number {
    const known = this.#memo.get(name);
    if (known !== undefined) return known;
    const last = this.#onNames.findLast((index) => matchesName(this.#rules[index], name)) ?? -1;
    if (this.#memo.size >= MEMO_SIZE) this.#memo.clear();
    this.#memo.set(name, last);
    return last;
  }

  #lastOnPaths(state: RulesState, name: string, isDirectory: boolean): number {
    for (let at = this.#onPaths.length - 1; at >= 0; at -= 1) {
      const index = this.#onPaths[at] ?? -1;
      const rule = this.#rules[index];
      if (
        rule !== undefined &&
        (isDirectory || rule.directoryOnly !== true) &&
        matches(rule, state[at], name, isDirectory)
      ) {
        return index;
      }
    }
    return -1;
  }
}

function isNameRule(rule: Rule | undefined): boolean {
  return rule !== undefined && 'name' in rule;
}

function startOf(rule: Rule | undefined): GlobState | undefined {
  return rule !== undefined && 'path' in rule ? rule.path.start : undefined;
}

function matchesName(rule: Rule | undefined, name: string): boolean {
  return rule !== undefined && 'name' in rule && rule.name(name);
}

function matches(rule: Rule, state: GlobState | undefined, name: string, isDirectory: boolean): boolean {
  if ('name' in rule) return rule.name(name);
  if (state === undefined) return false;
  const after = rule.path.step(state, name);
  return after !== undefined && rule.path.accepts(after, isDirectory);
}
