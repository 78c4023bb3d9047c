import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operations } from '../../src/operations/index.ts';
import { type Document, documentOf, placesOf, pointerTo, schemasOf } from '../helpers/documents.ts';
import { linesOf, serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

interface Endpoint {
  name: string;
  operation: Document;
}

async function endpoints(): Promise<{ document: Document; all: Endpoint[] }> {
  const { app } = await serviceOf({});
  const document = await documentOf(app);
  const all = Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    Object.entries<Document>(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );
  return { document, all };
}

/** Every object in a tree, itself among them. */
function* objectsIn(value: Document): Generator<Document> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** Every schema in a tree, and where it stands. */
function* schemasIn(value: Document, pointer = ''): Generator<{ pointer: string; schema: Document }> {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.type === 'string') yield { pointer, schema: value };
  for (const [key, inner] of Object.entries(value)) yield* schemasIn(inner, pointer + pointerTo(key));
}

/** Everything in a tree that people look up by its name, and where it stands. */
function* describableIn(value: Document, pointer = ''): Generator<{ pointer: string; thing: Document }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries<Document>(value)) {
    const below = pointer + pointerTo(key);
    const isNamed = /\/(?:parameters|(?<!\/properties\/)properties|headers|responses|schemas|securitySchemes)$/.test(
      pointer,
    );
    // An example's members have names, too, and a line of a stream is told of as a whole.
    if (/\/examples?\b/.test(below)) continue;
    if (isNamed) yield { pointer: below, thing: inner };
    yield* describableIn(inner, below);
  }
}

describe('the OpenAPI document', () => {
  it('is the same in JSON and YAML', async () => {
    const { get } = await serviceOf({});
    const [json, yaml] = [await get('/openapi.json'), await get('/openapi.yaml')];
    expect(parse(yaml.body)).toEqual(json.json());
  });

  it('is given out under its own types', async () => {
    const { get } = await serviceOf({});
    const types = [await get('/openapi.json'), await get('/openapi.yaml')].map(
      ({ headers }) => headers['content-type'],
    );
    expect(types).toEqual([
      expect.stringMatching(/^application\/json\b/),
      expect.stringMatching(/^application\/yaml\b/),
    ]);
  });

  it('says which version of OpenAPI it is, and nothing of it is `nullable`, which that version does not have', async () => {
    const { document } = await endpoints();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect([...objectsIn(document)].filter((object) => 'nullable' in object)).toEqual([]);
  });

  it('has each operation and its stream, with the same fields and defaults but for the order', async () => {
    const { document } = await endpoints();
    const fieldsOf = (path: string) =>
      document.paths[path].get.parameters.map(({ name, required, schema }: Document) => [
        name,
        required,
        name === 'sort' ? undefined : schema,
      ]);
    for (const { name, input } of operations) {
      expect(fieldsOf(`/${name}/stream`)).toEqual(fieldsOf(`/${name}`));
      expect(fieldsOf(`/${name}`).map(([field]: [string]) => field)).toEqual(Object.keys(input.properties));
    }
  });

  it.each(['ls', 'find', 'glob', 'grep'])('says that %s is sorted, and its stream is not', async (name) => {
    const { document } = await endpoints();
    const sortOf = (path: string) =>
      document.paths[path].get.parameters.find((field: Document) => field.name === 'sort').schema.default;
    expect([sortOf(`/${name}`), sortOf(`/${name}/stream`)]).toEqual(['path', 'none']);
  });

  it('names nothing that is not used', async () => {
    const { document } = await endpoints();
    const text = JSON.stringify(document);
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });

  it('has no example or default that its own schema refuses', async () => {
    const { document } = await endpoints();
    const fits = placesOf(document);
    const refused = [...schemasIn(document)].flatMap(({ pointer, schema }) =>
      [...(schema.examples ?? []), ...('default' in schema ? [schema.default] : [])].flatMap(
        (value) => fits(pointer, value) ?? [],
      ),
    );
    expect(refused).toEqual([]);
  });

  it('gives every operation an id of its own, a summary and a description', async () => {
    const { all } = await endpoints();
    const ids = all.map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => typeof id === 'string' && /^[a-z]\w*$/i.test(id))).toHaveLength(all.length);
    expect(new Set(ids).size).toBe(all.length);
    expect(all.filter(({ operation }) => !(operation.summary.length > 5 && operation.description.length > 40))).toEqual(
      [],
    );
  });

  it('has at most one content type a response', async () => {
    const { all } = await endpoints();
    const several = all.flatMap(({ name, operation }) =>
      Object.entries<Document>(operation.responses)
        .filter(([, { content = {} }]) => Object.keys(content).length > 1)
        .map(([status]) => `${name} ${status}`),
    );
    expect(several).toEqual([]);
  });

  it('names each status by its number', async () => {
    const { all } = await endpoints();
    const statuses = all.flatMap(({ operation }) => Object.keys(operation.responses));
    expect(statuses.filter((status) => !/^[2345]\d\d$/.test(status) && status !== 'default')).toEqual([]);
  });

  it('answers every failure with a problem', async () => {
    const { all } = await endpoints();
    // Not those of health and of Model Context Protocol, which have forms of their own.
    const others = new Set(['get /readyz 503', 'post /mcp 400']);
    const failures = all.flatMap(({ name, operation }) =>
      Object.entries<Document>(operation.responses).filter(
        ([status]) => status >= '400' && !others.has(`${name} ${status}`),
      ),
    );
    expect(new Set(failures.map(([, { content }]) => JSON.stringify(content)))).toEqual(
      new Set(['{"application/problem+json":{"schema":{"$ref":"#/components/schemas/ErrorResponse"}}}']),
    );
  });

  it('says of every route that it may refuse the request itself, as for want of a Host', async () => {
    const { all } = await endpoints();
    expect(all.filter(({ operation }) => !('400' in operation.responses)).map(({ name }) => name)).toEqual([]);
  });

  it('describes every field, member, header, body and reply, at any depth', async () => {
    const { document } = await endpoints();
    const mute = [...describableIn(document)].filter(({ thing }) => !(thing.description?.length > 8 || thing.$ref));
    expect(mute.map(({ pointer }) => pointer)).toEqual([]);
  });

  it('gives every field and member a type', async () => {
    const { all, document } = await endpoints();
    const schemas = [
      ...all.flatMap(({ operation }) => (operation.parameters ?? []).map(({ schema }: Document) => schema)),
      ...Object.values<Document>(document.components.schemas).flatMap(({ properties = {} }) =>
        Object.values<Document>(properties),
      ),
    ];
    expect(schemas.filter((schema) => !('type' in schema) && !('$ref' in schema))).toEqual([]);
  });

  it('has names for its schemas that a client can have as types', async () => {
    const { document } = await endpoints();
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name) || name === 'Error')).toEqual([]);
  });

  it('refers to nothing that is not there', async () => {
    const { document } = await endpoints();
    const references = [...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    const known = ['schemas', 'headers'].flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect(references.filter((reference) => !known.includes(reference))).toEqual([]);
  });

  it('keeps whole numbers within what every client can hold', async () => {
    const { document } = await endpoints();
    const unbounded = [...objectsIn(document)].filter(
      ({ maximum, type }) => type === 'integer' && !(maximum <= Number.MAX_SAFE_INTEGER),
    );
    expect(unbounded).toEqual([]);
  });

  it('tells of Accept where it chooses the form', async () => {
    const { document } = await endpoints();
    for (const { name } of operations) expect(document.paths[`/${name}`].get.description).toContain('Accept');
  });

  it('says in the pattern fields which syntax they take', async () => {
    const { document } = await endpoints();
    const patternOf = (path: string) =>
      document.paths[path].get.parameters.find((field: Document) => field.name === 'pattern').description;
    expect([patternOf('/find'), patternOf('/glob'), patternOf('/grep')]).toEqual([
      expect.stringMatching(/fnmatch.*braces.*Python regular expression/),
      expect.stringMatching(/\*\*.*\{a,b\}.*bash/),
      expect.stringMatching(/literal text|text to search.*Rust/),
    ]);
  });
});

