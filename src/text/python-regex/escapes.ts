import type { Category } from './categories.ts';
import type { Cursor } from './cursor.ts';
import { syntaxFault, unsupportedFault } from './fault.ts';
import { MAX_CODE_POINT } from './ranges.ts';

/** A class of characters or one character: what an escape means inside brackets, and mostly outside too. */
export type CharacterEscape =
  | { readonly type: 'category'; readonly category: Category; readonly negated: boolean }
  | { readonly type: 'literal'; readonly codePoint: number };

const CATEGORIES: Record<string, Category> = { d: 'digit', s: 'space', w: 'word' };
const CONTROLS: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
const HEX_LENGTHS: Record<string, number> = { x: 2, u: 4, U: 8 };
const HEX = /^[0-9A-Fa-f]$/;
const OCTAL = /^[0-7]$/;
const DIGIT = /^[0-9]$/;
const ASCII_LETTER = /^[A-Za-z]$/;
const LARGEST_OCTAL = 0o377;

const REMEDIES: Record<string, string> = {
  z: 'Write \\Z for the end of the name.',
  h: 'Write [ \\t] for blanks.',
  R: 'Write \\r?\\n for a line break.',
  p: 'Python has no Unicode properties: write [^\\W\\d_] for letters, \\d for digits, \\w for both and _.',
  P: 'Python has no Unicode properties: write [^\\W\\d_] for letters, \\d for digits, \\w for both and _.',
  K: 'Write a look-behind, (?<=…), or leave it out: only whether the name matches counts.',
  G: 'Write \\A for the start of the name.',
  Q: 'Python has no \\Q…\\E: put a backslash before each special character.',
  E: 'Python has no \\Q…\\E: put a backslash before each special character.',
  c: 'Write a control character as \\x01 to \\x1f.',
};

/**
 * Reads on after the token `\?` that began at `start`. In brackets `\b` is a backspace, `\1` an octal
 * number, and what stands for a place is an error; outside, the caller has looked for places and references.
 */
export function readCharacterEscape(cursor: Cursor, token: string, start: number): CharacterEscape {
  const letter = token.slice(1);
  const category = CATEGORIES[letter.toLowerCase()];
  if (category !== undefined) return { type: 'category', category, negated: letter !== letter.toLowerCase() };
  return { type: 'literal', codePoint: readCodePoint(cursor, letter, start) };
}

function readCodePoint(cursor: Cursor, letter: string, start: number): number {
  const control = CONTROLS[letter];
  if (control !== undefined) return control;
  const length = HEX_LENGTHS[letter];
  if (length !== undefined) return readHex(cursor, letter, length, start);
  if (letter === 'N') throw namedCharacter(cursor, start);
  if (OCTAL.test(letter)) return readOctal(cursor, letter, start);
  if (ASCII_LETTER.test(letter) || DIGIT.test(letter)) throw unknownEscape(letter, start);
  return letter.codePointAt(0) ?? 0;
}

function readHex(cursor: Cursor, letter: string, length: number, start: number): number {
  const digits = cursor.takeWhile(length, HEX);
  const codePoint = Number.parseInt(digits, 16);
  if (digits.length !== length || codePoint > MAX_CODE_POINT) {
    const remedy = 'Write \\x and two, \\u and four, or \\U and eight hexadecimal digits, at most \\U0010ffff.';
    throw syntaxFault(start, `incomplete escape \\${letter}${digits}`, remedy);
  }
  return codePoint;
}

function readOctal(cursor: Cursor, first: string, start: number): number {
  const digits = first + cursor.takeWhile(2, OCTAL);
  const codePoint = Number.parseInt(digits, 8);
  if (codePoint > LARGEST_OCTAL) throw octalTooLarge(digits, start);
  return codePoint;
}

function octalTooLarge(digits: string, start: number): Error {
  return syntaxFault(start, `octal escape \\${digits} above \\377`, 'Write \\u and four hexadecimal digits.');
}

function namedCharacter(cursor: Cursor, start: number): Error {
  const remedy = 'Write the character itself, or \\u and four hexadecimal digits.';
  if (cursor.next !== '{') return syntaxFault(cursor.position, 'missing { after \\N', remedy);
  return unsupportedFault(start, 'the character name \\N{…}', remedy);
}

function unknownEscape(letter: string, start: number): Error {
  const remedy =
    REMEDIES[letter] ?? `Write ${letter} for the character itself, \\\\${letter} for a backslash before it.`;
  return syntaxFault(start, `bad escape \\${letter}`, remedy);
}

/**
 * Reads the number after a backslash outside brackets: three octal digits are a character, anything else
 * names a group. `\0` has been read as a character before.
 */
export function readNumber(
  cursor: Cursor,
  first: string,
  start: number,
): { type: 'literal'; codePoint: number } | { type: 'group'; group: number } {
  let digits = first;
  if (cursor.next !== undefined && DIGIT.test(cursor.next)) {
    digits += cursor.take();
    if (OCTAL.test(first) && OCTAL.test(digits.slice(1)) && cursor.next !== undefined && OCTAL.test(cursor.next)) {
      digits += cursor.take();
      const codePoint = Number.parseInt(digits, 8);
      if (codePoint > LARGEST_OCTAL) throw octalTooLarge(digits, start);
      return { type: 'literal', codePoint };
    }
  }
  return { type: 'group', group: Number.parseInt(digits, 10) };
}
