import type { Fold } from './case-folding.ts';
import type { CharSet } from './char-set.ts';

/** A place between two characters. Which one a `^`, `$` or `\b` is, its flags have decided. */
export type Place = 'start' | 'line-start' | 'end' | 'end-or-last-line-feed' | 'line-end' | 'boundary' | 'no-boundary';

export interface SetNode {
  readonly type: 'set';
  readonly set: CharSet;
}

export interface PlaceNode {
  readonly type: 'place';
  readonly place: Place;
  /** For boundaries: `re.ASCII` holds. */
  readonly ascii: boolean;
  readonly position: number;
}

export interface SequenceNode {
  readonly type: 'sequence';
  readonly items: readonly RegexNode[];
}

export interface AlternationNode {
  readonly type: 'alternation';
  readonly branches: readonly RegexNode[];
}

export interface RepeatNode {
  readonly type: 'repeat';
  readonly body: RegexNode;
  readonly min: number;
  /** `Infinity` where there is no upper bound. */
  readonly max: number;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
  readonly position: number;
}

export interface CaptureNode {
  readonly type: 'capture';
  readonly group: number;
  readonly body: RegexNode;
}

export interface AtomicNode {
  readonly type: 'atomic';
  readonly body: RegexNode;
  readonly position: number;
}

export interface LookNode {
  readonly type: 'look';
  readonly negative: boolean;
  /** How many characters a look-behind steps back; `undefined` looks ahead. */
  readonly back: number | undefined;
  readonly body: RegexNode;
  readonly position: number;
}

export interface ReferenceNode {
  readonly type: 'reference';
  readonly group: number;
  readonly fold: Fold;
  readonly position: number;
}

export interface ConditionalNode {
  readonly type: 'conditional';
  readonly group: number;
  readonly yes: RegexNode;
  readonly no: RegexNode;
  readonly position: number;
}

/**
 * A Python regular expression. Flags, names and comments are gone: each node says what it takes. Positions
 * count code points of the pattern from 0.
 */
export type RegexNode =
  | SetNode
  | PlaceNode
  | SequenceNode
  | AlternationNode
  | RepeatNode
  | CaptureNode
  | AtomicNode
  | LookNode
  | ReferenceNode
  | ConditionalNode;

export function childrenOf(node: RegexNode): readonly RegexNode[] {
  switch (node.type) {
    case 'sequence':
      return node.items;
    case 'alternation':
      return node.branches;
    case 'conditional':
      return [node.yes, node.no];
    case 'repeat':
    case 'capture':
    case 'atomic':
    case 'look':
      return [node.body];
    default:
      return [];
  }
}

/** All nodes of a tree, each before those below it, from left to right. */
export function* nodesOf(tree: RegexNode): Generator<RegexNode> {
  const ahead = [tree];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    yield node;
    ahead.push(...childrenOf(node).toReversed());
  }
}
