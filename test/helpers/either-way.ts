import { expect } from 'vitest';
import type { Reply } from './operations.ts';

type Grep = (fields: Record<string, unknown>) => Promise<Reply>;

const META = /[\\.+*?()|[\]{}^$#&~-]/g;

/**
 * What grep gives for a text. Texts are looked for by the service itself and
 * regexes by ripgrep: both are asked, and have to give the same.
 */
export async function eitherWay(grep: Grep, fields: Record<string, unknown>): Promise<Reply> {
  const reply = await grep(fields);
  if (fields['isRegex'] === true) return reply;
  const pattern = String(fields['pattern']);
  const { hints: _, ...byRegex } = await grep({ ...fields, isRegex: true, pattern: pattern.replaceAll(META, '\\$&') });
  const { hints, ...byText } = reply;
  expect(byRegex).toEqual({ ...byText, pattern: byRegex.pattern });
  return reply;
}
