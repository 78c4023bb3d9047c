import { type CharSet, keyOf, listedInAscii } from './char-set.ts';
import { type Partition, partition } from './partition.ts';
import { pairsOf, type Ranges, toRanges } from './ranges.ts';

/**
 * How names are spelled for RE2: as strings of UTF-16 units below 0xD800, one for each character. ASCII stays
 * what it is; all other characters that no set of the pattern tells apart share a unit, so that each set is a
 * class of a few ranges, whatever RE2's own Unicode tables hold.
 */
export interface Alphabet {
  /** No name has a line feed or is empty: then `$` is the end, and `^` the start, with `re.MULTILINE` too. */
  readonly singleLine: boolean;
  /** No name has a character above 0x7F. */
  readonly ascii: boolean;
  spell(name: string): string;
  /** The units that spell what `set` lists, before `negated` is applied. */
  unitsOf(set: CharSet): Ranges;
}

const FIRST_UNIT = 0x80;

export const ASCII_ALPHABET: Alphabet = {
  singleLine: true,
  ascii: true,
  spell: (name) => name,
  unitsOf: listedInAscii,
};

/** For all other names. `sets` are all that `unitsOf` will be asked for. */
export function wideAlphabet(sets: Iterable<CharSet>): Alphabet {
  const parts = partition(sets, FIRST_UNIT);
  const units = new Map<string, Ranges>();
  return {
    singleLine: false,
    ascii: false,
    spell: (name) => spell(name, parts),
    unitsOf: (set) => {
      const key = keyOf(set);
      const known = units.get(key) ?? toUnits(set, parts);
      units.set(key, known);
      return known;
    },
  };
}

function toUnits(set: CharSet, parts: Partition): Ranges {
  const members = [...parts.partsIn(set)].map((part): [number, number] => [FIRST_UNIT + part, FIRST_UNIT + part]);
  return toRanges([...pairsOf(listedInAscii(set)), ...members]);
}

function spell(name: string, parts: Partition): string {
  let spelled = '';
  for (const character of name) {
    const codePoint = character.codePointAt(0) ?? 0;
    spelled += codePoint < FIRST_UNIT ? character : String.fromCharCode(FIRST_UNIT + parts.partOf(codePoint));
  }
  return spelled;
}
