export type Range = readonly [first: number, last: number];
export type CodeTest = (code: number) => boolean;

/** A set of code points: ranges with both ends in (one that ends before it begins is empty), and tests for more. */
export class CharSet {
  /** Where the ranges begin and where they are over, by turns. */
  readonly bounds: Int32Array;
  readonly tests: readonly CodeTest[];
  readonly #negated: boolean;

  constructor(ranges: readonly Range[], negated: boolean, tests: readonly CodeTest[] = []) {
    this.bounds = boundsOf(ranges);
    this.tests = tests;
    this.#negated = negated;
  }

  has(code: number): boolean {
    const isInRange = boundsUpTo(this.bounds, code) % 2 === 1;
    return (isInRange || this.tests.some((test) => test(code))) !== this.#negated;
  }
}

/** Any one character. */
export const ANY = new CharSet([], true);

/** The bounds of the ranges in order, overlapping ranges made one: an odd number of them up to a code means inside. */
function boundsOf(ranges: readonly Range[]): Int32Array {
  const bounds: number[] = [];
  const ordered = ranges.filter(([first, last]) => first <= last).sort(([a], [b]) => a - b);
  for (const [first, last] of ordered) {
    const over = bounds.at(-1) ?? -1;
    if (first > over) bounds.push(first, last + 1);
    else bounds[bounds.length - 1] = Math.max(over, last + 1);
  }
  return Int32Array.from(bounds);
}

/** How many of the ordered `bounds` are at most `code`. */
export function boundsUpTo(bounds: Int32Array, code: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] ?? 0) > code) high = middle;
    else low = middle + 1;
  }
  return low;
}
