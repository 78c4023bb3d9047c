import { DEFAULT_BOUNDS } from '../bounds.ts';
import { PatternInvalid } from '../errors.ts';

/** Characters of all the alternatives together: a long text next to many alternatives is written out that often. */
const MAX_WRITTEN_OUT = 65_536;

const SIGN = /\\.|\.\.(?!\})|[{},]/gsu;
const SEQUENCE = /^(?:([+-]?\d+)\.\.([+-]?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.([+-]?\d+))?$/u;
const ZERO_PADDED = /^-?0\d/u;
const LETTER = /[A-Za-z]/u;

interface Sequence {
  readonly first: number;
  readonly step: number;
  readonly count: number;
  /** Numbers are padded with zeros to this width; letters are written by their codes. */
  readonly width: number | 'letters';
}

/** A pattern is a row of parts; a part that is a list alternates between rows. */
type Part = string | Sequence | readonly Part[][];

/** What a row stands for, before it is written out: how many alternatives, and their characters together. */
interface Size {
  readonly alternatives: number;
  readonly characters: number;
}

/**
 * The alternatives that `pattern` stands for, in order, as bash 5.2 writes
 * them out: `{a,b}` nested to any depth, `{,x}`, `{1..3}`, `{a..e..2}`,
 * `{01..10}` with its zeros. Braces that do not alternate are themselves: `{a}`,
 * `{a`, `{}`, `a}`. A backslash quotes the next character and stays where it is.
 * What a letter sequence yields is quoted when it is not a letter. Quotes, `$`
 * and blanks have no meaning here.
 *
 * Counts before it writes: more than `max` alternatives are refused with
 * `PATTERN_INVALID` in time that depends on the pattern's length alone.
 */
export function expandBraces(pattern: string, max = DEFAULT_BOUNDS.alternatives): string[] {
  const parts = new BraceReader(pattern).readAll();
  const { alternatives, characters } = sizeOf(parts);
  if (alternatives > max) {
    throw new PatternInvalid(
      `The braces of the pattern stand for more than ${max.toLocaleString('en')} alternatives. Send fewer of them, or a wildcard instead.`,
    );
  }
  if (characters > MAX_WRITTEN_OUT) {
    throw new PatternInvalid(
      'The pattern is too long once its braces are written out. Send fewer alternatives, or several patterns.',
    );
  }
  return writeOut(parts);
}

/** A quoted character, or a set, in which braces are letters. */
const QUOTED_OR_SET = /\\.|\[[!^]?\]?[^\]]*\]/gsu;

/** Whether each brace of a pattern has its other half, those left out that are quoted or in a set. */
export function isBalanced(pattern: string): boolean {
  let depth = 0;
  for (const character of pattern.replace(QUOTED_OR_SET, '')) {
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** An unquoted character that means something to braces, or a `..`, which does not count right before a `}`. */
interface Sign {
  readonly text: string;
  readonly at: number;
}

/** Reads rows of parts out of one pattern. Signs are named by their number, so that nothing is scanned twice. */
class BraceReader {
  readonly #pattern: string;
  readonly #signs: readonly Sign[];

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#signs = Array.from(pattern.matchAll(SIGN), ({ 0: text, index }) => ({ text, at: index })).filter(
      ({ text }) => !text.startsWith('\\'),
    );
  }

  readAll(): Part[] {
    return this.#row(0, this.#pattern.length, 0, this.#signs.length);
  }

  /** The parts of the text from `start` to `end`, whose signs are those from `first` to `last`. */
  #row(start: number, end: number, first: number, last: number): Part[] {
    const parts: Part[] = [];
    let from = start;
    for (let open = first; open < last; open++) {
      const { text, at } = this.#sign(open);
      // bash passes over `{}` where a text begins, but not inside one.
      if (text !== '{' || (at === from && this.#pattern[at + 1] === '}')) continue;
      const close = this.#closeOf(open, last);
      if (close < 0) continue;
      parts.push(this.#pattern.slice(from, at), this.#group(open, close));
      from = this.#sign(close).at + 1;
      open = close;
    }
    return [...parts, this.#pattern.slice(from, end)];
  }

  /**
   * The sign that closes the brace `open`, or -1. As in bash, a `}` with no
   * comma and no `..` before it on its own level closes nothing.
   */
  #closeOf(open: number, last: number): number {
    let level = 0;
    let isAlternating = false;
    for (let sign = open + 1; sign < last; sign++) {
      const { text } = this.#sign(sign);
      if (level === 0 && text === '}' && isAlternating) return sign;
      if (level === 0) isAlternating ||= text === ',' || text === '..';
      level = levelAfter(text, level);
    }
    return -1;
  }

  #group(open: number, close: number): Part {
    const inner = this.#pattern.slice(this.#sign(open).at + 1, this.#sign(close).at);
    const alternates = this.#signs.slice(open + 1, close).some(({ text }) => text === ',');
    return alternates ? this.#alternatives(open, close) : (sequenceOf(inner) ?? `{${inner}}`);
  }

  #alternatives(open: number, close: number): Part[][] {
    const rows: Part[][] = [];
    let level = 0;
    let before = open;
    for (let sign = open + 1; sign <= close; sign++) {
      const { text, at } = this.#sign(sign);
      if (sign === close || (text === ',' && level === 0)) {
        rows.push(this.#row(this.#sign(before).at + 1, at, before + 1, sign));
        before = sign;
      }
      level = levelAfter(text, level);
    }
    return rows;
  }

  #sign(index: number): Sign {
    return this.#signs[index] ?? { text: '', at: this.#pattern.length };
  }
}

