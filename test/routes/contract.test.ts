import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Document, placesOf, pointerTo } from '../helpers/documents.ts';
import { ODD_TREE } from '../helpers/odd-inputs.ts';
import { linesOf, type ServiceSettings, serviceOf } from '../helpers/service.ts';

/** The document as people get it: all requests are made from it, and all replies are judged by it. */
const document: Document = parse(readFileSync('openapi.yaml', 'utf8'));
const faultAt = placesOf(document);

/** What the document's examples speak of, among other things. */
const TREE = { ...ODD_TREE, 'src/main.py': 'import os\n\n\ndef main():\n    return 0\n' };

/** Few where a search may start a process. */
const RUNS = { query: 30, few: 10, body: 100 };

type Values = Record<string, unknown>;

interface Field {
  name: string;
  required: boolean;
  example?: unknown;
  schema: Document;
}

interface Endpoint {
  name: string;
  method: 'GET' | 'POST';
  url: string;
  operation: Document;
  fields: Field[];
}

const endpoints = Object.entries<Document>(document.paths).flatMap(([url, item]) =>
  Object.entries<Document>(item).map(
    ([method, operation]): Endpoint => ({
      name: `${method.toUpperCase()} ${url}`,
      method: method === 'post' ? 'POST' : 'GET',
      url,
      operation,
      fields: (operation.parameters ?? []).filter((field: Document) => field.in === 'query'),
    }),
  ),
);
const withFields = endpoints.filter(({ fields }) => fields.length > 0);
const withBody = endpoints.filter(({ operation }) => operation.requestBody !== undefined);

function endpoint(name: string): Endpoint {
  const found = endpoints.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no ${name} in the document`);
  return found;
}

describe('by the document', () => {
  it.each(withFields)('$name answers what the document tells of its fields with 200', async (given) => {
    const ask = await asker();
    const isRight = async (input: Values) => {
      expect((await ask(given, { query: input })).statusCode).toBe(200);
    };
    await fc.assert(fc.asyncProperty(toldInputOf(given.fields), isRight), { numRuns: runsOf(given) });
  });

  it.each(withFields)(
    '$name answers all that its schema allows with a status, type and body that it has',
    async (given) => {
      const ask = await asker();
      const isRight = async (input: Values) => void (await ask(given, { query: input }));
      await fc.assert(fc.asyncProperty(allowedInputOf(given.fields), isRight), { numRuns: runsOf(given) });
    },
  );

  it.each(withFields)('$name refuses what its schema does not allow, and names the field', async (given) => {
    const ask = await asker();
    const isRight = async ({ input, name }: { input: Values; name: string }) => {
      const reply = await ask(given, { query: input });
      const { code, errors } = reply.json();
      expect({ status: reply.statusCode, code, errors }).toMatchObject({
        status: 400,
        code: 'INPUT_INVALID',
        errors: [{ pointer: expect.stringMatching(new RegExp(`^#/${name}\\b`)) }],
      });
    };
    await fc.assert(fc.asyncProperty(refusedInputOf(given.fields), isRight), { numRuns: runsOf(given) });
  });

  it.each(
    withFields.flatMap((given) => given.fields.filter((field) => field.required).map((field) => ({ given, field }))),
  )('$given.name wants $field.name', async ({ field, given }) => {
    const ask = await asker();
    const reply = await ask(given, { query: {} });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toMatchObject({ code: 'INPUT_INVALID', errors: [{ pointer: `#/${field.name}` }] });
  });

  it.each(endpoints.filter(({ fields }) => fields.length === 0))(
    '$name answers each of its examples with 200',
    async (given) => {
      const ask = await asker();
      for (const example of bodyOf(given)?.examples ?? [undefined]) {
        expect((await ask(given, { body: JSON.stringify(example) })).statusCode).toBe(200);
      }
    },
  );

  it.each(withBody)(
    '$name answers any body that its schema allows with a status, type and body that it has',
    async (given) => {
      const ask = await asker();
      const isRight = async (body: unknown) => void (await ask(given, { body: JSON.stringify(body) }));
      await fc.assert(fc.asyncProperty(allowed({ schema: bodyOf(given) }), isRight), { numRuns: RUNS.body });
    },
  );

  it('POST /execute takes each operation with what the document tells of its fields', async () => {
    const ask = await asker();
    const operations = withFields.filter(({ url }) => endpoints.some((one) => one.url === `${url}/stream`));
    for (const { fields, operation, url } of operations) {
      const isRight = async (input: Values) => {
        const reply = await ask(endpoint('POST /execute'), {
          body: JSON.stringify({ action: operation.operationId, input }),
        });
        expect([reply.statusCode, faultAt(schemaPointer(endpoint(`GET ${url}`), 200), reply.json().result)]).toEqual([
          200,
          null,
        ]);
      };
      await fc.assert(fc.asyncProperty(toldInputOf(fields), isRight), { numRuns: RUNS.few });
    }
  });

  it.each([
    ['is empty', 'BODY_INVALID', ''],
    ['holds no payload', 'BODY_INVALID', 'hello'],
    ['was cut off', 'BODY_INVALID', '{"action": "ls'],
    ['holds two', 'BODY_INVALID', '{"action": "ls"} {"action": "ls"}'],
    ['is too large', 'BODY_TOO_LARGE', ' '.repeat(300 * 1024)],
    ['names nothing there is', 'ACTION_UNKNOWN', '{"action": "nonsense"}'],
    ['has an unknown field', 'INPUT_INVALID', '{"action": "ls", "input": {"nonsense": 1}}'],
    ['has no pattern', 'INPUT_INVALID', '{"action": "find"}'],
    ['has a faulty pattern', 'PATTERN_INVALID', '{"action": "grep", "input": {"pattern": "(", "isRegex": true}}'],
  ])('POST /execute refuses a body that %s as %s', async (_, code, body) => {
    const ask = await asker();
    expect((await ask(endpoint('POST /execute'), { body })).json()).toMatchObject({ code });
  });

  it('POST /execute runs the example of every action and operation that GET /skills tells of', async () => {
    const ask = await asker();
    const { operations, skills } = (await ask(endpoint('GET /skills'))).json();
    for (const { example, name } of [...operations, ...skills]) {
      const body = JSON.stringify({ name, arguments: example });
      expect((await ask(endpoint('POST /execute'), { body })).statusCode, body).toBe(200);
    }
  });

  it('POST /mcp refuses what is no message', async () => {
    const ask = await asker();
    const statuses = ['', '{', '[]', '{}', '{"jsonrpc": "1.0"}'].map(
      async (body) => (await ask(endpoint('POST /mcp'), { body })).statusCode,
    );
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([400]));
  });

  it('every route is closed to who comes from elsewhere', async () => {
    const ask = await asker();
    for (const given of endpoints) {
      const reply = await ask(given, { headers: { origin: 'http://elsewhere.example' } });
      expect([given.name, reply.statusCode, reply.json().code]).toEqual([given.name, 403, 'HOST_FORBIDDEN']);
    }
  });

  it('every route wants the token, or says that it wants none', async () => {
    const ask = await asker({ token: 'the-token' });
    for (const given of endpoints) {
      const wanted = given.operation.security?.length === 0 ? 200 : 401;
      expect([given.name, (await ask(given)).statusCode]).toEqual([given.name, wanted]);
    }
  });

  it('a search too many is told when to come back', async () => {
    const ask = await asker({ concurrency: 1 });
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => ask(endpoint('GET /find'), { query: { pattern: '*' } })),
    );
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 503]));
  });

  it('GET /readyz is a 503 while the workspace cannot be read', async () => {
    const ask = await asker({ trouble: () => 'gone' });
    expect((await ask(endpoint('GET /readyz'))).statusCode).toBe(503);
  });

  it.each([
    [206, 'src/main.py', { range: 'bytes=0-3' }],
    [304, 'src/main.py', { 'if-none-match': '*' }],
    [416, 'src/main.py', { range: 'bytes=9999-' }],
    [422, 'src', {}],
    [404, 'missing', {}],
    [403, '.env', {}],
  ])('GET /read/raw answers %i as the document has it', async (status, path, headers) => {
    const ask = await asker();
    expect((await ask(endpoint('GET /read/raw'), { query: { path }, headers })).statusCode).toBe(status);
  });
});

