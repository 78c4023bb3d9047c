import type { RegexNode } from './ast.ts';

/** How many characters a node takes. An upper bound for references to groups that did not take part, too. */
export interface Width {
  readonly min: number;
  readonly max: number;
}

export type GroupWidths = (group: number) => Width | undefined;

const NOTHING: Width = { min: 0, max: 0 };

/** CPython's `SubPattern.getwidth`, which decides what a look-behind may hold. */
export function widthOf(node: RegexNode, groups: GroupWidths): Width {
  switch (node.type) {
    case 'set':
      return { min: 1, max: 1 };
    case 'sequence':
      return node.items.map((item) => widthOf(item, groups)).reduce(plus, NOTHING);
    case 'alternation':
      return node.branches.map((branch) => widthOf(branch, groups)).reduce(either);
    case 'conditional':
      return either(widthOf(node.yes, groups), widthOf(node.no, groups));
    case 'repeat':
      return times(widthOf(node.body, groups), node.min, node.max);
    case 'capture':
    case 'atomic':
      return widthOf(node.body, groups);
    case 'reference':
      return groups(node.group) ?? NOTHING;
    default:
      return NOTHING;
  }
}

function plus(a: Width, b: Width): Width {
  return { min: a.min + b.min, max: a.max + b.max };
}

function either(a: Width, b: Width): Width {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

// Infinity times 0 is NaN.
function times(width: Width, min: number, max: number): Width {
  return { min: width.min === 0 ? 0 : width.min * min, max: width.max === 0 || max === 0 ? 0 : width.max * max };
}
