import type { Cursor } from './cursor.ts';
import { syntaxFault, unsupportedFault } from './fault.ts';
import { type FlagChange, readFlags, startsFlags } from './flags.ts';
import type { Groups } from './groups.ts';

/** What an opening parenthesis starts. A comment and a back-reference are complete, the others have a body. */
export type GroupHead =
  | { readonly type: 'capture'; readonly name: string | undefined; readonly position: number }
  | { readonly type: 'plain' | 'atomic' | 'comment' }
  | { readonly type: 'look'; readonly behind: boolean; readonly negative: boolean }
  | { readonly type: 'flags'; readonly change: FlagChange }
  | { readonly type: 'reference'; readonly group: number }
  | { readonly type: 'conditional'; readonly group: number };

const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const DECIMAL = /^[0-9]+$/;
const LARGEST_GROUP = 2 ** 30;
const NAME_REMEDY = 'A name has letters, digits and underscores and begins with no digit: (?P<name>…).';
const EXTENSION_REMEDY =
  'Python has (?:…) (?P<name>…) (?P=name) (?=…) (?!…) (?<=…) (?<!…) (?>…) (?i) (?i:…); write \\(\\? for the characters.';

/** Reads on after a `(` that stood at `start`. */
export function readGroupHead(cursor: Cursor, groups: Groups, start: number): GroupHead {
  if (!cursor.takeIf('?')) return { type: 'capture', name: undefined, position: start };
  const token = takeExtension(cursor);
  switch (token) {
    case 'P':
      return readNamed(cursor, groups);
    case ':':
      return { type: 'plain' };
    case '>':
      return { type: 'atomic' };
    case '#':
      return readComment(cursor, start);
    case '=':
    case '!':
      return { type: 'look', behind: false, negative: token === '!' };
    case '<':
      return readLookBehind(cursor);
    case '(':
      return readCondition(cursor, groups);
    default:
      if (startsFlags(token)) return { type: 'flags', change: readFlags(cursor, token) };
      throw unknownExtension(cursor, token, '?');
  }
}

function takeExtension(cursor: Cursor): string {
  const token = cursor.take();
  if (token !== undefined) return token;
  throw syntaxFault(cursor.position, 'unexpected end after (?', EXTENSION_REMEDY);
}

function unknownExtension(cursor: Cursor, token: string, before: string): Error {
  const written = before + token;
  // The position is that of the question mark.
  return syntaxFault(cursor.position - Array.from(written).length, `unknown extension (${written}`, EXTENSION_REMEDY);
}

function readNamed(cursor: Cursor, groups: Groups): GroupHead {
  if (cursor.takeIf('<')) {
    const position = cursor.position;
    const name = cursor.takeUntil('>', 'group name', NAME_REMEDY);
    checkName(name, position);
    return { type: 'capture', name, position };
  }
  if (!cursor.takeIf('=')) throw unknownExtension(cursor, takeExtension(cursor), '?P');
  const position = cursor.position;
  const name = cursor.takeUntil(')', 'group name', NAME_REMEDY);
  checkName(name, position);
  const group = groups.named(name, position);
  groups.checkReference(group, position, cursor.position);
  return { type: 'reference', group };
}

function checkName(name: string, position: number): void {
  if (!IDENTIFIER.test(name)) throw syntaxFault(position, `bad group name ${name}`, NAME_REMEDY);
}

function readComment(cursor: Cursor, start: number): GroupHead {
  for (;;) {
    const token = cursor.take();
    if (token === ')') return { type: 'comment' };
    if (token === undefined) throw syntaxFault(start, 'unterminated comment', 'Close it with ).');
  }
}

function readLookBehind(cursor: Cursor): GroupHead {
  const token = takeExtension(cursor);
  if (token !== '=' && token !== '!') throw unknownExtension(cursor, token, '?<');
  return { type: 'look', behind: true, negative: token === '!' };
}

function readCondition(cursor: Cursor, groups: Groups): GroupHead {
  const position = cursor.position;
  const name = cursor.takeUntil(')', 'group name', NAME_REMEDY);
  const group = IDENTIFIER.test(name) ? groups.named(name, position) : readGroupNumber(groups, name, position);
  groups.checkLookBehind(group, cursor.position);
  return { type: 'conditional', group };
}

function readGroupNumber(groups: Groups, digits: string, position: number): number {
  if (!DECIMAL.test(digits)) throw unsupportedFault(position, `the group name ${digits}`, NAME_REMEDY);
  const group = Number(digits);
  if (group === 0) throw syntaxFault(position, 'group number 0', 'Groups are counted from 1.');
  if (group >= LARGEST_GROUP) throw syntaxFault(position, `no group ${digits}`, 'Groups are counted from 1.');
  groups.promise(group, position);
  return group;
}
