import { splitList } from '../text/list.ts';

const TRUE = new Set(['true', '1', 'yes']);
const FALSE = new Set(['false', '0', 'no']);
const WHOLE = /^\s*[+-]?\d{1,20}\s*$/;

/**
 * A value as a query or a model has it, in the type that the field has: booleans
 * and whole numbers may be text, lists one string. What can be read in one way
 * alone is read; everything else stays as it is, for validation to refuse.
 */
export function toTyped(value: unknown, property: Record<string, unknown>): unknown {
  switch (property['type']) {
    case 'boolean':
      return toBoolean(value);
    case 'integer':
      return typeof value === 'string' && WHOLE.test(value) ? Number(value) : value;
    case 'array':
      return typeof value === 'string' ? splitList(value) : value;
    default:
      return value;
  }
}

function toBoolean(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value).trim().toLowerCase();
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : value;
}
