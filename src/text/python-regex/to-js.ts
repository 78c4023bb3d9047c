import type { Alphabet } from './alphabet.ts';
import {
  type ConditionalNode,
  childrenOf,
  nodesOf,
  type PlaceNode,
  type ReferenceNode,
  type RegexNode,
  type RepeatNode,
} from './ast.ts';
import {
  branchingNodes,
  type Captured,
  groupsAskedFor,
  groupsWithin,
  inLaterTurn,
  meet,
  NOTHING_CAPTURED,
  withGroup,
} from './captured.ts';
import { classSource } from './class-source.ts';
import { hasEmptyTurns, ordersEmptyTurns } from './empty-turns.ts';
import { unsupportedFault } from './fault.ts';
import { countSource, lookSource, NEVER, placeSource, unitEscape } from './js-syntax.ts';

/** Where a node stands: what is known of the groups, and whether only the first way to match counts. */
interface Scope {
  readonly captured: Captured;
  readonly committed: boolean;
}

/** Writes what follows a node in its scope, by what the node has captured. */
type Rest = (captured: Captured) => string;

const MAX_NODES_WRITTEN = 4000;
// V8 compiles 16 levels in 3 ms, 40 in 100 ms and 99 in 10 s, which nothing can interrupt.
const MAX_REPEAT_DEPTH = 16;

/**
 * The source of a JavaScript regular expression, without flags, that finds a match in the same names spelled
 * by `alphabet`. The order in which Python tries is kept, so that what is atomic keeps the same text.
 *
 * JavaScript lets a reference to a group that took no part match the empty text, where Python fails, and
 * forgets groups at each turn of a repeat, where Python keeps them. So what depends on a group is written
 * once for each way to reach it; `PATTERN_INVALID` where that cannot be done, out of a repeat, or would be
 * too long.
 */
export function toJs(tree: RegexNode, alphabet: Alphabet): string {
  const [outermost] = [...nodesOf(tree)].filter((node) => node.type === 'repeat');
  if (outermost !== undefined && repeatDepth(tree) > MAX_REPEAT_DEPTH) throw tooDeep(outermost);
  return new Writer(tree, alphabet).write();
}

function repeatDepth(node: RegexNode): number {
  const below = Math.max(0, ...childrenOf(node).map(repeatDepth));
  return node.type === 'repeat' && node.max > 1 ? below + 1 : below;
}

class Writer {
  readonly #tree: RegexNode;
  readonly #alphabet: Alphabet;
  readonly #asked: ReadonlySet<number>;
  readonly #branching: ReadonlySet<RegexNode>;
  #names = 0;
  #written = 0;

  constructor(tree: RegexNode, alphabet: Alphabet) {
    this.#tree = tree;
    this.#alphabet = alphabet;
    this.#asked = groupsAskedFor(tree);
    this.#branching = branchingNodes(tree, this.#asked);
  }

  write(): string {
    return this.#then(this.#tree, { captured: NOTHING_CAPTURED, committed: false }, () => '');
  }

  #then(node: RegexNode, scope: Scope, rest: Rest): string {
    this.#written += 1;
    if (this.#written > MAX_NODES_WRITTEN) throw tooManyWays();
    const { captured } = scope;
    switch (node.type) {
      case 'set':
        return classSource(this.#alphabet.unitsOf(node.set), node.set.negated, unitEscape) + rest(captured);
      case 'place':
        return this.#place(node) + rest(captured);
      case 'reference':
        return this.#reference(node, captured) + rest(captured);
      case 'sequence':
        return this.#sequence(node.items, scope, rest);
      case 'alternation':
        return this.#alternation(node.branches, scope, rest);
      case 'conditional':
        return this.#conditional(node, scope, rest);
      case 'repeat':
        return this.#repeat(node, scope, rest);
      default:
        return this.#group(node, scope, rest);
    }
  }

  #sequence(items: readonly RegexNode[], { captured, committed }: Scope, rest: Rest): string {
    const from = (index: number, known: Captured): string => {
      const item = items[index];
      if (item === undefined) return rest(known);
      return this.#then(item, { captured: known, committed }, (after) => from(index + 1, after));
    };
    return from(0, captured);
  }

  #alternation(branches: readonly RegexNode[], scope: Scope, rest: Rest): string {
    const forks = branches.some((branch) => this.#branching.has(branch));
    const written = branches.map((branch) => (forks ? this.#then(branch, scope, rest) : this.#alone(branch, scope)));
    return `(?:${written.join('|')})${forks ? '' : rest(scope.captured)}`;
  }

  #conditional(node: ConditionalNode, scope: Scope, rest: Rest): string {
    const { group, position } = node;
    const tookPart = scope.captured.has(group);
    if (tookPart && scope.captured.get(group) === undefined) throw unknownGroup('conditional on', group, position);
    return this.#then(tookPart ? node.yes : node.no, scope, rest);
  }

  #reference({ group, position }: ReferenceNode, captured: Captured): string {
    if (!captured.has(group)) return NEVER;
    const name = captured.get(group);
    if (name === undefined) throw unknownGroup('back-reference to', group, position);
    return `\\k<${name}>`;
  }

