import { boundsUpTo, CharSet, type CodeTest } from './char-set.ts';

/**
 * The matcher of one name, the last segment of a path, that fnmatch and glob
 * share: each parses its own syntax into tokens, both run them here.
 *
 * The pieces between stars are found from left to right, each at its leftmost
 * place, and no piece is sought again once it stands: what follows a star can
 * only gain by an earlier place. The first piece is tried at the start alone
 * and the last one at the end alone. So a match takes time in proportion to
 * the name, and no pattern makes it hang.
 */
export interface Segment {
  matches(name: string): boolean;
  /** The only name that matches, when the pattern has no wildcard. */
  readonly literal?: string;
  readonly ends: Ends;
  /** Steps of a few nanoseconds that a match takes at worst, for a name as long as file systems have them. */
  readonly cost: number;
}

/** The code units that all names which match begin and end with; undefined where they may differ. */
export interface Ends {
  readonly first: number | undefined;
  readonly last: number | undefined;
}

export const ANY_ENDS: Ends = { first: undefined, last: undefined };

/** What several have in common. */
export function commonEnds(several: readonly Ends[]): Ends {
  const [one = ANY_ENDS, ...others] = several;
  return {
    first: others.every(({ first }) => first === one.first) ? one.first : undefined,
    last: others.every(({ last }) => last === one.last) ? one.last : undefined,
  };
}

/** Any run of characters, also none. */
export const STAR = Symbol('*');
/** One character (code point): itself, or one of a set. */
export type Single = number | CharSet;
export type Token = Single | typeof STAR;

const LONGEST_NAME = 255;
/** What the engine's search for text comes to, at worst, in steps of the search for sets. */
const TEXT_STEPS = 128;
const WORD = 32;
const ASCII_END = 0x80;
const LONE_SURROGATE = /\p{Surrogate}/u;

export function compileSegment(tokens: readonly Token[]): Segment {
  const pieces = splitAtStars(tokens);
  const texts = pieces.map(textOf);
  return texts.every((text) => text !== undefined) ? textSegment(texts) : setSegment(pieces);
}

/** The segment that matches what any of `segments` does. */
export function anyOf(segments: readonly Segment[]): Segment {
  const [first] = segments;
  if (first !== undefined && segments.length === 1) return first;
  const literals = new Set(segments.flatMap(({ literal }) => literal ?? []));
  const patterns = segments.filter(({ literal }) => literal === undefined);
  return {
    matches: (name) => literals.has(name) || patterns.some((pattern) => pattern.matches(name)),
    ends: commonEnds(segments.map(({ ends }) => ends)),
    cost: patterns.reduce((sum, { cost }) => sum + cost, 1),
  };
}

/** The tokens between the stars: n stars make n + 1 pieces. */
function splitAtStars(tokens: readonly Token[]): Single[][] {
  const pieces: Single[][] = [[]];
  for (const token of tokens) {
    if (token === STAR) pieces.push([]);
    else pieces.at(-1)?.push(token);
  }
  return pieces;
}

/**
 * The text that a piece stands for. None when it holds a set, or half of a
 * surrogate pair: a search by code units would find that inside a character.
 */
function textOf(piece: readonly Single[]): string | undefined {
  const codes = piece.filter((single) => typeof single === 'number');
  const text = codes.map((code) => String.fromCodePoint(code)).join('');
  return codes.length < piece.length || LONE_SURROGATE.test(text) ? undefined : text;
}

/** Text and stars alone: nearly all the patterns that callers send, left to the engine's own string search. */
function textSegment(pieces: readonly string[]): Segment {
  const [head = '', ...rest] = pieces;
  const tail = rest.pop();
  const ends = { first: firstUnit(head), last: lastUnit(tail ?? head) };
  if (tail === undefined) return { matches: (name) => name === head, literal: head, cost: 1, ends };
  const middle = rest.filter((text) => text !== '');
  const cost = middle.length > 0 ? TEXT_STEPS : 1;
  if (middle.length > 0) return { matches: (name) => holdsInOrder(name, head, middle, tail), cost, ends };
  if (head !== '' && tail !== '') return { matches: (name) => isFramed(name, head, tail), cost, ends };
  if (head !== '') return { matches: (name) => name.startsWith(head), cost, ends };
  if (tail !== '') return { matches: (name) => name.endsWith(tail), cost, ends };
  return { matches: () => true, cost, ends };
}

function firstUnit(text: string): number | undefined {
  return text === '' ? undefined : text.charCodeAt(0);
}

function lastUnit(text: string): number | undefined {
  return text === '' ? undefined : text.charCodeAt(text.length - 1);
}

function isFramed(name: string, head: string, tail: string): boolean {
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}

function holdsInOrder(name: string, head: string, middle: readonly string[], tail: string): boolean {
  if (!isFramed(name, head, tail)) return false;
  let from = head.length;
  for (const text of middle) {
    const at = name.indexOf(text, from);
    if (at < 0) return false;
    from = at + text.length;
  }
  return from <= name.length - tail.length;
}

function setSegment(pieces: readonly (readonly Single[])[]): Segment {
  const [head = [], ...rest] = pieces;
  const tail = rest.pop();
  const shortest = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const ends = { first: firstUnit(characterOf(head[0])), last: lastUnit(characterOf((tail ?? head).at(-1))) };
  if (tail === undefined) {
    return { matches: (name) => decode(name) === shortest && standsAt(head, 0), cost: shortest, ends };
  }
  const middle = rest.filter((piece) => piece.length > 0).map((piece) => new FloatingPiece(piece));
  return {
    matches(name) {
      const length = decode(name);
      const end = length - tail.length;
      return length >= shortest && standsAt(head, 0) && standsAt(tail, end) && standInOrder(middle, head.length, end);
    },
    cost: shortest + LONGEST_NAME * middle.reduce((most, { words }) => Math.max(most, words), 0),
    ends,
  };
}

