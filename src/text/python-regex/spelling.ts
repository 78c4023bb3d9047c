import type { Spelling } from './alphabet.ts';
import { nodesOf, type ReferenceNode, type RegexNode } from './ast.ts';
import { type Fold, ignoresCase } from './case-folding.ts';
import { type CharSet, keyOf, UNICODE_WORD } from './char-set.ts';
import { unsupportedFault } from './fault.ts';

/** All sets that an engine for `tree` may ask an alphabet for. */
export function setsOf(tree: RegexNode): CharSet[] {
  const sets: CharSet[] = [];
  for (const node of nodesOf(tree)) {
    if (node.type === 'set') sets.push(node.set);
    if (node.type === 'place' && node.place.endsWith('boundary')) sets.push(UNICODE_WORD);
  }
  return sets;
}

/**
 * How names must be spelled for `tree`. No engine compares text as CPython's case-insensitive back-reference
 * does (by lower case alone), so names are lowered for it; that is exact where nothing else in the pattern
 * tells a letter from its lower case, and `PATTERN_INVALID` elsewhere.
 */
export function spellingOf(tree: RegexNode): Spelling {
  const references = [...nodesOf(tree)].filter((node) => node.type === 'reference');
  const folding = references.find((reference) => reference.fold !== 'none');
  if (folding === undefined) return { fold: 'none', distinct: references.length > 0 };
  const { fold } = folding;
  const alike = references.every((reference) => reference.fold === fold);
  if (!alike || !isBlindToCase(tree, fold)) throw mixedCase(folding);
  return { fold, distinct: true };
}

function isBlindToCase(tree: RegexNode, fold: Fold): boolean {
  const asciiBoundary = [...nodesOf(tree)].some((node) => node.type === 'place' && node.ascii);
  if (asciiBoundary && fold === 'unicode') return false;
  const distinct = new Map(setsOf(tree).map((set) => [keyOf(set), set]));
  return [...distinct.values()].every((set) => ignoresCase(set.ranges, fold));
}

function mixedCase({ position }: ReferenceNode): Error {
  const construct = 'a back-reference that ignores case beside parts that do not';
  return unsupportedFault(position, construct, 'Ignore case in the whole pattern, or nowhere in it.');
}
