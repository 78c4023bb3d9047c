/**
 * Sets of numbers from 0 to 0x10FFFF as a flat list of inclusive bounds, `[low, high, low, high, …]`:
 * ascending, disjoint, not adjacent. Lone surrogates are ordinary members, as they are in a Python `str`.
 */
export type Ranges = readonly number[];

export const MAX_CODE_POINT = 0x10ffff;

/** Sorts and joins bounds that come in any order and may overlap. */
export function toRanges(pairs: Iterable<readonly [low: number, high: number]>): Ranges {
  const joined: number[] = [];
  for (const [low, high] of [...pairs].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last === undefined || low > last + 1) joined.push(low, high);
    else if (high > last) joined[joined.length - 1] = high;
  }
  return joined;
}

export function* pairsOf(ranges: Ranges): Generator<[low: number, high: number]> {
  for (let i = 0; i + 1 < ranges.length; i += 2) yield [ranges[i] ?? 0, ranges[i + 1] ?? 0];
}

export function union(parts: readonly Ranges[]): Ranges {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return toRanges(parts.flatMap((part) => [...pairsOf(part)]));
}

export function complement(ranges: Ranges): Ranges {
  const gaps: number[] = [];
  let next = 0;
  for (const [low, high] of pairsOf(ranges)) {
    if (low > next) gaps.push(next, low - 1);
    next = high + 1;
  }
  if (next <= MAX_CODE_POINT) gaps.push(next, MAX_CODE_POINT);
  return gaps;
}

/** The members from `floor` to `ceiling`. */
export function clip(ranges: Ranges, floor: number, ceiling: number): Ranges {
  const inside: number[] = [];
  for (const [low, high] of pairsOf(ranges)) {
    if (high >= floor && low <= ceiling) inside.push(Math.max(low, floor), Math.min(high, ceiling));
  }
  return inside;
}

export function contains(ranges: Ranges, value: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  // An odd count of bounds at or below `value` lies inside a pair; an even one may still be on its upper bound.
  return low % 2 === 1 || ranges[low - 1] === value;
}
