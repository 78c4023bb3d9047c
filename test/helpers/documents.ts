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
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': DATE_TIME } });
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction>();
  return (name, value) => {
    const validate =
      validators.get(name) ?? ajv.compile({ $ref: `openapi#/components/schemas/${encodeURIComponent(name)}` });
    validators.set(name, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };
}
