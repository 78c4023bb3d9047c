import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { skills } from '../../src/skills/index.ts';
import { type Document, documentOf } from '../helpers/documents.ts';
import { ODD_TREE } from '../helpers/odd-inputs.ts';
import { serviceOf } from '../helpers/service.ts';

const RUNS = 1000;
const TIMEOUT = 120_000;

const FIELDS = [...new Set(operations.flatMap(({ input }) => Object.keys(input.properties)))];
const ACTIONS = [...skills.map(({ action }) => action), ...operations.map(({ name }) => name)];
const MEMBERS = [
  'action',
  'properties',
  'input',
  'name',
  'arguments',
  'function',
  'mode',
  'path',
  'pattern',
  'sequential',
];

/** Any text that a URL can hold: all of Unicode, in whole characters. */
const anyText = fc.string({ unit: 'binary', maxLength: 60 });
const anyName = fc.oneof(fc.constantFrom(...FIELDS), anyText);

const anyQuery = fc
  .array(fc.tuple(anyName, anyText), { maxLength: 5 })
  .map((pairs) => pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'));

/** JSON of any shape, JSON of nearly the right shape, and what is no JSON. */
const anyBody = fc.oneof(
  fc.json(),
  fc
    .record(
      {
        action: fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...ACTIONS) },
          { weight: 1, arbitrary: fc.jsonValue() },
        ),
        properties: fc.oneof(
          fc.dictionary(anyName, fc.jsonValue(), { maxKeys: 5 }),
          fc.array(fc.record({ name: anyName, value: fc.jsonValue() }), { maxLength: 5 }),
          fc.jsonValue(),
        ),
        input: fc.dictionary(anyName, fc.jsonValue(), { maxKeys: 5 }),
        arguments: fc.oneof(fc.json(), anyText),
        sequential: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((body) => JSON.stringify(body)),
  fc.dictionary(fc.constantFrom(...MEMBERS), fc.jsonValue()).map((body) => JSON.stringify(body)),
  fc.json().chain((json) => fc.nat(json.length).map((length) => json.slice(0, length))),
  anyText,
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

const anyAccept = fc.constantFrom('application/json', 'application/x-ndjson', 'text/plain', '*/*', ';q=', '\u00ff');

function routesOf(document: Document): { method: 'GET' | 'POST'; url: string }[] {
  return Object.entries<Document>(document.paths).flatMap(([url, item]) =>
    Object.keys(item).map((method) => ({ method: method === 'post' ? 'POST' : 'GET', url })),
  );
}

async function fuzzed() {
  const { app, root } = await serviceOf(ODD_TREE);
  const routes = routesOf(await documentOf(app));
  const isRight = async (request: InjectOptions) => {
    const reply = await app.inject({ ...request, headers: { host: 'localhost', ...request.headers } });
    expect(reply.statusCode).toBeLessThan(500);
    expect(reply.body).not.toContain(root);
    // A failure of the Model Context Protocol is a message of its own.
    if (reply.statusCode < 400 || String(request.url).startsWith('/mcp')) return;
    expect(reply.headers['content-type']).toMatch(/^application\/problem\+json\b/);
    expect(reply.json()).toMatchObject({
      status: reply.statusCode,
      code: expect.any(String),
      detail: expect.any(String),
    });
  };
  return { routes, isRight };
}

describe('whatever is sent, the answer is below 500, tells no host path, and is a problem where it is a failure', () => {
  it(
    'any query to any route',
    async () => {
      const { isRight, routes } = await fuzzed();
      const requests = fc.record({ route: fc.constantFrom(...routes), query: anyQuery, accept: anyAccept });
      await fc.assert(
        fc.asyncProperty(requests, ({ accept, query, route }) =>
          isRight({ ...route, url: `${route.url}?${query}`, headers: { accept } }),
        ),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'any body to /execute',
    async () => {
      const { isRight } = await fuzzed();
      const requests = fc.record({ payload: anyBody, accept: anyAccept });
      await fc.assert(
        fc.asyncProperty(requests, ({ accept, payload }) =>
          isRight({ method: 'POST', url: '/execute', payload, headers: { accept } }),
        ),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'any body to any route, by any method',
    async () => {
      const { isRight, routes } = await fuzzed();
      const requests = fc.record({
        method: fc.constantFrom('GET' as const, 'POST' as const, 'PUT' as const, 'DELETE' as const, 'OPTIONS' as const),
        url: fc.constantFrom(...routes.map(({ url }) => url)),
        payload: anyBody,
        type: fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x'),
      });
      await fc.assert(
        fc.asyncProperty(requests, ({ type, ...request }) =>
          isRight({ ...request, headers: { 'content-type': type } }),
        ),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );

  it(
    'any path',
    async () => {
      const { isRight } = await fuzzed();
      const segment = fc.oneof(
        anyText.map(encodeURIComponent),
        fc.constantFrom('..', '%2e%2e', '%zz', '%ff', '', 'ls', 'read'),
      );
      const paths = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
      await fc.assert(
        fc.asyncProperty(paths, (url) => isRight({ url })),
        { numRuns: RUNS },
      );
    },
    TIMEOUT,
  );
});
