import type { PlaceNode } from './ast.ts';
import { ASCII_WORD, testFor, UNICODE_WORD } from './char-set.ts';
import type { Machine } from './machine.ts';

const LINE_FEED = 0x0a;
const isWord = { ascii: testFor(ASCII_WORD), unicode: testFor(UNICODE_WORD) };

/** Tells whether a machine stands at such a place. */
export function placeTest({ place, ascii }: PlaceNode): (machine: Machine) => boolean {
  switch (place) {
    case 'start':
      return (machine) => machine.position === 0;
    case 'line-start':
      return (machine) => machine.position === 0 || machine.characterAt(machine.position - 1) === LINE_FEED;
    case 'end':
      return isAtEnd;
    case 'end-or-last-line-feed':
      return (machine) => isAtEnd(machine) || (isAtLineFeed(machine) && machine.position === machine.length - 1);
    case 'line-end':
      return (machine) => isAtEnd(machine) || isAtLineFeed(machine);
    case 'boundary':
      return (machine) => machine.length > 0 && isBetween(machine, ascii);
    case 'no-boundary':
      // Python 3.11 finds none in an empty text.
      return (machine) => machine.length > 0 && !isBetween(machine, ascii);
  }
}

function isAtEnd(machine: Machine): boolean {
  return machine.position === machine.length;
}

function isAtLineFeed(machine: Machine): boolean {
  return machine.characterAt(machine.position) === LINE_FEED;
}

function isBetween(machine: Machine, ascii: boolean): boolean {
  const test = ascii ? isWord.ascii : isWord.unicode;
  return test(machine.characterAt(machine.position - 1)) !== test(machine.characterAt(machine.position));
}
