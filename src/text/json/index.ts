import type { Cursor } from './cursor.ts';
import { findObject, type Opening } from './payload.ts';
import { noObject, tooDeep } from './refusals.ts';
import { type Lead, leadOf, leave } from './surroundings.ts';
import { type Json, type JsonObject, readObject } from './values.ts';

export type { Json };

/** Levels of objects and arrays that a body may have, its own included, unless the caller says otherwise. */
const MAX_DEPTH = 64;

export interface Mended {
  value: { [key: string]: Json };
  /** What was mended, in words, e.g. "removed a code fence"; empty when the text was strict JSON. */
  repairs: string[];
}

/**
 * Parses the one JSON object in `text`, which a language model wrote.
 *
 * Strict JSON (RFC 8259), white space and a BOM around it included, is what
 * `JSON.parse` makes of it. Else the one object is found among fences and prose,
 * and what has a single reading is mended and told. The values of strings are never
 * changed by a repair, and no value is made up: where two readings are possible,
 * nothing is returned.
 *
 * Throws `BODY_INVALID` when there is no object or more than one, when the text was
 * cut off inside a string, when it is nested more than `maxDepth` levels deep, and for any
 * other damage. Takes time in proportion to the text, whose length the caller bounds.
 *
 * `__proto__` and `constructor` are plain names: `__proto__` comes back as an own
 * property, which a spread copies and `Object.assign` must not be given.
 */
export function parseTolerant(text: string, maxDepth = MAX_DEPTH): Mended {
  const body = text.trim();
  if (body === '') throw noObject('The body is empty');
  const strict = parseStrict(body);
  return strict === undefined ? mend(text, maxDepth) : { value: objectOf(strict, maxDepth), repairs: [] };
}

function parseStrict(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: Json, maxDepth: number): JsonObject {
  if (Array.isArray(value)) throw noObject('The body is an array, not an object');
  if (value === null || typeof value !== 'object') {
    throw noObject(`The body is ${value === null ? 'null' : `a ${typeof value}`}, not an object`);
  }
  if (isDeeper(value, maxDepth)) throw tooDeep(maxDepth);
  return value;
}

/** Whether a value has more than so many levels of objects and arrays, its own included. */
export function isDeeper(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function mend(text: string, maxDepth: number): Mended {
  const opening = findObject(text);
  if (opening === undefined) throw noObject('The body holds no JSON object');
  const lead = leadOf(text, opening);
  const cursor = cursorAt(text, opening, lead, maxDepth);
  const value = readObject(cursor);
  leave(cursor, opening, lead);
  return { value, repairs: [...cursor.repairs] };
}

function cursorAt(text: string, { at }: Opening, { blockQuoted }: Lead, maxDepth: number): Cursor {
  return { text, at, due: [], maxDepth, repairs: new Set(), blockQuoted, brokenLine: false };
}
