import type { Cursor } from './cursor.ts';
import { syntaxFault } from './fault.ts';

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

const DIGIT = /^[0-9]$/;
// MAXREPEAT of _sre, which stands for "no limit".
const TOO_LARGE = 4_294_967_295;
const FIXED: Record<string, Bounds> = {
  '?': { min: 0, max: 1 },
  '*': { min: 0, max: Number.POSITIVE_INFINITY },
  '+': { min: 1, max: Number.POSITIVE_INFINITY },
};

/**
 * Reads on after the token of a quantifier that stood at `start`. A `{` that opens none is an ordinary
 * character: then the cursor stays behind it and the answer is `undefined`.
 */
export function readBounds(cursor: Cursor, token: string, start: number): Bounds | undefined {
  if (token !== '{') return FIXED[token];
  if (cursor.next === '}') return undefined;
  const after = cursor.position;
  const low = cursor.takeWhile(Number.POSITIVE_INFINITY, DIGIT);
  const high = cursor.takeIf(',') ? cursor.takeWhile(Number.POSITIVE_INFINITY, DIGIT) : low;
  if (!cursor.takeIf('}')) {
    cursor.seek(after);
    return undefined;
  }
  const min = low === '' ? 0 : Number(low);
  const max = high === '' ? Number.POSITIVE_INFINITY : Number(high);
  if (min >= TOO_LARGE || (high !== '' && max >= TOO_LARGE)) {
    throw syntaxFault(start, 'a repetition number that is too large', 'Send {n,} for n and more.');
  }
  if (max < min) throw syntaxFault(after, `a repeat of at least ${min} and at most ${max}`, 'Swap the two numbers.');
  return { min, max };
}

export function isQuantifier(token: string): boolean {
  return token === '{' || token in FIXED;
}
