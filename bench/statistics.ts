/** The value below which `share` of the samples lie, between neighbours by proportion. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  const above = sorted[Math.ceil(at)];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** A middle, and the two quarters around it. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function spreadOf(samples: readonly number[]): Spread {
  return { median: median(samples), low: quantile(samples, 0.25), high: quantile(samples, 0.75) };
}

/** Samples of one contender, by the round in which each was taken. */
export type Rounds = Readonly<Record<string, number>>;

/**
 * How many times longer one takes than another, from the rounds that both took
 * part in: what slows the machine down in a round slows both.
 */
export function ratioOf(one: Rounds, other: Rounds): Spread | undefined {
  const ratios = Object.entries(one).flatMap(([round, value]) => {
    const base = other[round];
    return base === undefined || base === 0 ? [] : [value / base];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}
