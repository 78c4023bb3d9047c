import type { Rules, RulesState } from '../text/rules.ts';
import type { PolicyPosition } from './policy.ts';

/** What becomes of a name that a walk meets: it is passed by as if it were not there, left out and counted, or taken. */
export type Verdict = 'blocked' | 'excluded' | 'open';

/** Folders are remembered up to this number; then all are forgotten. */
const MAX_REMEMBERED = 8192;

/**
 * What the policy and a request's exclusions say of the names in a folder.
 * Most folders of a tree stand alike to both and share one filter.
 */
export class NameFilter {
  readonly #policy: readonly PolicyPosition[];
  readonly #exclude: Rules;
  readonly #state: RulesState;
  readonly #below = new Map<string, NameFilter>();

  /** The filter of a folder at these positions in the policy: as it was asked for and, behind a link, as it really lies. */
  constructor(policy: readonly PolicyPosition[], exclude: Rules, state: RulesState) {
    this.#policy = policy;
    this.#exclude = exclude;
    this.#state = state;
  }

  verdict(name: string, isDirectory: boolean): Verdict {
    for (const position of this.#policy) {
      if (position.blocks(name)) return 'blocked';
    }
    return this.#exclude.verdict(this.#state, name, isDirectory) === true ? 'excluded' : 'open';
  }

  /** The filter of the folder `name` in this one. */
  enter(name: string): NameFilter {
    const known = this.#below.get(name);
    if (known !== undefined) return known;
    const policy = this.#policy.map((position) => position.enter(name));
    const state = this.#exclude.enter(this.#state, name);
    const isSame = state === this.#state && policy.every((position, at) => position === this.#policy[at]);
    const below = isSame ? this : new NameFilter(policy, this.#exclude, state);
    if (this.#below.size >= MAX_REMEMBERED) this.#below.clear();
    this.#below.set(name, below);
    return below;
  }
}