interface Asked {
  query?: Values;
  body?: string;
  headers?: Record<string, string>;
}

/** Asks a service of its own, and lets no reply through that is not as the document has it. */
async function asker(settings: ServiceSettings = {}) {
  const { app } = await serviceOf(TREE, settings);
  return async (given: Endpoint, asked: Asked = {}) => {
    const reply = await app.inject(toRequest(given, asked));
    const { body, headers, statusCode } = reply;
    const declared = given.operation.responses[statusCode];
    expect(declared, `${statusCode} is not in the document: ${body.slice(0, 300)}`).toBeDefined();
    expect(Object.keys(declared.headers).filter((name) => !(name.toLowerCase() in headers))).toEqual([]);
    expect(faultOf(given, statusCode, String(headers['content-type'] ?? ''), body)).toBeNull();
    return reply;
  };
}

function toRequest({ method, operation, url }: Endpoint, { body, headers, query = {} }: Asked): InjectOptions {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  const type = operation.requestBody === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    url: `${url}?${pairs.join('&')}`,
    headers: { host: 'localhost', ...type, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  };
}

/** What of a body is not as the document has it. */
function faultOf(given: Endpoint, status: number, contentType: string, body: string): string | null {
  const { content, description } = given.operation.responses[status];
  if (content === undefined) return body === '' ? null : `a body that is not in the document: ${body}`;
  const [type = ''] = contentType.split(';');
  const [documented = ''] = Object.keys(content);
  if (type !== documented && documented !== '*/*') return `'${contentType}' is not in the document`;
  const pointer = schemaPointer(given, status);
  if (type === 'application/x-ndjson') {
    return linesOf(body).flatMap((line) => faultAt(`${pointer}/contentSchema`, line) ?? [])[0] ?? null;
  }
  if (content[documented].schema.type === 'string') return null;
  const value = JSON.parse(body);
  const isTold = type !== 'application/problem+json' || description.includes(`\`${value.code}\``);
  return isTold ? faultAt(pointer, value) : `the description does not tell of ${value.code}`;
}