function levelAfter(sign: string, level: number): number {
  if (sign === '{') return level + 1;
  return sign === '}' ? Math.max(0, level - 1) : level;
}

function sequenceOf(inner: string): Sequence | undefined {
  const [, from, to, fromLetter, toLetter, by = '1'] = SEQUENCE.exec(inner) ?? [];
  if (from !== undefined && to !== undefined) {
    const isPadded = ZERO_PADDED.test(from) || ZERO_PADDED.test(to);
    return sequence(Number(from), Number(to), Number(by), isPadded ? Math.max(from.length, to.length) : 0);
  }
  if (fromLetter === undefined || toLetter === undefined) return undefined;
  return sequence(fromLetter.charCodeAt(0), toLetter.charCodeAt(0), Number(by), 'letters');
}

/** Numbers that a double cannot tell apart make no sequence; bash draws the same line at 64 bits. */
function sequence(first: number, last: number, by: number, width: Sequence['width']): Sequence | undefined {
  if (![first, last, by].every(Number.isSafeInteger)) return undefined;
  const size = Math.abs(by) || 1;
  const count = Math.floor(Math.abs(last - first) / size) + 1;
  return { first, step: last < first ? -size : size, count, width };
}

function sizeOf(parts: readonly Part[]): Size {
  return parts.map(sizeOfPart).reduce(
    (whole, part) => ({
      alternatives: whole.alternatives * part.alternatives,
      characters: whole.characters * part.alternatives + part.characters * whole.alternatives,
    }),
    { alternatives: 1, characters: 0 },
  );
}

function sizeOfPart(part: Part): Size {
  if (typeof part === 'string') return { alternatives: 1, characters: part.length };
  if ('count' in part) return { alternatives: part.count, characters: part.count * widest(part) };
  const sizes = part.map(sizeOf);
  return {
    alternatives: sizes.reduce((sum, { alternatives }) => sum + alternatives, 0),
    characters: sizes.reduce((sum, { characters }) => sum + characters, 0),
  };
}

function widest({ first, step, count, width }: Sequence): number {
  if (width === 'letters') return 1;
  return Math.max(width, String(first).length, String(first + step * (count - 1)).length);
}

function writeOut(parts: readonly Part[]): string[] {
  return parts
    .map(writeOutPart)
    .reduce((heads, tails) => heads.flatMap((head) => tails.map((tail) => head + tail)), ['']);
}

function writeOutPart(part: Part): string[] {
  if (typeof part === 'string') return [part];
  if ('count' in part) return Array.from({ length: part.count }, (_, at) => term(part, part.first + at * part.step));
  return part.flatMap(writeOut);
}

function term({ width }: Sequence, value: number): string {
  if (width !== 'letters')
    return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(width - Number(value < 0), '0');
  const char = String.fromCharCode(value);
  return LETTER.test(char) ? char : `\\${char}`;
}
