import type { Fold } from './case-folding.ts';
import type { Cursor } from './cursor.ts';
import { syntaxFault, unsupportedFault } from './fault.ts';

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
}

/** `(?i)`: for the whole pattern. `(?i:` and `(?-i:`: for one group. */
export interface FlagChange {
  readonly scoped: boolean;
  readonly on: ReadonlySet<string>;
  readonly off: ReadonlySet<string>;
}

const MEMBERS: Record<string, keyof Flags> = { i: 'ignoreCase', m: 'multiline', s: 'dotAll', x: 'verbose' };
const FLAG = /^[aiLmsux]$/;
const TYPE_FLAG = /^[aLu]$/;
const LETTER = /^\p{L}$/u;
const AFTER_ON = [')', '-', ':'];
const AFTER_OFF = [':'];
const SEND = 'Flags are i, m, s, x, a and u: send (?i) at the start of the pattern, or (?i:…) and (?-i:…) for a part.';

export function startsFlags(token: string): boolean {
  return token === '-' || token === 't' || FLAG.test(token);
}

export function applyFlags(flags: Flags, { on, off }: FlagChange): Flags {
  const changed = { ...flags };
  for (const flag of on) setMember(changed, flag, true);
  for (const flag of off) setMember(changed, flag, false);
  return changed;
}

export function foldOf(flags: Flags): Fold {
  if (!flags.ignoreCase) return 'none';
  return flags.ascii ? 'ascii' : 'unicode';
}

/** Reads flags after their first token, up to and with the `)` or `:` that ends them. */
export function readFlags(cursor: Cursor, first: string): FlagChange {
  const on = new Set<string>();
  const off = new Set<string>();
  let token = first;
  if (token !== '-') token = readRun(cursor, token, AFTER_ON, (flag) => turnOn(on, flag, cursor.position));
  if (token === ')') return { scoped: false, on, off };
  if (token === '-') {
    readRun(cursor, readFirstOff(cursor), AFTER_OFF, (flag) => turnOff(off, flag, cursor.position));
  }
  const both = [...on].find((flag) => off.has(flag));
  if (both !== undefined) throw syntaxFault(cursor.position - 1, `flag ${both} turned on and off`, SEND);
  return { scoped: true, on, off };
}

function readRun(cursor: Cursor, first: string, ends: readonly string[], take: (flag: string) => void): string {
  const otherwise = `missing ${ends.join(' or ')} after the flags`;
  let token = first;
  while (!ends.includes(token)) {
    if (token === 't') throw unsupportedFault(cursor.position - 1, 'the flag t, which Python has given up,', SEND);
    if (!FLAG.test(token)) throw unknownFlag(cursor, token, otherwise);
    take(token);
    const after = cursor.take();
    if (after === undefined) throw syntaxFault(cursor.position, otherwise, SEND);
    token = after;
  }
  return token;
}

function readFirstOff(cursor: Cursor): string {
  const token = cursor.take();
  if (token === undefined) throw syntaxFault(cursor.position, 'missing flag after -', SEND);
  if (!startsFlags(token) || token === '-') throw unknownFlag(cursor, token, 'missing flag after -');
  return token;
}

function unknownFlag(cursor: Cursor, token: string, otherwise: string): Error {
  const fault = LETTER.test(token) ? `unknown flag ${token}` : otherwise;
  return syntaxFault(cursor.position - Array.from(token).length, fault, SEND);
}

function turnOn(flags: Set<string>, flag: string, position: number): void {
  if (flag === 'L') throw syntaxFault(position, 'the flag L, which is for bytes patterns,', SEND);
  flags.add(flag);
  if (flags.has('a') && flags.has('u')) throw syntaxFault(position, 'the flags a and u together', SEND);
}

function turnOff(flags: Set<string>, flag: string, position: number): void {
  if (TYPE_FLAG.test(flag)) throw syntaxFault(position, `flag ${flag}, which cannot be turned off,`, SEND);
  flags.add(flag);
}

function setMember(flags: { -readonly [Name in keyof Flags]: boolean }, flag: string, value: boolean): void {
  const member = MEMBERS[flag];
  if (member !== undefined) flags[member] = value;
  else flags.ascii = flag === 'a';
}
