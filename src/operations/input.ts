import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { closest, distance } from 'fastest-levenshtein';
import type { TObject, TSchema } from 'typebox';
import { type FieldFault, InputInvalid, withMembers } from '../errors.ts';
import { toTyped } from './model-values.ts';

/** Where an input comes from: a query string, or JSON, in which an empty text means that nothing is given. */
export type Origin = 'query' | 'json';

export interface CheckedInput {
  /** All fields that the schema knows, defaults filled in. */
  input: Record<string, unknown>;
  /** Names that the schema does not know; empty unless they are to be ignored. */
  unknown: string[];
}

/** It coerces nothing: what a query, or a model, writes as text is read before. */
const ajv = new Ajv({
  useDefaults: true,
  removeAdditional: false,
  coerceTypes: false,
  allErrors: true,
  strict: false,
  ownProperties: true,
});
const validators = new WeakMap<TObject, ValidateFunction>();

/**
 * Checks the fields of an input and fills in their defaults. Null means not
 * given; a list may be one string, split at its commas, or an array in JSON
 * text. Throws INPUT_INVALID naming each field at fault and what it may be, and
 * for an unknown one, unless those are ignored, the nearest known.
 */
export function checkInput(schema: TObject, given: unknown, origin: Origin, ignoreUnknown = false): CheckedInput {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new InputInvalid('The input is not an object. Send its fields as {"name": value, …}.');
  }
  const unknown = ignoreUnknown ? Object.keys(given).filter((name) => propertyOf(schema, name) === undefined) : [];
  const input = normalised(schema, given, origin, unknown);
  const hasPath = (input['path'] ?? '') !== '';
  const validate = validatorOf(schema);
  if (!validate(input)) {
    throw toFieldsError((validate.errors ?? []).map((error) => toFault(schema, error, input)));
  }
  const broken = Object.keys(input).find((name) => !isWellFormed(input[name]));
  if (broken !== undefined) {
    const detail = `'${broken}' holds half a surrogate pair, which no name and no file does. Send whole characters.`;
    throw toFieldsError([{ detail, pointer: `#/${broken}` }]);
  }
  if (input['pathBytes'] !== undefined && hasPath) {
    throw toFieldsError([{ detail: "Send 'path' or 'pathBytes', not both.", pointer: '#/pathBytes' }]);
  }
  return { input, unknown };
}

/** Whether all text in a value is made of whole Unicode characters. */
function isWellFormed(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isWellFormed);
  return typeof value !== 'string' || value.isWellFormed();
}

/** Faults of fields as one error, whose detail is all of theirs. */
export function toFieldsError(faults: readonly FieldFault[]): Error {
  return withMembers(new InputInvalid(faults.map(({ detail }) => detail).join(' ')), { errors: [...faults] });
}

function validatorOf(schema: TObject): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validate = ajv.compile(schema);
  validators.set(schema, validate);
  return validate;
}

/** A copy with lists as arrays, without what is not given. `__proto__` is a name like any other in it. */
function normalised(
  schema: TObject,
  given: object,
  origin: Origin,
  ignored: readonly string[],
): Record<string, unknown> {
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    const isGiven = value !== null && (origin === 'query' || value !== '');
    if (isGiven && !ignored.includes(name)) input[name] = toField(value, propertyOf(schema, name));
  }
  return input;
}

function toField(value: unknown, property: Record<string, unknown> | undefined): unknown {
  return property === undefined ? value : toTyped(value, property);
}

function propertyOf(schema: TObject, name: string): Record<string, unknown> | undefined {
  const properties: Record<string, TSchema> = schema.properties;
  return Object.hasOwn(properties, name) ? (properties[name] as Record<string, unknown>) : undefined;
}

function toFault(schema: TObject, error: ErrorObject, input: Record<string, unknown>): FieldFault {
  const { params, instancePath } = error;
  if (error.keyword === 'required') {
    const name = String(params['missingProperty']);
    return { detail: `'${name}' is missing.`, pointer: `#/${name}` };
  }
  if (error.keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    return { detail: unknownField(name, Object.keys(schema.properties)), pointer: `#/${escapePointer(name)}` };
  }
  const name = instancePath.split('/')[1] ?? '';
  const expected = expectation(propertyOf(schema, name) ?? {}, error);
  const shown = JSON.stringify(input[name]) ?? '';
  return { detail: `'${name}' must be ${expected}, not ${shown.slice(0, 60)}.`, pointer: `#${instancePath}` };
}

function unknownField(name: string, known: readonly string[]): string {
  const lower = name.toLowerCase();
  const near = closest(
    lower,
    known.map((field) => field.toLowerCase()),
  );
  const nearest = known.find((field) => field.toLowerCase() === near) ?? '';
  const nearby = distance(lower, near) <= Math.max(3, nearest.length * 0.6) ? ` The nearest is '${nearest}'.` : '';
  return `There is no field '${name.slice(0, 60)}'.${nearby} The fields are ${known.join(', ')}.`;
}

/** What a field may be, in words. */
function expectation(schema: Record<string, unknown>, error: ErrorObject): string {
  const { type, minimum, maximum } = schema;
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].join(', ')}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return `a list of at most ${schema['maxItems']} patterns, none of them empty`;
  if (error.keyword === 'minLength') return 'a text that is not empty';
  if (error.keyword === 'maxLength') return `a text of at most ${schema['maxLength']} characters`;
  return 'a text';
}

/** RFC 6901, section 3. */
function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
