import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type TObject, type TSchema, Type } from 'typebox';
import { idOf, replySchema, streamSchemas } from '../src/operations/documents.ts';
import { operations } from '../src/operations/index.ts';
import type { Operation } from '../src/operations/operation.ts';
import { problems } from '../src/operations/problems.ts';
import { defaulted } from '../src/operations/schema.ts';
import type { Form } from '../src/pool/protocol.ts';
import { sendJob } from './reply.ts';

const MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/plain'];

/** `GET /<operation>` and `GET /<operation>/stream`, for every operation there is. */
export default async function operationRoutes(app: FastifyInstance): Promise<void> {
  for (const operation of operations) {
    const { description, input, list, name, summary } = operation;
    app.get<{ Querystring: Record<string, unknown> }>(
      `/${name}`,
      {
        schema: {
          tags: ['operations'],
          operationId: name,
          summary,
          description: `${description}\n\n\`Accept: application/x-ndjson\` gives the lines of \`/${name}/stream\`, \`text/plain\` what a model should read.`,
          querystring: input,
          response: {
            200: {
              description: list === undefined ? 'The content.' : 'The results.',
              content: { 'application/json': { schema: Type.Ref(String(idOf(replySchema(operation)))) } },
            },
            ...problems(operation),
          },
        },
        preValidation: async (request) => {
          if ('sort' in input.properties && formOf(request) === 'ndjson')
            request.query = { sort: 'none', ...request.query };
        },
      },
      (request, reply) => answer(operation, formOf(request), request, reply),
    );
    app.get<{ Querystring: Record<string, unknown> }>(
      `/${name}/stream`,
      {
        schema: {
          tags: ['operations'],
          operationId: `${name}Stream`,
          summary: `${summary}, as a stream`,
          description: describeStream(operation),
          querystring: unsorted(input),
          response: {
            200: {
              description: 'The results as they are found, a line of JSON for each.',
              content: { 'application/x-ndjson': { schema: linesOf(operation) } },
            },
            ...problems(operation),
          },
        },
      },
      (request, reply) => answer(operation, 'ndjson', request, reply),
    );
  }
}

/** The form that the Accept header prefers; JSON when it names none that there is. */
export function formOf(request: FastifyRequest): Form {
  const [type] = new Negotiator(request.raw).mediaTypes(MEDIA_TYPES);
  if (type === 'application/x-ndjson') return 'ndjson';
  return type === 'text/plain' ? 'text' : 'json';
}

function answer(
  operation: Operation,
  form: Form,
  request: FastifyRequest<{ Querystring: Record<string, unknown> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendJob({ operation, input: request.query, form }, request, reply);
}

function describeStream({ list, recordType }: Operation): string {
  const [each, limit] =
    list === undefined
      ? [
          'each piece',
          "At most `maxBytes` of content are sent, and never more than the server's cap; `next` of `end` says where to go on.",
        ]
      : ['each result as it is found', 'There is no limit unless `maxResults` sets one.'];
  return `Lines of JSON, each \`{"type": …, "data": {…}}\`: \`begin\`, then \`${recordType}\` for ${each}, and at last one \`end\` (what closes the JSON reply, and \`elapsed_ms\`) or \`error\` (a problem). A body without either is not whole. ${limit}`;
}

/** The body of a stream: text to OpenAPI, which has no words for lines. */
function linesOf(operation: Operation): TSchema {
  const [line] = streamSchemas(operation);
  return Type.String({
    description: 'Lines that end in a line feed, each a JSON object.',
    contentMediaType: 'application/x-ndjson',
    contentSchema: Type.Ref(String(idOf(line))),
  });
}

/** The input of a stream, which is not sorted unless that is asked for. */
function unsorted(input: TObject): TObject {
  const { sort } = input.properties;
  if (sort === undefined) return input;
  return Type.Object(
    { ...input.properties, sort: defaulted({ ...sort, default: 'none' }) },
    { additionalProperties: false },
  );
}