  #place(node: PlaceNode): string {
    return placeSource(node, this.#alphabet);
  }

  #group(node: RegexNode & { type: 'capture' | 'atomic' | 'look' }, scope: Scope, rest: Rest): string {
    if (node.type === 'capture' && !this.#asked.has(node.group)) return this.#then(node.body, scope, rest);
    const commits = node.type === 'look' ? !node.negative && this.#branching.has(node.body) : scope.committed;
    const { source, after } = this.#within(node.body, {
      captured: scope.captured,
      committed: node.type === 'atomic' || commits,
    });
    switch (node.type) {
      case 'capture': {
        const name = this.#name();
        return `(?<${name}>${source})${rest(withGroup(after, node.group, name))}`;
      }
      case 'atomic':
        return this.#atomic(source) + rest(after);
      case 'look':
        return lookSource(node, source) + rest(node.negative ? scope.captured : after);
    }
  }

  #repeat(node: RepeatNode, scope: Scope, rest: Rest): string {
    if (node.max === 0) return rest(scope.captured);
    if (node.mode === 'possessive') return this.#possessive(node, scope, rest);
    const forks = this.#branching.has(node.body);
    if (node.max === 1) return this.#optional(node, scope, rest, forks);
    const lazy = node.mode === 'lazy' ? '?' : '';
    if (forks ? hasEmptyTurns(node) : scope.committed && ordersEmptyTurns(node)) throw emptyTurns(node);
    const { source, after } = this.#within(node.body, this.#laterTurn(node, scope));
    if (!forks) return `(?:${source})${countSource(node)}${lazy}${rest(scope.captured)}`;
    const some = `(?:${source})${countSource({ min: Math.max(1, node.min), max: node.max })}${lazy}${rest(after)}`;
    return node.min > 0 ? some : choice(node, some, rest(scope.captured));
  }

  // Written as a choice, because JavaScript refuses a turn of `?` that takes nothing and Python does not.
  #optional(node: RepeatNode, scope: Scope, rest: Rest, forks: boolean): string {
    if (node.min === 1) return this.#then(node.body, scope, rest);
    if (forks) return choice(node, this.#then(node.body, scope, rest), rest(scope.captured));
    return choice(node, this.#alone(node.body, scope), '') + rest(scope.captured);
  }

  // Python does not go back into a turn of a possessive repeat either.
  #possessive(node: RepeatNode, scope: Scope, rest: Rest): string {
    if (this.#branching.has(node.body) && hasEmptyTurns(node)) throw emptyTurns(node);
    const inTurn = node.max === 1 ? scope : this.#laterTurn(node, scope);
    const { source, after } = this.#within(node.body, { ...inTurn, committed: true });
    const turn = node.body.type === 'set' ? source : this.#atomic(source);
    const captured = node.min > 0 ? after : meet([scope.captured, after]);
    return this.#atomic(`(?:${turn})${countSource(node)}`) + rest(captured);
  }

  #laterTurn(node: RepeatNode, { captured, committed }: Scope): Scope {
    const groups = groupsWithin(node.body).filter((group) => this.#asked.has(group));
    return { captured: inLaterTurn(captured, groups), committed };
  }

  #alone(node: RegexNode, scope: Scope): string {
    return this.#then(node, scope, () => '');
  }

  #within(node: RegexNode, scope: Scope): { source: string; after: Captured } {
    const ways: Captured[] = [];
    const source = this.#then(node, scope, (captured) => {
      ways.push(captured);
      return '';
    });
    return { source, after: meet(ways) };
  }

  #atomic(source: string): string {
    const name = this.#name();
    return `(?:(?=(?<${name}>${source}))\\k<${name}>)`;
  }

  #name(): string {
    this.#names += 1;
    return `g${this.#names}`;
  }
}

function choice({ mode }: RepeatNode, taken: string, skipped: string): string {
  return mode === 'lazy' ? `(?:${skipped}|${taken})` : `(?:${taken}|${skipped})`;
}

function tooDeep({ position }: RepeatNode): Error {
  const construct = `more than ${MAX_REPEAT_DEPTH} repeats inside one another`;
  return unsupportedFault(position, construct, 'Send a flatter pattern.');
}

function emptyTurns({ position }: RepeatNode): Error {
  const construct = 'a repeat of what may be empty, where the way it matches counts,';
  return unsupportedFault(position, construct, 'Repeat what takes a character or more: (?:a|b)* instead of (?:a?|b)*.');
}

function unknownGroup(what: string, group: number, position: number): Error {
  const construct = `a ${what} group ${group}, which may or may not have taken part,`;
  return unsupportedFault(position, construct, 'Write the alternatives out, one with the group and one without it.');
}

function tooManyWays(): Error {
  const construct = 'so many optional groups that references or conditionals ask for,';
  return unsupportedFault(0, construct, 'Write the alternatives out, or send several searches.');
}
