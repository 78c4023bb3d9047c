import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { type Definition, definitions } from '../../src/skills/definitions.ts';
import { skills } from '../../src/skills/index.ts';
import { type Document, documentOf, schemasOf } from '../helpers/documents.ts';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

/** Holds something for each example to find. */
const TREE: Tree = {
  'src/main.py': 'import os\n\ndef main():\n    pass\n',
  'src/tests/a_test.py': '',
  'README.md': '# hi\n',
};

const { skills: ofSkills, operations: ofOperations } = definitions();
const ALL = [...ofSkills, ...ofOperations];
const named = ALL.map((definition) => [definition.name, definition] as const);

/** What OpenAI's structured outputs take, sizes included. */
const STRICT_KEYWORDS = new Set([
  'type',
  'description',
  'enum',
  'items',
  'properties',
  'required',
  'additionalProperties',
]);
const MAX_DESCRIPTION = 1024;
const MAX_NAMES = 15_000;
/** The narrowest of what the three take. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The example as a model that keeps to strict mode emits it: every field there, null where it has nothing to say. */
function strictExample({ example, tools }: Definition): Record<string, unknown> {
  const { properties } = tools.openai.function.parameters as { properties: object };
  return Object.fromEntries(Object.keys(properties).map((name) => [name, example[name] ?? null]));
}

/** Every schema inside a schema, itself among them. */
function* schemasIn(schema: Document): Generator<Document> {
  yield schema;
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]) {
    yield* schemasIn(inner);
  }
}

function faultsOf(schema: object, value: unknown): string | null {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

describe('GET /skills', () => {
  it('gives every action and every operation, as it is documented', async () => {
    const { app, get } = await serviceOf({});
    const reply = await get('/skills');
    expect(schemasOf(await documentOf(app))('Skills', reply.json())).toBeNull();
    expect(reply.json()).toEqual({ skills: ofSkills, operations: ofOperations });
    expect(ALL.map(({ name }) => name)).toEqual([
      ...skills.map(({ action }) => action),
      ...operations.map(({ name }) => name),
    ]);
  });
});

describe.each(named)('the definition of %s', (name, definition) => {
  const { description, example, schema, tools } = definition;
  const { parameters } = tools.openai.function as Document;

  it('is the same tool for all three, under a name that all three take', () => {
    expect(name).toMatch(NAME);
    expect([tools.openai.function, tools.anthropic, tools.mcp]).toEqual([
      expect.objectContaining({ name, description, strict: true }),
      { name, description, input_schema: schema },
      expect.objectContaining({ name, description, inputSchema: schema }),
    ]);
  });

  it('has schemas that keep to JSON Schema 2020-12, and an example that fits them', () => {
    for (const one of [schema, parameters]) expect(new Ajv2020().validateSchema(one)).toBe(true);
    expect([faultsOf(schema, example), faultsOf(parameters, strictExample(definition))]).toEqual([null, null]);
  });

  it('is what strict mode takes', () => {
    const all = [...schemasIn(parameters)];
    expect(all.flatMap(Object.keys).filter((keyword) => !STRICT_KEYWORDS.has(keyword))).toEqual([]);
    const objects = all.filter(({ type }) => type === 'object');
    expect(objects).toEqual([parameters]);
    expect(parameters).toMatchObject({ additionalProperties: false, required: Object.keys(parameters.properties) });
    expect(JSON.stringify(Object.keys(parameters.properties)).length).toBeLessThan(MAX_NAMES);
    expect(description.length).toBeLessThanOrEqual(MAX_DESCRIPTION);
  });

  it('lets null stand for each field that may be left out, and no other', () => {
    const { required = [] } = schema as { required?: string[] };
    const nullable = Object.entries<Document>(parameters.properties).filter(([, { type }]) => type.includes('null'));
    expect(nullable.map(([field]) => field)).toEqual(
      Object.keys(parameters.properties).filter((field) => !required.includes(field)),
    );
    for (const [, { enum: values, type }] of nullable) expect(values?.includes(null) ?? type[1] === 'null').toBe(true);
  });

  it('has an example that finds something, whichever way a model sends it', async () => {
    const { execute } = await serviceOf(TREE);
    const plain = (await execute({ name, input: example })).json();
    expect(plain).toMatchObject({ action: name, status: 'ok', content: expect.stringMatching(/^[^[]/) });
    const strict = strictExample(definition);
    const ways: unknown[] = [
      { type: 'function', function: { name, arguments: JSON.stringify(strict) } },
      { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(example) } },
      { type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(strict) },
      { type: 'tool_use', id: 'toolu_1', name, input: example },
      { name, arguments: strict },
      { action: name, input: strict },
      { action: name, properties: Object.entries(strict).map(([field, value]) => ({ name: field, value })) },
      {
        action: name,
        properties: Object.entries(example).map(([field, value]) => ({ name: field, value: String(value) })),
      },
    ];
    for (const way of ways) {
      const reply = await execute(way);
      expect([way, reply.statusCode, reply.json()]).toEqual([way, 200, plain]);
    }
  });

  it('says when to use another, what its defaults hide, and how to go on', () => {
    const { properties } = schema as Document;
    const others = (ofSkills.includes(definition) ? ofSkills : ofOperations).filter((other) => other !== definition);
    expect(description).toMatch(/\bUse it\b/);
    expect(others.filter((other) => new RegExp(`\\b${other.name}\\b`).test(description))).not.toEqual([]);
    for (const folder of properties.excludeGlob?.default ?? []) expect(description).toContain(folder);
    if (!properties.excludeGlob?.default.length) expect(description).toMatch(/node_modules|binary/i);
    if (name !== 'read' && name !== 'read_file') expect(description).toMatch(/hidden/i);
    expect(description).toMatch(/truncated|last line, in brackets/);
  });

  it('says of each field what it is, and what null stands for', () => {
    for (const [field, { description: text, type }] of Object.entries<Document>(parameters.properties)) {
      expect([field, text]).toEqual([field, expect.stringMatching(/^\W?[A-Z`].*\.$/s)]);
      if (type.includes('null')) expect(text).toMatch(/ Null: (not given|the default, .+)\.$/);
    }
  });
});

/** A failure names its request. */
const SAME_ID = { 'x-request-id': 'same' };

describe('null', () => {
  it.each(named)('in any field of %s is the same as leaving it out', async (name, { example, schema }) => {
    const { app, execute } = await serviceOf(TREE);
    const { properties, required = [] } = schema as { properties: object; required?: string[] };
    const call = (given: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    });
    const overMcp = async (given: object) =>
      (await app.inject({ method: 'POST', url: '/mcp', payload: call(given), headers: { host: 'localhost' } })).json();
    for (const field of Object.keys(properties).filter((one) => !required.includes(one))) {
      const { [field]: _, ...left } = example;
      const [nulled, without] = [{ ...left, [field]: null }, left];
      expect((await execute({ action: name, input: nulled }, SAME_ID)).json()).toEqual(
        (await execute({ action: name, input: without }, SAME_ID)).json(),
      );
      if (operations.some((operation) => operation.name === name)) {
        expect(await overMcp(nulled)).toEqual(await overMcp(without));
      }
    }
  });

  it.each(named)('in a required field of %s is told as missing', async (name, { example, schema }) => {
    const { execute } = await serviceOf(TREE);
    for (const field of (schema['required'] as string[] | undefined) ?? []) {
      const reply = await execute({ action: name, input: { ...example, [field]: null } });
      expect([reply.statusCode, reply.json().detail]).toEqual([400, `'${field}' is missing.`]);
    }
  });
});
