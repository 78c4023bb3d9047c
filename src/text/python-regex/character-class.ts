import type { ClassItem } from './char-set.ts';
import type { Cursor } from './cursor.ts';
import { type CharacterEscape, readCharacterEscape } from './escapes.ts';
import { syntaxFault } from './fault.ts';

export interface CharacterClass {
  readonly negated: boolean;
  readonly items: readonly ClassItem[];
}

/**
 * Reads a class whose `[` stood at `start`. As in Python up to 3.14, `[[`, `--`, `&&`, `~~` and `||` have no
 * meaning of their own (a `FutureWarning` there).
 */
export function readCharacterClass(cursor: Cursor, start: number): CharacterClass {
  const negated = cursor.takeIf('^');
  const items: ClassItem[] = [];
  for (;;) {
    const token = takeInside(cursor, start);
    if (token === ']' && items.length > 0) return { negated, items };
    const item = readItem(cursor, token);
    if (!cursor.takeIf('-')) {
      items.push(toItem(item));
      continue;
    }
    const end = takeInside(cursor, start);
    if (end === ']') {
      items.push(toItem(item), { type: 'range', low: 0x2d, high: 0x2d });
      return { negated, items };
    }
    items.push(toRange(cursor, [token, item], [end, readItem(cursor, end)]));
  }
}

function takeInside(cursor: Cursor, start: number): string {
  const token = cursor.take();
  if (token !== undefined) return token;
  throw syntaxFault(start, 'unterminated character class', 'Close it with ], or write \\[ for a literal bracket.');
}

function readItem(cursor: Cursor, token: string): CharacterEscape {
  if (token.startsWith('\\')) return readCharacterEscape(cursor, token, cursor.position - 2);
  return { type: 'literal', codePoint: token.codePointAt(0) ?? 0 };
}

function toItem(item: CharacterEscape): ClassItem {
  return item.type === 'category' ? item : { type: 'range', low: item.codePoint, high: item.codePoint };
}

type Bound = readonly [token: string, item: CharacterEscape];

function toRange(cursor: Cursor, [token, low]: Bound, [endToken, high]: Bound): ClassItem {
  if (low.type === 'literal' && high.type === 'literal' && low.codePoint <= high.codePoint) {
    return { type: 'range', low: low.codePoint, high: high.codePoint };
  }
  // CPython counts back by the tokens, not by the digits that belong to an escape.
  const position = cursor.position - Array.from(token).length - 1 - Array.from(endToken).length;
  const remedy = 'Put the lower character first and end at a character, or write \\- for a literal hyphen.';
  throw syntaxFault(position, `bad character range ${token}-${endToken}`, remedy);
}
