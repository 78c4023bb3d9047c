import { describe, expect, it } from 'vitest';
import { toOpenapi30 } from '../../scripts/openapi-3.0.ts';
import type { Document } from '../helpers/documents.ts';

/** What becomes of a schema. */
function schemaOf(schema: object): Document {
  const used = { a: { $ref: '#/components/schemas/A' } };
  const made: Document = toOpenapi30({ openapi: '3.1.0', paths: used, components: { schemas: { A: schema } } });
  return made.components.schemas.A;
}

describe('a document in OpenAPI 3.0', () => {
  it('says that it is one', () => {
    expect(toOpenapi30({ openapi: '3.1.0' })).toEqual({ openapi: '3.0.3' });
  });

  it('leaves the one it was made from as it is', () => {
    const document = { openapi: '3.1.0', info: { license: { name: 'MIT', identifier: 'MIT' } } };
    toOpenapi30(document);
    expect(document).toEqual({ openapi: '3.1.0', info: { license: { name: 'MIT', identifier: 'MIT' } } });
  });

  it('has a licence by its address', () => {
    expect(toOpenapi30({ info: { license: { name: 'MIT', identifier: 'MIT' } } })).toMatchObject({
      info: { license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' } },
    });
  });

  it.each([
    ['null beside a type', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['several types', { type: ['string', 'integer'], description: 'x' }, { description: 'x' }],
    ['a constant', { const: 'ok' }, { enum: ['ok'] }],
    ['examples', { type: 'string', examples: ['a', 'b'] }, { type: 'string', example: 'a' }],
    ['an example that is a list', { type: 'array', examples: [['a']] }, { type: 'array', example: ['a'] }],
    [
      'a large integer',
      { type: 'integer', maximum: 2 ** 53 - 1 },
      { type: 'integer', maximum: 2 ** 53 - 1, format: 'int64' },
    ],
    ['a small integer', { type: 'integer', maximum: 100 }, { type: 'integer', maximum: 100 }],
    [
      'a large integer or null',
      { type: ['integer', 'null'], maximum: 2 ** 40 },
      { type: 'integer', nullable: true, maximum: 2 ** 40, format: 'int64' },
    ],
    ['members of any kind', { additionalProperties: true }, { additionalProperties: {} }],
    ['no other members', { additionalProperties: false }, { additionalProperties: false }],
    [
      'the schema of what a text holds',
      { type: 'string', contentMediaType: 'x', contentSchema: {} },
      { type: 'string' },
    ],
  ])('has %s in its own words', (_, schema, expected) => {
    expect(schemaOf(schema)).toEqual(expected);
  });

  it('takes members that have the names of keywords for members', () => {
    const properties = { type: { type: ['string', 'null'] }, const: { const: 1 }, default: { const: 2 } };
    expect(schemaOf({ properties })).toEqual({
      properties: { type: { type: 'string', nullable: true }, const: { enum: [1] }, default: { enum: [2] } },
    });
  });

  it('leaves values alone, whatever they look like', () => {
    const value = { type: ['string', 'null'], const: 1 };
    expect(schemaOf({ default: value, enum: [value], examples: [value] })).toEqual({
      default: value,
      enum: [value],
      example: value,
    });
  });

  it('has no schema that only what was left out led to, however far', () => {
    const schemas = {
      Used: { type: 'object' },
      Line: { properties: { data: { $ref: '#/components/schemas/Data' } } },
      Data: { type: 'object' },
    };
    const paths = {
      a: { $ref: '#/components/schemas/Used' },
      b: { contentSchema: { $ref: '#/components/schemas/Line' } },
    };
    const made: Document = toOpenapi30({ paths, components: { schemas, headers: {} } });
    expect(made.components).toEqual({ schemas: { Used: { type: 'object' } }, headers: {} });
  });
});
