import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { Type } from 'typebox';
import { stringify } from 'yaml';
import { ErrorResponse, idOf, replySchema, Skipped } from '../src/operations/documents.ts';
import { operations } from '../src/operations/index.ts';

export interface OpenapiOptions {
  version: string;
}

const DESCRIPTION = `Lets an AI agent look at a workspace: list, find, glob, grep and read files, and nothing else.

Every path is virtual: \`/\` is the top of the workspace. Each operation is a GET endpoint, the same as a stream of JSON lines (\`/stream\`), and an action of \`POST /execute\`, which takes what a model wrote. On GET endpoints \`Accept: application/x-ndjson\` and \`text/plain\` choose those forms, too.`;

const DOCUMENT =
  'Describes every route, field, reply and failure of this service, for people and for client generators.';

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
        servers: [{ url: 'http://127.0.0.1:8080', description: 'Beside the agent runner' }],
        tags: [
          { name: 'operations', description: 'What can be done with the workspace' },
          { name: 'skills', description: 'The same, as a model asks for it' },
          { name: 'service', description: 'The state of the service, and its documents' },
        ],
        components: {
          securitySchemes: {
            token: { type: 'http', scheme: 'bearer', description: 'Wanted when the service has a token.' },
          },
        },
        security: [{}, { token: [] }],
      },
      refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
    });
    const schema = { tags: ['service'], response: { 200: document('The OpenAPI document.') } };
    app.get(
      '/openapi.json',
      { schema: { ...schema, operationId: 'openapiJson', summary: 'This document, as JSON', description: DOCUMENT } },
      async (_request, reply) => reply.type('application/json').send(JSON.stringify(app.swagger())),
    );
    app.get(
      '/openapi.yaml',
      {
        schema: {
          ...schema,
          response: {
            200: { description: 'The OpenAPI document.', content: { 'application/yaml': { schema: Type.String() } } },
          },
          operationId: 'openapiYaml',
          summary: 'This document, as YAML',
          description: DOCUMENT,
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
  const records = new Map(operations.map(({ record }) => [idOf(record), record]));
  return [ErrorResponse, Skipped, ...records.values(), ...operations.map(replySchema)];
}

function document(description: string) {
  return Type.Object({}, { description, additionalProperties: true });
}
