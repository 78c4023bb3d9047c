import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { place } from '../src/operations/fields.ts';
import { problemsOf } from './responses.ts';

const Query = Type.Object(place, { additionalProperties: false });

/** The headers on which the answer depends. */
const CONDITIONS = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'cache-control'];

/** A file that is opened in a browser runs no script and loads nothing. */
const SANDBOX = "default-src 'none'; sandbox";

/** `GET /read/raw`: a file's bytes. */
export default async function rawRoutes(app: FastifyInstance): Promise<void> {
  app.get<{ Querystring: Static<typeof Query> }>(
    '/read/raw',
    {
      schema: {
        tags: ['operations'],
        operationId: 'readRaw',
        summary: "Get a file's bytes",
        description:
          'The bytes of a regular file, unchanged, with `Range` (one range of bytes), `ETag` and `If-None-Match`. Use it for binary files and for files of any size.',
        querystring: Query,
        response: {
          200: {
            description: 'The file.',
            content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } },
          },
          206: {
            description: 'The range that was asked for.',
            content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } },
          },
          304: { description: 'The file has not changed since the `ETag` or the time that was sent.', type: 'null' },
          ...problemsOf([400, 401, 403, 404, 416, 422, 500, 503]),
        },
      },
    },
    async (request, reply) => {
      const headers = Object.fromEntries(
        CONDITIONS.flatMap((name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        }),
      );
      const job = { kind: 'raw' as const, input: request.query, headers };
      const { body, head } = await app.perform(job, false, request, reply);
      reply
        .code(head?.status ?? 200)
        .headers({ ...head?.headers, 'x-content-type-options': 'nosniff', 'content-security-policy': SANDBOX });
      if (head?.status !== 304) return reply.send(body);
      body.destroy();
      return reply.send();
    },
  );
}
