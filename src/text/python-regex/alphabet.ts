import { PatternInvalid } from '../../errors.ts';
import { type Fold, lower } from './case-folding.ts';
import { type CharSet, keyOf, listedIn, listedInAscii } from './char-set.ts';
import { clip, contains, MAX_CODE_POINT, pairsOf, type Ranges, toRanges } from './ranges.ts';

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

/** `sets` are all that `unitsOf` will be asked for. */
export function wideAlphabet(sets: Iterable<CharSet>, spelling: Spelling, singleLine: boolean): Alphabet {
  const classes = new CharacterClasses(sets);
  const stride = spelling.distinct ? Math.floor((END_OF_UNITS - FIRST_UNIT) / classes.count) : 1;
  return {
    singleLine,
    ascii: false,
    spell: (name) => spell(name, classes, spelling, stride),
    unitsOf: (set) => {
      const members = classes.within(set).map((index): [number, number] => {
        const first = FIRST_UNIT + index * stride;
        return [first, first + stride - 1];
      });
      return toRanges([...pairsOf(listedInAscii(set)), ...members]);
    },
  };
}

function spell(name: string, classes: CharacterClasses, { fold, distinct }: Spelling, stride: number): string {
  const unitOf = distinct
    ? distinctUnits(classes, stride)
    : (codePoint: number) => FIRST_UNIT + classes.indexOf(codePoint);
  let spelled = '';
  for (const character of name) {
    const codePoint = lower(character.codePointAt(0) ?? 0, fold);
    spelled += String.fromCharCode(codePoint < FIRST_UNIT ? codePoint : unitOf(codePoint));
  }
  return spelled;
}

function distinctUnits(classes: CharacterClasses, stride: number): (codePoint: number) => number {
  const units = new Map<number, number>();
  return (codePoint) => {
    const known = units.get(codePoint);
    if (known !== undefined) return known;
    if (units.size === stride) throw new PatternInvalid(TOO_MANY_CHARACTERS);
    const unit = FIRST_UNIT + classes.indexOf(codePoint) * stride + units.size;
    units.set(codePoint, unit);
    return unit;
  };
}

/** The characters from 0x80 up, divided by which of some sets they are in. */
class CharacterClasses {
  #starts: readonly number[] = [FIRST_UNIT];
  #indices: readonly number[] = [0];
  #count = 1;

  constructor(sets: Iterable<CharSet>) {
    const distinct = new Map([...sets].map((set) => [keyOf(set), set]));
    for (const set of distinct.values()) this.#divide(clip(listedIn(set), FIRST_UNIT, MAX_CODE_POINT));
  }

  get count(): number {
    return this.#count;
  }

  indexOf(codePoint: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= codePoint) low = middle;
      else high = middle;
    }
    return this.#indices[low] ?? 0;
  }

  /** The classes whose characters `set` lists. */
  within(set: CharSet): number[] {
    const ranges = listedIn(set);
    const members = new Set<number>();
    for (const [piece, start] of this.#starts.entries()) {
      if (contains(ranges, start)) members.add(this.#indices[piece] ?? 0);
    }
    return [...members];
  }

  #divide(ranges: Ranges): void {
    const edges = [...pairsOf(ranges)].flatMap(([low, high]) => [low, high + 1]);
    const starts = [...new Set([...this.#starts, ...edges])].filter((start) => start <= MAX_CODE_POINT);
    starts.sort((a, b) => a - b);
    const renumbered = new Map<number, number>();
    const indices = starts.map((start) => {
      const key = 2 * this.indexOf(start) + (contains(ranges, start) ? 1 : 0);
      const index = renumbered.get(key) ?? renumbered.size;
      renumbered.set(key, index);
      return index;
    });
    this.#starts = starts;
    this.#indices = indices;
    this.#count = renumbered.size;
  }
}
