import { pairsOf, type Ranges } from './ranges.ts';

/** How an engine writes a character by its number. */
export type Escape = (unit: number) => string;

const PLAIN = /^[0-9A-Za-z]$/;

/** A character or a class in brackets, in the syntax that JavaScript and RE2 share. */
export function classSource(units: Ranges, negated: boolean, hex: Escape): string {
  const [low, high] = units;
  if (low === undefined) return negated ? '[\\s\\S]' : '[^\\s\\S]';
  if (!negated && low === high && units.length === 2) return written(low, hex);
  const listed = [...pairsOf(units)].map(([from, to]) =>
    from === to ? written(from, hex) : `${written(from, hex)}-${written(to, hex)}`,
  );
  return `[${negated ? '^' : ''}${listed.join('')}]`;
}

function written(unit: number, hex: Escape): string {
  const character = String.fromCharCode(unit);
  return PLAIN.test(character) ? character : hex(unit);
}
