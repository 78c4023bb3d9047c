import { BodyInvalid } from '../../errors.ts';
import { matchAt } from './cursor.ts';

const EXPECTED = 'Send one JSON object, such as {"action": "ls", "input": {"path": "src"}}.';
const EXCERPT = /[^\r\n]{0,20}/uy;
const WORD = /[\w$.+-]{1,20}|[\s\S]/uy;

/** There is nothing in the body that could be run. `what` is a whole clause: "The body is empty". */
export function noObject(what: string): Error {
  return new BodyInvalid(`${what}. ${EXPECTED}`);
}

export function severalObjects(): Error {
  return new BodyInvalid(`The body holds more than one JSON object, so none was chosen. ${EXPECTED}`);
}

export function cutInString(text: string, from: number): Error {
  return new BodyInvalid(
    `The body was cut off inside a string: \`${matchAt(EXCERPT, text, from)}\` at ${place(text, from)} has no closing quote. Send the whole JSON object again.`,
  );
}

export function cutOff(text: string, at: number, where: string): Error {
  return new BodyInvalid(`The body was cut off ${where} (${place(text, at)}). Send the whole JSON object again.`);
}

export function tooDeep(limit: number): Error {
  return new BodyInvalid(`The JSON is nested more than ${limit} levels deep. ${EXPECTED}`);
}

/** The object cannot be read without guessing. `fault` is a whole clause that tells what to send instead. */
export function unreadable(text: string, at: number, fault: string): Error {
  return new BodyInvalid(`The JSON object cannot be read at ${place(text, at)}: ${fault}.`);
}

/** What stands at `at`, in words: a word, a character, or the end. */
export function found(text: string, at: number): string {
  const word = matchAt(WORD, text, at);
  return word === '' ? 'the end' : `'${word}'`;
}

function place(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  const line = before.at(-1) ?? '';
  return `line ${before.length}, column ${[...line].length + 1}`;
}
