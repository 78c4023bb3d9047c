import { childrenOf, nodesOf, type RegexNode } from './ast.ts';

/**
 * What is known of the groups at one place of a pattern, by group number: the JavaScript name under which
 * one was captured, or `undefined` when it may or may not have taken part. A group without an entry has not.
 */
export type Captured = ReadonlyMap<number, string | undefined>;

export const NOTHING_CAPTURED: Captured = new Map();

export function withGroup(captured: Captured, group: number, name: string): Captured {
  return new Map(captured).set(group, name);
}

/** What is known where several ways meet. */
export function meet(ways: readonly Captured[]): Captured {
  const [first] = ways;
  if (first === undefined) return NOTHING_CAPTURED;
  const groups = new Set(ways.flatMap((way) => [...way.keys()]));
  return new Map(
    [...groups].map((group) => {
      const name = first.get(group);
      return [group, ways.every((way) => way.get(group) === name) ? name : undefined];
    }),
  );
}

/** What is known at the start of a later turn of a repeat: JavaScript forgets what Python keeps. */
export function inLaterTurn(captured: Captured, groups: Iterable<number>): Captured {
  const known = new Map(captured);
  for (const group of groups) known.set(group, undefined);
  return known;
}

/** The groups that back-references and conditionals of the pattern ask about. */
export function groupsAskedFor(tree: RegexNode): ReadonlySet<number> {
  const groups = new Set<number>();
  for (const node of nodesOf(tree))
    if (node.type === 'reference' || node.type === 'conditional') groups.add(node.group);
  return groups;
}

/** The nodes after which more than one thing may be known of the groups asked for. */
export function branchingNodes(tree: RegexNode, asked: ReadonlySet<number>): ReadonlySet<RegexNode> {
  const branching = new Set<RegexNode>();
  const visit = (node: RegexNode): boolean => {
    const below = childrenOf(node).map(visit).includes(true);
    const own = node.type === 'conditional' || (node.type === 'capture' && asked.has(node.group));
    if (below || own) branching.add(node);
    return below || own;
  };
  visit(tree);
  return branching;
}

export function groupsWithin(node: RegexNode): number[] {
  return [...nodesOf(node)].flatMap((inner) => (inner.type === 'capture' ? [inner.group] : []));
}
