type Members = Record<string, unknown>;

/** What stands under these is a value of the caller's, not a part of the document. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** What stands under these has names of its own, which may be those of keywords. */
const NAMED = new Set(['headers', 'paths', 'properties', 'responses', 'schemas']);

/** What 3.0 does not have, and what can be left out without allowing less. */
const UNKNOWN = new Set(['contentMediaType', 'contentSchema']);

const INT32_MAX = 2 ** 31 - 1;
const SCHEMAS = '#/components/schemas/';

/**
 * An OpenAPI 3.1 document in the words of 3.0, for the client generators that
 * read no other. It allows nothing less: where 3.0 cannot say "one of these
 * types", it says nothing of the type.
 */
export function toOpenapi30(document: object): object {
  const copy = translate(JSON.parse(JSON.stringify(document)));
  return withoutUnused({ ...(copy as Members), openapi: '3.0.3' });
}

function translate(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(translate);
  if (!isMembers(node)) return node;
  const kept = Object.entries(node).filter(([name]) => !UNKNOWN.has(name));
  return forGenerators(Object.fromEntries(kept.flatMap(([name, value]) => translateMember(name, value))));
}

function translateMember(name: string, value: unknown): [name: string, value: unknown][] {
  if (name === 'type' && Array.isArray(value)) return translateTypes(value);
  if (name === 'const') return [['enum', [value]]];
  if (name === 'examples' && Array.isArray(value)) return [['example', value[0]]];
  // Of a licence, whose SPDX identifier 3.0 takes as an address.
  if (name === 'identifier') return [['url', `https://spdx.org/licenses/${value}.html`]];
  if (VALUES.has(name)) return [[name, value]];
  return [[name, NAMED.has(name) ? translateNamed(value) : translate(value)]];
}

function translateNamed(things: unknown): unknown {
  if (!isMembers(things)) return things;
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, translate(thing)]));
}

function translateTypes(types: readonly unknown[]): [name: string, value: unknown][] {
  const [type, ...others] = types.filter((name) => name !== 'null');
  if (others.length > 0) return [];
  return types.includes('null')
    ? [
        ['type', type],
        ['nullable', true],
      ]
    : [['type', type]];
}

/**
 * The same schema as generators take it right: of an integer that does not name
 * its size they make one of 32 bits, and of an object with `true` for other
 * members a map of maps.
 */
function forGenerators(schema: Members): Members {
  const { additionalProperties, maximum, type } = schema;
  return {
    ...schema,
    ...(type === 'integer' && Number(maximum) > INT32_MAX ? { format: 'int64' } : {}),
    ...(additionalProperties === true ? { additionalProperties: {} } : {}),
  };
}

/** Without the schemas that only what was left out led to. */
function withoutUnused(document: Members): Members {
  const components = document['components'];
  if (!isMembers(components) || !isMembers(components['schemas'])) return document;
  const text = JSON.stringify(document);
  const schemas = Object.entries(components['schemas']);
  const used = schemas.filter(([name]) => text.includes(`"${SCHEMAS}${name}"`));
  const pruned = { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
  return used.length === schemas.length ? document : withoutUnused(pruned);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
