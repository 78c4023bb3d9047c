import { contains, MAX_CODE_POINT, pairsOf, type Ranges, toRanges } from './ranges.ts';

/** How letters compare: exactly, or by CPython's `lower` for `re.ASCII` or for `str` patterns. */
export type Fold = 'none' | 'ascii' | 'unicode';

// No character from here up has case.
const END_OF_CASE = 0x20000;
const CASED = /[\p{Changes_When_Lowercased}\p{Changes_When_Uppercased}]/u;
const LAST_OF_BMP = 0xffff;

interface CasedCharacter {
  readonly codePoint: number;
  /** The upper case, and that of the lower case: the first code point of each. */
  readonly upper: number;
  readonly upperOfLower: number;
  /** All that match it under `re.IGNORECASE`, itself among them. */
  readonly variants: readonly number[];
}

let cased: readonly CasedCharacter[] | undefined;

/**
 * `Py_UNICODE_TOLOWER`, which sre compares by: one code point for one. Where the full mapping is longer
 * (U+0130 alone) CPython takes its first.
 */
export function toLower(codePoint: number, fold: Fold): number {
  if (fold === 'none' || (fold === 'ascii' && codePoint >= 0x80)) return codePoint;
  return firstOf(String.fromCodePoint(codePoint).toLowerCase());
}

/**
 * Adds to the members of a class what `re.IGNORECASE` adds: characters with the same lower case, and those
 * that sre's `_EXTRA_CASES` joins because their upper case is the same (k and U+212A, s and U+017F, i and
 * U+0130 and U+0131).
 */
export function closeOverCase(ranges: Ranges, fold: Fold): Ranges {
  if (fold === 'none') return ranges;
  const added: [number, number][] = [];
  const add = (codePoint: number): void => {
    if (!contains(ranges, codePoint)) added.push([codePoint, codePoint]);
  };
  for (const pair of pairsOf(ranges)) {
    for (const character of casedWithin(pair)) variantsOf(character, fold).forEach(add);
    if (pair[1] > LAST_OF_BMP) uppercasedInto(pair, fold).forEach(add);
  }
  return added.length === 0 ? ranges : toRanges([...pairsOf(ranges), ...added]);
}

// A range that ends above the BMP becomes sre's RANGE_UNI_IGNORE, which also takes a character whose upper
// case (the first code point of it) is inside, under re.ASCII too.
function uppercasedInto([low, high]: readonly [number, number], fold: Fold): number[] {
  const into = casedCharacters().filter(({ codePoint, upper, upperOfLower }) => {
    const compared = fold === 'ascii' && codePoint >= 0x80 ? upper : upperOfLower;
    return compared >= low && compared <= high;
  });
  return into.map(({ codePoint }) => codePoint);
}

function variantsOf({ codePoint, variants }: CasedCharacter, fold: Fold): readonly number[] {
  if (fold === 'unicode') return variants;
  return codePoint < 0x80 ? variants.filter((variant) => variant < 0x80) : [];
}

function* casedWithin([low, high]: readonly [number, number]): Generator<CasedCharacter> {
  const all = casedCharacters();
  let from = 0;
  let to = all.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((all[middle]?.codePoint ?? 0) < low) from = middle + 1;
    else to = middle;
  }
  for (let character = all[from]; character !== undefined && character.codePoint <= high; character = all[++from]) {
    yield character;
  }
}

function casedCharacters(): readonly CasedCharacter[] {
  cased ??= findCasedCharacters();
  return cased;
}

// Grouping by the upper case of the lower case gives the classes of Tools/scripts/generate_re_casefix.py.
function findCasedCharacters(): CasedCharacter[] {
  const found: CasedCharacter[] = [];
  const groups = new Map<string, number[]>();
  for (let codePoint = 0; codePoint < END_OF_CASE; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    if (!CASED.test(character)) continue;
    const lower = toLower(codePoint, 'unicode');
    const upperOfLower = String.fromCodePoint(lower).toUpperCase();
    const variants = groups.get(upperOfLower) ?? [];
    groups.set(upperOfLower, variants);
    variants.push(codePoint);
    const upper = firstOf(character.toUpperCase());
    found.push({ codePoint, upper, upperOfLower: firstOf(upperOfLower), variants });
  }
  return found;
}

function firstOf(text: string): number {
  return text.codePointAt(0) ?? MAX_CODE_POINT;
}
