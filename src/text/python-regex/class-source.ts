import { pairsOf, type Ranges } from './ranges.ts';

const PLAIN = /^[0-9A-Za-z]$/;

/** A character or a class in brackets, as RE2 reads it. */
export function classSource(units: Ranges, negated: boolean): string {
  const [low, high] = units;
  if (low === undefined) return negated ? '[\\s\\S]' : '[^\\s\\S]';
  if (!negated && low === high && units.length === 2) return written(low);
  const listed = [...pairsOf(units)].map(([from, to]) =>
    from === to ? written(from) : `${written(from)}-${written(to)}`,
  );
  return `[${negated ? '^' : ''}${listed.join('')}]`;
}

function written(unit: number): string {
  const character = String.fromCharCode(unit);
  return PLAIN.test(character) ? character : `\\x{${unit.toString(16)}}`;
}
