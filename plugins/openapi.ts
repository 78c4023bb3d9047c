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

const DESCRIPTION = `Lets an AI agent look at a workspace: list, find, glob, grep and read files, and nothing else.

Every path is virtual: \`/\` is the top of the workspace. Each operation is a GET endpoint, the same as a stream of JSON lines (\`/stream\`), and an action of \`POST /execute\`, which takes what a model wrote. On GET endpoints \`Accept: application/x-ndjson\` and \`text/plain\` choose those forms, too.`;

const DOCUMENT =
  'Describes every route, field, reply and failure of this service, for people and for client generators.';
const ANYTHING = { description: 'An OpenAPI 3.1 document.' };

/** In the order in which people read them. */
const TAGS = [
  { name: 'operations', description: 'What can be done with the workspace.' },
  { name: 'skills', description: 'The same, as a model asks for it.' },
  { name: 'service', description: 'The state of the service, and its documents.' },
];

/** As much of a document as is put in order here. */
interface Document {
  paths: Record<string, Record<string, { tags: string[]; responses: Record<string, { headers?: object }> }>>;
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
      transformObject: (made) => ('openapiObject' in made ? whole(made.openapiObject) : {}),
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
function whole<D extends object>(document: D): D {
  const { openapi, info, servers, tags, security, paths, ...rest } = document as D & Document;
  const operationsOf = (item: Document['paths'][string] | undefined) => Object.values(item ?? {});
  for (const { responses } of Object.values(paths).flatMap(operationsOf)) {
    for (const response of Object.values(responses)) {
      response.headers = { ...response.headers, 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
    }
  }
  const placeOf = (path: string) => TAGS.findIndex(({ name }) => name === operationsOf(paths[path])[0]?.tags[0]);
  const ordered = Object.keys(paths).sort((one, other) => placeOf(one) - placeOf(other));
  return {
    ...{ openapi, info, servers, tags, security },
    paths: Object.fromEntries(ordered.map((path) => [path, paths[path] ?? {}])),
    ...rest,
  } as D & Document;
}
