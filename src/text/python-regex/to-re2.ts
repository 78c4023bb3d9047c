import type { Alphabet } from './alphabet.ts';
import { childrenOf, nodesOf, type PlaceNode, type RegexNode, type RepeatNode } from './ast.ts';
import { classSource } from './class-source.ts';

/** What keeps a pattern from the linear-time engine. */
export interface Obstacle {
  readonly construct: string;
  readonly position: number;
}

// RE2 writes repeats out. A name costs at most 15 ms in a program of this size.
const MAX_STATES = 2000;
// RE2 refuses larger counts, also as the product of those inside one another.
const MAX_COUNT = 1000;

/** What RE2 cannot express exactly for names of this alphabet; `undefined` when `toRe2` can. */
export function obstacleIn(tree: RegexNode, alphabet: Alphabet): Obstacle | undefined {
  for (const node of nodesOf(tree)) {
    const construct = obstruction(node, alphabet);
    if (construct !== undefined && 'position' in node) return { construct, position: node.position };
  }
  return statesOf(tree) > MAX_STATES || timesRepeated(tree) > MAX_COUNT ? largestRepeat(tree) : undefined;
}

function obstruction(node: RegexNode, alphabet: Alphabet): string | undefined {
  switch (node.type) {
    case 'place':
      return missingPlace(node, alphabet);
    case 'repeat':
      return node.mode === 'possessive' ? 'possessive repeat' : undefined;
    case 'look':
      return node.back === undefined ? 'look-ahead' : 'look-behind';
    case 'reference':
      return 'back-reference';
    case 'conditional':
      return 'conditional';
    case 'atomic':
      return 'atomic group';
    default:
      return undefined;
  }
}

// RE2's word is ASCII's, it has no `$` before a last line feed, and its \B matches an empty text.
function missingPlace({ place, ascii }: PlaceNode, alphabet: Alphabet): string | undefined {
  const hasWords = ascii || alphabet.ascii;
  switch (place) {
    case 'end-or-last-line-feed':
      return alphabet.singleLine ? undefined : '$';
    case 'boundary':
      return hasWords ? undefined : '\\b';
    case 'no-boundary':
      return hasWords && alphabet.singleLine ? undefined : '\\B';
    default:
      return undefined;
  }
}

/** About how large the program of a pattern is. */
export function statesOf(node: RegexNode): number {
  switch (node.type) {
    case 'sequence':
      return node.items.reduce((sum, item) => sum + statesOf(item), 0);
    case 'alternation':
      return node.branches.reduce((sum, branch) => sum + 1 + statesOf(branch), 0);
    case 'capture':
      return statesOf(node.body);
    case 'repeat':
      return 1 + statesOf(node.body) * copiesOf(node);
    default:
      return 1;
  }
}

function copiesOf({ min, max }: RepeatNode): number {
  return Number.isFinite(max) ? max : min + 1;
}

function timesRepeated(node: RegexNode): number {
  const below = childrenOf(node).reduce((most, child) => Math.max(most, timesRepeated(child)), 1);
  if (node.type !== 'repeat') return below;
  return below * Math.max(1, Number.isFinite(node.max) ? node.max : node.min);
}

function largestRepeat(tree: RegexNode): Obstacle | undefined {
  const repeats = [...nodesOf(tree)].filter((node) => node.type === 'repeat');
  repeats.sort((a, b) => copiesOf(b) - copiesOf(a));
  const [largest] = repeats;
  return largest && { construct: 'large repeat', position: largest.position };
}

/**
 * The RE2 expression that finds a match in the same names, spelled by `alphabet`, where `obstacleIn` found
 * nothing. Which part of a name it finds may differ: order and groups do not count.
 */
export function toRe2(node: RegexNode, alphabet: Alphabet): string {
  switch (node.type) {
    case 'set':
      return classSource(alphabet.unitsOf(node.set), node.set.negated);
    case 'place':
      return placeSource(node, alphabet);
    case 'sequence':
      return node.items.map((item) => toRe2(item, alphabet)).join('');
    case 'alternation':
      return `(?:${node.branches.map((branch) => toRe2(branch, alphabet)).join('|')})`;
    case 'capture':
      return toRe2(node.body, alphabet);
    case 'repeat':
      return `(?:${toRe2(node.body, alphabet)})${countSource(node)}`;
    default:
      throw new TypeError(`RE2 has no ${node.type}`);
  }
}

function placeSource({ place }: PlaceNode, { singleLine }: Alphabet): string {
  switch (place) {
    case 'start':
      return '\\A';
    case 'line-start':
      return singleLine ? '\\A' : '(?m:^)';
    case 'line-end':
      return singleLine ? '\\z' : '(?m:$)';
    case 'boundary':
      return '\\b';
    case 'no-boundary':
      return '\\B';
    default:
      return '\\z';
  }
}

function countSource({ min, max }: RepeatNode): string {
  return Number.isFinite(max) ? `{${min},${max}}` : `{${min},}`;
}