describe('replies', () => {
  const TREE: Tree = {
    'a.txt': 'hit\nmiss\n',
    'd/long.txt': `${'x'.repeat(600)}hit${'y'.repeat(600)}\n`,
    link: { linkTo: 'a.txt' },
    empty: '',
    'latin.txt': Buffer.from('caf\xe9 hit\n', 'latin1'),
  };

  it.each([
    ['LsReply', '/ls?recursive=true'],
    ['LsReply', '/ls?showDetails=false'],
    ['LsReply', '/ls?maxResults=1'],
    ['FindReply', '/find?pattern=*&type=any'],
    ['FindReply', '/find?pattern=A.TXT&caseSensitive=true'],
    ['GlobReply', '/glob?pattern=**'],
    ['GrepReply', '/grep?pattern=hit&context=1'],
    ['GrepReply', '/grep?pattern=hit&output=count'],
    ['GrepReply', '/grep?pattern=hit&output=files'],
    ['ReadReply', '/read?path=a.txt'],
    ['ReadReply', '/read?path=empty'],
    ['ReadReply', '/read?path=latin.txt'],
    ['ReadReply', '/read?path=a.txt&maxBytes=2'],
    ['ReadReply', '/read?path=a.txt&as=base64&maxBytes=4'],
    ['ErrorResponse', '/read?path=b.txt'],
    ['ErrorResponse', '/grep?pattern=(&isRegex=true'],
    ['Health', '/healthz'],
    ['Readiness', '/readyz'],
  ])('fit the schema %s: %s', async (name, url) => {
    const { app, get } = await serviceOf(TREE);
    expect(schemasOf(await documentOf(app))(name, (await get(url)).json())).toBeNull();
  });

  it.each([
    ['Entry', '/ls/stream?recursive=true'],
    ['Entry', '/find/stream?pattern=*'],
    ['Entry', '/glob/stream?pattern=**'],
    ['Match', '/grep/stream?pattern=hit&context=1'],
    ['Piece', '/read/stream?path=a.txt'],
  ])('in a stream have records that fit the schema %s: %s', async (name, url) => {
    const { app, get } = await serviceOf(TREE);
    const fits = schemasOf(await documentOf(app));
    const records = linesOf((await get(url)).body).slice(1, -1);
    expect(records.map(({ data }) => fits(name, data))).toEqual(records.map(() => null));
    expect(records).not.toHaveLength(0);
  });

  it.each([
    { action: 'find_file', properties: { pattern: '*', unknown: 1 } },
    { action: 'read', input: { path: 'a.txt' } },
    { mode: 'grep', pattern: 'hit' },
    "{'action': 'ls',}",
  ])('of /execute fit the schema Envelope: %j', async (body) => {
    const { app, execute } = await serviceOf(TREE);
    expect(schemasOf(await documentOf(app))('Envelope', (await execute(body)).json())).toBeNull();
  });
});
