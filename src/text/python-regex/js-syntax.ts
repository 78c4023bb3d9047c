import type { Alphabet } from './alphabet.ts';
import type { LookNode, PlaceNode } from './ast.ts';
import { UNICODE_WORD } from './char-set.ts';
import { classSource } from './class-source.ts';

/** Matches nowhere. */
export const NEVER = '(?!)';

export function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

export function countSource({ min, max }: { min: number; max: number }): string {
  return Number.isFinite(max) ? `{${min},${max}}` : `{${min},}`;
}

/**
 * A look-around over `body`. A look-behind steps back and then looks ahead, as Python does: on its own,
 * JavaScript would match the body from right to left, references before their groups.
 */
export function lookSource({ negative, back }: LookNode, body: string): string {
  if (!back) return `(?${negative ? '!' : '='}${body})`;
  return `(?<${negative ? '!' : '='}(?=${body})[\\s\\S]{${back}})`;
}

export function placeSource({ place, ascii }: PlaceNode, alphabet: Alphabet): string {
  switch (place) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'boundary':
      return ascii || alphabet.ascii ? '\\b' : boundary(alphabet, '!', '=');
    case 'no-boundary':
      // Python 3.11 finds none in an empty text.
      return `(?!^$)${ascii || alphabet.ascii ? '\\B' : boundary(alphabet, '=', '!')}`;
    default:
      return lineSource(place, alphabet.singleLine);
  }
}

function lineSource(place: 'line-start' | 'line-end' | 'end-or-last-line-feed', singleLine: boolean): string {
  if (place === 'line-start') return singleLine ? '^' : '(?:^|(?<=\\n))';
  if (singleLine) return '$';
  return place === 'line-end' ? '(?=\\n|$)' : '(?=\\n?$)';
}

// What follows a word character, and what follows another one or the start: `=` a word character, `!` none.
function boundary(alphabet: Alphabet, afterWord: '=' | '!', afterOther: '=' | '!'): string {
  const word = classSource(alphabet.unitsOf(UNICODE_WORD), false, unitEscape);
  return `(?:(?<=${word})(?${afterWord}${word})|(?<!${word})(?${afterOther}${word}))`;
}
