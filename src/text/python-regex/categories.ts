import { pairsOf, type Ranges, toRanges } from './ranges.ts';

export type Category = 'digit' | 'space' | 'word';

// No plane from 4 up has letters or digits, or is planned to.
const END_OF_LETTERS = 0x40000;
const DIGIT = /^\p{Nd}$/u;
// str.isalnum() or '_'; every character that isnumeric() takes is in L or N.
const WORD = /^[\p{L}\p{N}_]$/u;

const ASCII: Record<Category, Ranges> = {
  digit: [0x30, 0x39],
  space: [0x09, 0x0d, 0x20, 0x20],
  word: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
};

// str.isspace(): the bidirectional types WS, B and S, or the category Zs.
const SPACE: Ranges = [
  0x09, 0x0d, 0x1c, 0x20, 0x85, 0x85, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
  0x205f, 0x205f, 0x3000, 0x3000,
];

const scanned = new Map<Category, Ranges>([['space', SPACE]]);

/** What `\d`, `\s` or `\w` means under `re.ASCII`. */
export function asciiCategory(category: Category): Ranges {
  return ASCII[category];
}

/**
 * What `\d`, `\s` or `\w` means for a `str` pattern, by the Unicode version of the running Node. The first
 * call for digits and for words costs about 20 ms.
 */
export function unicodeCategory(category: Category): Ranges {
  const known = scanned.get(category);
  if (known !== undefined) return known;
  const ranges = scan(category === 'digit' ? DIGIT : WORD);
  scanned.set(category, ranges);
  return ranges;
}

/** The part of `unicodeCategory` below 0x80, without its price. */
export function unicodeCategoryInAscii(category: Category): Ranges {
  return category === 'space' ? toRanges([...pairsOf(SPACE)].filter(([low]) => low < 0x80)) : ASCII[category];
}

function scan(member: RegExp): Ranges {
  const found: [number, number][] = [];
  for (let codePoint = 0; codePoint < END_OF_LETTERS; codePoint++) {
    if (member.test(String.fromCodePoint(codePoint))) found.push([codePoint, codePoint]);
  }
  return toRanges(found);
}
