import { unicodeCategory } from './categories.ts';
import { type CharSet, keyOf } from './char-set.ts';
import { clip, MAX_CODE_POINT, pairsOf, type Ranges } from './ranges.ts';

/** Characters from a first one up, in numbered parts: two are in the same part when no set tells them apart. */
export interface Partition {
  readonly count: number;
  partOf(codePoint: number): number;
  /** The parts of what `set`, one of the sets divided by, lists. */
  partsIn(set: CharSet): ReadonlySet<number>;
}

/**
 * Divides by what the sets are made of, explicit ranges and categories, in one sweep: a pattern may hold
 * hundreds of sets that name the same category of 800 ranges.
 */
export function partition(sets: Iterable<CharSet>, first: number): Partition {
  const sources = new Map<string, Ranges>();
  for (const set of sets) {
    sources.set(explicitKey(set), set.ranges);
    for (const { category } of set.categories) sources.set(category, unicodeCategory(category));
  }
  const { starts, parts, within, count } = sweep([...sources.values()], first);
  const indices = new Map([...sources.keys()].map((key, index) => [key, index]));
  const partsOf = (key: string): readonly number[] => within[indices.get(key) ?? -1] ?? [];
  return {
    count,
    partOf: (codePoint) => parts[lastAtOrBelow(starts, codePoint)] ?? 0,
    partsIn: (set) => {
      const found = new Set(partsOf(explicitKey(set)));
      for (const { category, negated } of set.categories) {
        const inside = new Set(partsOf(category));
        for (let part = 0; part < count; part++) if (inside.has(part) !== negated) found.add(part);
      }
      return found;
    },
  };
}

function explicitKey({ ranges }: CharSet): string {
  return keyOf({ ranges, categories: [], negated: false });
}

interface Sweep {
  /** Where each run of neighbours of one part starts. */
  readonly starts: readonly number[];
  /** The part of each run. */
  readonly parts: readonly number[];
  /** The parts inside each source. */
  readonly within: readonly (readonly number[])[];
  readonly count: number;
}

function sweep(sources: readonly Ranges[], first: number): Sweep {
  const starts: number[] = [];
  const parts: number[] = [];
  // By the sources that a part is in, as bits.
  const known = new Map<bigint, number>();
  let inside = 0n;
  for (const [codePoint, edges] of edgesOf(sources, first)) {
    inside = edges.reduce((bits, source) => bits ^ (1n << BigInt(source)), inside);
    const part = known.get(inside) ?? known.size;
    known.set(inside, part);
    starts.push(codePoint);
    parts.push(part);
  }
  return { starts, parts, within: partsWithin(known, sources.length), count: known.size };
}

function partsWithin(known: ReadonlyMap<bigint, number>, sources: number): number[][] {
  const within: number[][] = Array.from({ length: sources }, () => []);
  for (const [inside, part] of known) {
    const bits = inside.toString(2).padStart(sources, '0');
    for (const [source, parts] of within.entries()) if (bits[sources - 1 - source] === '1') parts.push(part);
  }
  return within;
}

// By code point, the sources that begin or end there.
function edgesOf(sources: readonly Ranges[], first: number): [codePoint: number, sources: number[]][] {
  const edges = new Map<number, number[]>([[first, []]]);
  const add = (codePoint: number, source: number): void => {
    const there = edges.get(codePoint);
    if (there === undefined) edges.set(codePoint, [source]);
    else there.push(source);
  };
  for (const [source, ranges] of sources.entries()) {
    for (const [low, high] of pairsOf(clip(ranges, first, MAX_CODE_POINT))) {
      add(low, source);
      add(high + 1, source);
    }
  }
  return [...edges].sort(([a], [b]) => a - b);
}

function lastAtOrBelow(starts: readonly number[], codePoint: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= codePoint) low = middle;
    else high = middle;
  }
  return low;
}
