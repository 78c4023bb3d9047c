import { closeOverCase, type Fold } from './case-folding.ts';
import { asciiCategory, type Category, unicodeCategoryInAscii } from './categories.ts';
import { clip, complement, type Ranges, toRanges, union } from './ranges.ts';

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
