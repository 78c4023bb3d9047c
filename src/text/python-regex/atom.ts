import type { Place, RegexNode } from './ast.ts';
import { toLower } from './case-folding.ts';
import { ANY, ANY_BUT_LINE_FEED, type ClassItem, toCharSet } from './char-set.ts';
import { readCharacterClass } from './character-class.ts';
import type { Cursor } from './cursor.ts';
import { readCharacterEscape, readNumber } from './escapes.ts';
import { syntaxFault, unsupportedFault } from './fault.ts';
import { type Flags, foldOf } from './flags.ts';
import type { Groups } from './groups.ts';

const LAST_OF_BMP = 0xffff;
const ESCAPED_PLACES: Record<string, Place> = {
  '\\A': 'start',
  '\\Z': 'end',
  '\\b': 'boundary',
  '\\B': 'no-boundary',
};
const GROUP_NUMBER = /^\\[1-9]$/;

/** What an atom is read with: the state of the parser where its first token stood. */
export interface AtomContext {
  readonly cursor: Cursor;
  readonly groups: Groups;
  readonly flags: Flags;
  /** Where the first token, already taken, stood. */
  readonly start: number;
}

/** Reads what begins with `token` and is no group and no quantifier: one character, a class, a place, a reference. */
export function readAtom(token: string, context: AtomContext): RegexNode {
  if (token.startsWith('\\')) return readEscape(token, context);
  const { multiline, dotAll } = context.flags;
  switch (token) {
    case '[': {
      const { negated, items } = readCharacterClass(context.cursor, context.start);
      return toSet(items, negated, context);
    }
    case '.':
      return { type: 'set', set: dotAll ? ANY : ANY_BUT_LINE_FEED };
    case '^':
      return toPlace(multiline ? 'line-start' : 'start', context);
    case '$':
      return toPlace(multiline ? 'line-end' : 'end-or-last-line-feed', context);
    default:
      return toLiteral(token.codePointAt(0) ?? 0, context);
  }
}

export function toLiteral(codePoint: number, context: AtomContext): RegexNode {
  return toSet([{ type: 'range', low: codePoint, high: codePoint }], false, context);
}

export function toReference(group: number, { flags, start }: AtomContext): RegexNode {
  return { type: 'reference', group, fold: foldOf(flags), position: start };
}

function readEscape(token: string, context: AtomContext): RegexNode {
  const place = ESCAPED_PLACES[token];
  if (place !== undefined) return toPlace(place, context);
  if (GROUP_NUMBER.test(token)) return readGroupNumber(token.slice(1), context);
  const escaped = readCharacterEscape(context.cursor, token, context.start);
  return escaped.type === 'category' ? toSet([escaped], false, context) : toLiteral(escaped.codePoint, context);
}

function readGroupNumber(first: string, context: AtomContext): RegexNode {
  const { cursor, groups, start } = context;
  const number = readNumber(cursor, first, start);
  if (number.type === 'literal') return toLiteral(number.codePoint, context);
  if (number.group > groups.count) {
    const remedy = 'Groups are counted from 1, in the order of their opening parentheses.';
    throw syntaxFault(start + 1, `reference to group ${number.group}, which does not exist,`, remedy);
  }
  groups.checkReference(number.group, start, cursor.position);
  return toReference(number.group, context);
}

function toPlace(place: Place, { flags, start }: AtomContext): RegexNode {
  return { type: 'place', place, ascii: flags.ascii, position: start };
}

function toSet(items: readonly ClassItem[], negated: boolean, { flags, start }: AtomContext): RegexNode {
  const fold = foldOf(flags);
  for (const item of items) {
    if (item.type !== 'range' || item.low !== item.high || item.low <= LAST_OF_BMP) continue;
    // CPython compares such a letter with lowered text in a class, where it never matches, but not outside one.
    if (toLower(item.low, fold) !== item.low) throw upperCaseAboveBmp(start, toLower(item.low, fold));
  }
  return { type: 'set', set: toCharSet(items, negated, flags.ascii, fold) };
}

function upperCaseAboveBmp(position: number, lowered: number): Error {
  const construct = 'an upper-case letter above U+FFFF where case is ignored';
  return unsupportedFault(position, construct, `Send the lower-case letter: ${String.fromCodePoint(lowered)}.`);
}
