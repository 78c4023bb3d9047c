import { PatternInvalid } from '../../errors.ts';
import { type Fold, toLower } from './case-folding.ts';
import { type CharSet, keyOf, listedInAscii } from './char-set.ts';
import { type Partition, partition } from './partition.ts';
import { pairsOf, type Ranges, toRanges } from './ranges.ts';

/**
 * How names are spelled for an engine: as strings of UTF-16 units below 0xD800, one for each character.
 *
 * ASCII stays what it is. All other characters that no set of the pattern tells apart share a unit, so that
 * engines see classes of a few ranges: V8 needs 0.7 s to compile `\w{10}` from `[\p{L}\p{N}_]`, and nothing
 * can interrupt it.
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

export interface Spelling {
  /** Back-references compare what this makes of the characters. */
  readonly fold: Fold;
  /** Different characters have different units, as back-references need it. */
  readonly distinct: boolean;
}

const FIRST_UNIT = 0x80;
const END_OF_UNITS = 0xd800;
// Out of reach for names of 255 bytes, unless a pattern holds hundreds of classes.
const TOO_MANY_CHARACTERS =
  'A back-reference cannot be run on a name of so many different characters. Send the pattern without it.';

export function asciiAlphabet({ fold }: Spelling): Alphabet {
  return {
    singleLine: true,
    ascii: true,
    spell: fold === 'none' ? (name) => name : (name) => name.toLowerCase(),
    unitsOf: listedInAscii,
  };
}

/** For names that `asciiAlphabet` is not for. `sets` are all that `unitsOf` will be asked for. */
export function wideAlphabet(sets: Iterable<CharSet>, spelling: Spelling): Alphabet {
  const parts = partition(sets, FIRST_UNIT);
  const stride = spelling.distinct ? Math.floor((END_OF_UNITS - FIRST_UNIT) / parts.count) : 1;
  const units = new Map<string, Ranges>();
  return {
    singleLine: false,
    ascii: false,
    spell: (name) => spell(name, parts, spelling, stride),
    unitsOf: (set) => {
      const key = keyOf(set);
      const known = units.get(key) ?? toUnits(set, parts, stride);
      units.set(key, known);
      return known;
    },
  };
}

function toUnits(set: CharSet, parts: Partition, stride: number): Ranges {
  const members = [...parts.partsIn(set)].map((part): [number, number] => {
    const first = FIRST_UNIT + part * stride;
    return [first, first + stride - 1];
  });
  return toRanges([...pairsOf(listedInAscii(set)), ...members]);
}

function spell(name: string, parts: Partition, { fold, distinct }: Spelling, stride: number): string {
  const unitOf = distinct ? distinctUnits(parts, stride) : (codePoint: number) => FIRST_UNIT + parts.partOf(codePoint);
  let spelled = '';
  for (const character of name) {
    const codePoint = toLower(character.codePointAt(0) ?? 0, fold);
    spelled += String.fromCharCode(codePoint < FIRST_UNIT ? codePoint : unitOf(codePoint));
  }
  return spelled;
}

function distinctUnits(parts: Partition, stride: number): (codePoint: number) => number {
  const units = new Map<number, number>();
  return (codePoint) => {
    const known = units.get(codePoint);
    if (known !== undefined) return known;
    if (units.size === stride) throw new PatternInvalid(TOO_MANY_CHARACTERS);
    const unit = FIRST_UNIT + parts.partOf(codePoint) * stride + units.size;
    units.set(codePoint, unit);
    return unit;
  };
}