/** The only text of a single character, or none. */
function characterOf(single: Single | undefined): string {
  return typeof single === 'number' ? String.fromCodePoint(single) : '';
}

function standInOrder(pieces: readonly FloatingPiece[], start: number, end: number): boolean {
  let from = start;
  for (const piece of pieces) {
    from = piece.endOfFirst(from, end);
    if (from < 0) return false;
  }
  return true;
}

/**
 * The code points of the name under test. One buffer for all of them, because
 * an array for every name would cost more than the match itself, and filled
 * once when many segments test the same name; a match never waits in the
 * middle, so no other can write into it.
 */
let codes = new Int32Array(2 * LONGEST_NAME);
let decoded = '';
let decodedLength = 0;

function decode(name: string): number {
  if (name === decoded) return decodedLength;
  if (name.length > codes.length) codes = new Int32Array(2 * name.length);
  let length = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    codes[length++] = code;
  }
  decoded = name;
  decodedLength = length;
  return length;
}

function standsAt(piece: readonly Single[], from: number): boolean {
  for (let at = 0; at < piece.length; at++) {
    const single = piece[at];
    if (single === undefined || !takes(single, codes[from + at] ?? 0)) return false;
  }
  return true;
}

function takes(single: Single, code: number): boolean {
  return typeof single === 'number' ? single === code : single.has(code);
}

/**
 * A piece that may stand anywhere, sought by Shift-And (Baeza-Yates and
 * Gonnet): bit n of the state says that the piece's first n + 1 members stand
 * right before here. One step a character for each 32 members, where trying
 * every place would take one a member.
 */
class FloatingPiece {
  readonly words: number;
  readonly #members: readonly Single[];
  readonly #state: Int32Array;
  readonly #lastBit: number;
  /** All the members' bounds and tests: characters with the same answers from them are all the same to the piece. */
  readonly #bounds: Int32Array;
  readonly #tests: readonly CodeTest[];
  /** Which members a character may stand for, one bit each: side by side for ASCII, by answers beyond. */
  readonly #ascii: Int32Array;
  readonly #wide: Int32Array[] = [];

  constructor(members: readonly Single[]) {
    this.words = Math.ceil(members.length / WORD);
    this.#members = members;
    this.#state = new Int32Array(this.words);
    this.#lastBit = 1 << ((members.length - 1) % WORD);
    const bounds = members.flatMap((member) => (member instanceof CharSet ? [...member.bounds] : [member, member + 1]));
    this.#bounds = Int32Array.from(new Set(bounds)).sort();
    this.#tests = [...new Set(members.flatMap((member) => (member instanceof CharSet ? member.tests : [])))];
    this.#ascii = new Int32Array(ASCII_END * this.words);
    for (let code = 0; code < ASCII_END; code++) this.#ascii.set(this.#maskOf(code), code * this.words);
  }

  /** The place behind the leftmost occurrence between `from` and `end` in the name under test, or -1. */
  endOfFirst(from: number, end: number): number {
    return this.words === 1 ? this.#endByWord(from, end) : this.#endByWords(from, end);
  }

  /** The same with the state in one number, which is 3 times faster and serves nearly all patterns. */
  #endByWord(from: number, end: number): number {
    let state = 0;
    for (let at = from; at < end; at++) {
      const code = codes[at] ?? 0;
      const mask = code < ASCII_END ? this.#ascii[code] : this.#wideMaskOf(code)[0];
      state = ((state << 1) | 1) & (mask ?? 0);
      if ((state & this.#lastBit) !== 0) return at + 1;
    }
    return -1;
  }

  #endByWords(from: number, end: number): number {
    const last = this.words - 1;
    this.#state.fill(0);
    for (let at = from; at < end; at++) {
      const code = codes[at] ?? 0;
      if (code < ASCII_END) this.#advance(this.#ascii, code * this.words);
      else this.#advance(this.#wideMaskOf(code), 0);
      if (((this.#state[last] ?? 0) & this.#lastBit) !== 0) return at + 1;
    }
    return -1;
  }

  #advance(masks: Int32Array, first: number): void {
    const state = this.#state;
    let carry = 1;
    for (let word = 0; word < state.length; word++) {
      const before = state[word] ?? 0;
      state[word] = ((before << 1) | carry) & (masks[first + word] ?? 0);
      carry = before >>> (WORD - 1);
    }
  }

  #wideMaskOf(code: number): Int32Array {
    let kind = boundsUpTo(this.#bounds, code);
    for (const test of this.#tests) kind = 2 * kind + Number(test(code));
    const known = this.#wide[kind];
    if (known !== undefined) return known;
    const mask = this.#maskOf(code);
    this.#wide[kind] = mask;
    return mask;
  }

  #maskOf(code: number): Int32Array {
    const mask = new Int32Array(this.words);
    for (const [at, member] of this.#members.entries()) {
      const word = Math.floor(at / WORD);
      if (takes(member, code)) mask[word] = (mask[word] ?? 0) | (1 << (at % WORD));
    }
    return mask;
  }
}
