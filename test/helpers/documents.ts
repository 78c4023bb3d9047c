import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as tests expect it
export type Document = any;

/** RFC 3339, section 5.6, as far as replies use it. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The OpenAPI document that the service gives out. */
export async function documentOf(app: FastifyInstance): Promise<Document> {
  const reply = await app.inject({ url: '/openapi.json', headers: { host: 'localhost' } });
  return reply.json();
}

/** Says what of a value does not fit the documented schema of that name; null when all does. */
export function schemasOf(document: Document): (name: string, value: unknown) => string | null {
  const fits = placesOf(document);
  return (name, value) => fits(pointerTo('components', 'schemas', name), value);
}

/** A place in a document, as a JSON Pointer (RFC 6901). */
export function pointerTo(...keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Says what of a value does not fit the schema at that place; null when all does. */
export function placesOf(document: Document): (pointer: string, value: unknown) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': DATE_TIME } });
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
    validators.set(pointer, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}
