import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { type TSchema, Type } from 'typebox';
import { stringify } from 'yaml';
import { ErrorResponse, idOf, replySchema, Skipped, streamSchemas } from '../src/operations/documents.ts';
import { operations } from '../src/operations/index.ts';
import { ANYWHERE, problemsOf } from '../src/operations/problems.ts';

export interface OpenapiOptions {
  version: string;
}

const DESCRIPTION = `Lets an AI agent look at a workspace, a folder with all below it: list, find, glob, grep and read files, and nothing else. \`GET /grep?pattern=main&path=src\` is a whole request.

**Operations.** Each is a GET endpoint that answers with one JSON object, the same as a stream of JSON lines (\`/stream\`), and an action of \`POST /execute\`, which takes what a model wrote. On GET endpoints \`Accept: application/x-ndjson\` and \`text/plain\` choose those forms, too.

**Paths** are virtual: \`/\` is the top of the workspace, whatever it is called on the host. Every path in a reply can be sent back as it is. The operator's policy blocks some names, such as those of secrets: they answer 403 and show in no result.

**Limits.** A reply that was cut says so (\`truncated\`, \`truncated_by\`), and what a search left out is counted (\`skipped\`).

**Failures** have their own status and are \`application/problem+json\` with a \`code\`; \`detail\` says what to send instead. An unknown route is a 404 \`NOT_FOUND\`, another method on a route a 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`.

**Requests** may carry \`X-Request-Id\` and \`traceparent\`: replies and the log have them, too.`;

const DOCUMENT =
  'Describes every route, field, reply and failure of this service, for people and for client generators.';
const ANYTHING = { description: 'An OpenAPI 3.1 document.' };

/** In the order in which people read them. */
const TAGS = [
  { name: 'operations', description: 'What can be done with the workspace.' },
  { name: 'skills', description: 'The same, as a model asks for it.' },
  { name: 'service', description: 'The state of the service, and its documents.' },
];

interface Example {
  examples?: readonly unknown[] | undefined;
}

/** As much of a document as is put in order here. */
interface Document {
  paths: Record<string, Record<string, { tags: string[]; responses: Record<string, { headers?: object }> }>>;
  components: { schemas: Record<string, Example> };
  [member: string]: unknown;
}

/** Makes the OpenAPI document from the routes' own schemas, and serves it. */
export default plugin(
  async function openapi(app: FastifyInstance, { version }: OpenapiOptions) {
    for (const schema of namedSchemas()) app.addSchema(schema);
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'fs-sidecar',
          version,
          description: DESCRIPTION,
          contact: { name: 'The maintainers of fs-sidecar' },
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: 'http://127.0.0.1:8080', description: 'Beside the agent runner.' }],
        tags: TAGS,
        components: {
          securitySchemes: {
            token: {
              type: 'http',
              scheme: 'bearer',
              description: 'The token of the service, where it has one: all routes want it but those for health.',
            },
          },
          headers: {
            RequestId: {
              description:
                'The id of the request, under which the log has it: the `X-Request-Id` that was sent, where it is made of 1 to 64 letters, digits, dots, dashes and underscores.',
              schema: { type: 'string' },
              example: '7cc5980f-f3be-4f32-b974-d896891d34fb',
            },
          },
        },
        security: [{}, { token: [] }],
      },
      refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
      transformObject: (made) => ('openapiObject' in made ? whole(made.openapiObject, app.getSchemas()) : {}),
    });
    const schema = { tags: ['service'], description: DOCUMENT };
    app.get(
      '/openapi.json',
      {
        schema: {
          ...schema,
          operationId: 'openapiJson',
          summary: 'This document, as JSON',
          response: { 200: document('application/json', Type.Object({}, ANYTHING)), ...problemsOf(ANYWHERE) },
        },
      },
      async (_request, reply) => reply.type('application/json').send(JSON.stringify(app.swagger())),
    );
    app.get(
      '/openapi.yaml',
      {
        schema: {
          ...schema,
          operationId: 'openapiYaml',
          summary: 'This document, as YAML',
          response: { 200: document('application/yaml', Type.String(ANYTHING)), ...problemsOf(ANYWHERE) },
        },
      },
      async (_request, reply) => reply.type('application/yaml').send(toYaml(app.swagger())),
    );
  },
  { name: 'openapi', fastify: '5.x' },
);

/** The document as it is committed: readers of YAML 1.1 take bare dates and `yes` for other things than text. */
export function toYaml(document: object): string {
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false, schema: 'yaml-1.1' });
}

function namedSchemas(): object[] {
  const ofOperations = operations.flatMap((operation) => [
    operation.record,
    replySchema(operation),
    ...streamSchemas(operation),
  ]);
  const schemas = [ErrorResponse, Skipped, ...ofOperations];
  return [...new Map(schemas.map((schema) => [idOf(schema), schema])).values()];
}

function document(type: string, schema: TSchema) {
  return { description: 'The OpenAPI document.', content: { [type]: { schema } } };
}

/** The document with what is true of every reply, in the order in which people read it. */
function whole(document: object, named: Record<string, unknown>): object {
  const { openapi, info, servers, tags, security, paths, components, ...rest } = document as Document;
  for (const { responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
    for (const response of Object.values(responses)) {
      response.headers = { ...response.headers, 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
    }
  }
  // @fastify/swagger takes an example's `properties` for those of a schema.
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (schema.examples !== undefined) schema.examples = (named[name] as Example).examples;
  }
  const placeOf = (path: string) =>
    TAGS.findIndex(({ name }) => Object.values(paths[path] ?? {}).some(({ tags }) => tags.includes(name)));
  const ordered = Object.keys(paths).sort((one, other) => placeOf(one) - placeOf(other));
  return {
    ...{ openapi, info, servers, tags, security },
    paths: Object.fromEntries(ordered.map((path) => [path, paths[path]])),
    components,
    ...rest,
  };
}
