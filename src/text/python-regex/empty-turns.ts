import type { RegexNode, RepeatNode } from './ast.ts';
import { widthOf } from './width.ts';

/** Whether a turn of an open-ended repeat may take nothing. */
export function hasEmptyTurns({ body, min, max }: RepeatNode): boolean {
  return max > 1 && max > min && isNullable(body);
}

/**
 * Whether Python and JavaScript go on differently after an empty turn: Python goes on behind the repeat,
 * JavaScript refuses the turn and tries other ways to take it. Where none but empty ways are left, or the
 * lazy repeat has been there before, this comes to the same.
 */
export function ordersEmptyTurns(node: RepeatNode): boolean {
  return node.mode === 'greedy' && hasEmptyTurns(node) && !triesEmptyLast(node.body);
}

/** Whether a node tries all ways to take something before it takes nothing. */
function triesEmptyLast(node: RegexNode): boolean {
  switch (node.type) {
    case 'sequence':
      return node.items.every(triesEmptyLast);
    case 'alternation':
      return node.branches.every((branch, index) =>
        index === node.branches.length - 1 ? triesEmptyLast(branch) : !isNullable(branch),
      );
    case 'capture':
      return triesEmptyLast(node.body);
    case 'conditional':
      return triesEmptyLast(node.yes) && triesEmptyLast(node.no);
    case 'repeat':
      return node.mode !== 'lazy' ? node.mode === 'possessive' || triesEmptyLast(node.body) : !isNullable(node);
    default:
      return true;
  }
}

function isNullable(node: RegexNode): boolean {
  return widthOf(node, () => undefined).min === 0;
}