/** Where the schema of a reply's one content type stands. */
function schemaPointer({ method, operation, url }: Endpoint, status: number): string {
  const [type = ''] = Object.keys(operation.responses[status].content);
  return pointerTo('paths', url, method.toLowerCase(), 'responses', status, 'content', type, 'schema');
}

/** The schema of a request's body; undefined where it has none. */
function bodyOf({ operation }: Endpoint): Document {
  const name = operation.requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
  return document.components.schemas[name];
}

/** A stream is the same work in another form. */
function runsOf({ operation }: Endpoint): number {
  return /^grep|Stream$/.test(operation.operationId) ? RUNS.few : RUNS.query;
}

/** Fields whose meaning hangs on others, so that what is told of each alone does not always go together. */
const CONDITIONAL = new Set(['isRegex', 'pathBytes']);

/** What the document itself gives for a field: each value that it names, its example, or its default and least. */
function toldFor({ example, schema }: Pick<Field, 'example' | 'schema'>): unknown[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'boolean') return [true, false];
  const examples = [example, ...(schema.examples ?? [])].filter((value) => value !== undefined);
  return examples.length > 0 ? examples : [schema.default, schema.minimum].filter((value) => value !== undefined);
}

/** The path, each field that is required, and some others, with what the document gives for them. */
function toldInputOf(fields: readonly Field[]): fc.Arbitrary<Values> {
  const told = fields
    .filter((field) => !CONDITIONAL.has(field.name) && toldFor(field).length > 0)
    .map((field) => ({ ...field, required: field.required || field.name === 'path' }));
  return inputOf(told, (field) => fc.constantFrom(...toldFor(field)), told.length);
}

function allowedInputOf(fields: readonly Field[]): fc.Arbitrary<Values> {
  return inputOf(fields, allowed, Math.min(fields.length, 3));
}

/** An input in which one field is not as its schema has it, or is none. */
function refusedInputOf(fields: readonly Field[]): fc.Arbitrary<{ input: Values; name: string }> {
  const wrong = fields.flatMap((field) => {
    const values = refusedFor(field);
    return values.length === 0 ? [] : [fc.constantFrom(...values).map((value) => ({ name: field.name, value }))];
  });
  const unknown = fc.constant({ name: 'nonsense', value: 1 });
  return fc
    .tuple(toldInputOf(fields), fc.oneof(unknown, ...wrong))
    .map(([input, { name, value }]) => ({ input: { ...input, [name]: value }, name }));
}

/** What a schema does not allow, as a query can hold it. */
function refusedFor({ schema }: Field): unknown[] {
  const { enum: values, maximum, maxItems, maxLength, minimum, minLength, type } = schema;
  if (values !== undefined) return ['nonsense', values.join()];
  if (type === 'boolean') return ['2', 'maybe', 'truefalse'];
  if (type === 'integer') return [minimum - 1, maximum + 1, 0.5, 'nonsense', '1e', ''];
  if (type === 'array') return [Array.from({ length: maxItems + 1 }, () => 'x')];
  return [...(minLength > 0 ? [''] : []), ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)])];
}

function inputOf(fields: readonly Field[], toValue: (field: Field) => fc.Arbitrary<unknown>, atMost: number) {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return fc
    .record({
      all: fc.record(Object.fromEntries(fields.map((field) => [field.name, toValue(field)]))),
      some: fc.subarray(
        fields.map(({ name }) => name),
        { maxLength: atMost },
      ),
    })
    .map(({ all, some }) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => [...required, ...some].includes(name))),
    );
}

/** Anything that a schema allows, and often what the document itself gives. */
function allowed(given: Pick<Field, 'example' | 'schema'>): fc.Arbitrary<unknown> {
  const told = toldFor(given);
  return told.length === 0 ? ofType(given.schema) : fc.oneof(fc.constantFrom(...told), ofType(given.schema));
}

function ofType(schema: Document): fc.Arbitrary<unknown> {
  const { enum: values, items, maximum, minimum, properties = {}, required = [] } = schema;
  if (values !== undefined) return fc.constantFrom(...values);
  switch ([schema.type].flat()[0]) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, minimum + 8) }), fc.constant(maximum));
    case 'array':
      return fc.array(allowed({ schema: items }), { maxLength: 3 });
    case 'object': {
      const members = Object.entries<Document>(properties).map(([name, member]) => [name, allowed({ schema: member })]);
      return fc.record(Object.fromEntries(members), { requiredKeys: required });
    }
    case 'string':
      return textOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textOf({ minLength = 0, maxLength = 100 }: Document): fc.Arbitrary<string> {
  const short = fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 20) });
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) });
}
