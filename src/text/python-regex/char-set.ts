import { closeOverCase, type Fold } from './case-folding.ts';
import { asciiCategory, type Category, unicodeCategory, unicodeCategoryInAscii } from './categories.ts';
import { clip, complement, contains, pairsOf, type Ranges, toRanges, union } from './ranges.ts';

const LINE_FEED: Ranges = [0x0a, 0x0a];

/** What may stand in brackets: a character, a range, or one of `\d \D \s \S \w \W`. */
export type ClassItem =
  | { readonly type: 'range'; readonly low: number; readonly high: number }
  | { readonly type: 'category'; readonly category: Category; readonly negated: boolean };

interface UnicodeCategory {
  readonly category: Category;
  readonly negated: boolean;
}

/**
 * The characters that one position of a pattern takes: those in `ranges` or in one of `categories`, or with
 * `negated` all others. Case is already folded into `ranges`; the categories hold a character and its lower
 * case together, and are spelled out only when a name asks for it.
 */
export interface CharSet {
  readonly ranges: Ranges;
  readonly categories: readonly UnicodeCategory[];
  readonly negated: boolean;
}

export const ANY: CharSet = { ranges: [], categories: [], negated: true };
export const ANY_BUT_LINE_FEED: CharSet = { ranges: LINE_FEED, categories: [], negated: true };
export const UNICODE_WORD: CharSet = {
  ranges: [],
  categories: [{ category: 'word', negated: false }],
  negated: false,
};

export const ASCII_WORD: CharSet = { ranges: asciiCategory('word'), categories: [], negated: false };

/** Builds the set of a class; `ascii` is what `re.ASCII` makes of the categories. */
export function toCharSet(items: readonly ClassItem[], negated: boolean, ascii: boolean, fold: Fold): CharSet {
  const listed: [number, number][] = [];
  const parts: Ranges[] = [];
  const categories: UnicodeCategory[] = [];
  for (const item of items) {
    if (item.type === 'range') listed.push([item.low, item.high]);
    else if (ascii) parts.push(item.negated ? complement(asciiCategory(item.category)) : asciiCategory(item.category));
    else categories.push({ category: item.category, negated: item.negated });
  }
  return { ranges: union([closeOverCase(toRanges(listed), fold), ...parts]), categories, negated };
}

/** A test for membership; negative numbers are in no set. */
export function testFor(set: CharSet): (codePoint: number) => boolean {
  const ascii = new Uint8Array(0x80);
  for (const [low, high] of pairsOf(listedInAscii(set))) ascii.fill(1, low, high + 1);
  const { ranges, categories, negated } = set;
  const isListed = (codePoint: number): boolean =>
    contains(ranges, codePoint) ||
    categories.some((part) => contains(unicodeCategory(part.category), codePoint) !== part.negated);
  return (codePoint) => {
    if (codePoint >= 0x80) return isListed(codePoint) !== negated;
    return codePoint >= 0 && (ascii[codePoint] === 1) !== negated;
  };
}

/** The members below 0x80 before `negated` is applied. */
export function listedInAscii(set: CharSet): Ranges {
  const parts = set.categories.map(({ category, negated }) =>
    negated ? complement(unicodeCategoryInAscii(category)) : unicodeCategoryInAscii(category),
  );
  return clip(union([set.ranges, ...parts]), 0, 0x7f);
}

/** Equal for sets that list the same members. */
export function keyOf(set: CharSet): string {
  const categories = set.categories.map(({ category, negated }) => `${negated ? '^' : ''}${category}`).sort();
  return `${set.ranges.join(' ')};${categories.join(' ')}`;
}
