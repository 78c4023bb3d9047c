import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { placeOfFile } from '../src/operations/fields.ts';
import { ANYWHERE, AT_PATH, problemsOf } from '../src/operations/problems.ts';

const Query = Type.Object(placeOfFile, { additionalProperties: false });

const text = (description: string, example: string) => Type.String({ description, examples: [example] });

/** What the caller has, or wants; `Cache-Control: no-cache` asks for it all the same. */
const Conditions = Type.Object(
  Object.fromEntries(
    Object.entries({
      Range: text(
        'Which bytes: one range, from, to, or the last so many. Several are answered with all.',
        'bytes=0-99',
      ),
      'If-Range': text(
        'The `ETag` to which `Range` belongs: all of the file is sent when it has another.',
        '"x-1-2-3"',
      ),
      'If-None-Match': text('The `ETag` of what the caller has: 304 while the file has it.', '"x-1-2-3"'),
      'If-Modified-Since': text(
        'The `Last-Modified` of what the caller has: 304 while the file has it.',
        'Fri, 24 Jul 2026 10:30:00 GMT',
      ),
    }).map(([name, schema]) => [name, Type.Optional(schema)]),
  ),
);
const CONDITIONS = [...Object.keys(Conditions.properties).map((name) => name.toLowerCase()), 'cache-control'];

const VALIDATORS = {
  ETag: text('Names this state of the file; another after any write.', '"x-1-2-3"'),
  'Last-Modified': text('When the file last changed.', 'Fri, 24 Jul 2026 10:30:00 GMT'),
};
const CONTENT = {
  ...VALIDATORS,
  'Accept-Ranges': text('That a range can be asked for: always `bytes`.', 'bytes'),
  'Content-Security-Policy': text('Keeps a browser from running anything in the file.', "default-src 'none'; sandbox"),
  'X-Content-Type-Options': text('Keeps a browser from guessing another type: always `nosniff`.', 'nosniff'),
};
const contentRange = (description: string, example: string) => ({ 'Content-Range': text(description, example) });

/** The type is the file's own, by its name. */
const BYTES = {
  '*/*': { schema: Type.String({ format: 'binary', description: 'The bytes, as they are in the file.' }) },
};

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
        headers: Conditions,
        response: {
          200: {
            description: 'The file, under the type that its name stands for.',
            headers: CONTENT,
            content: BYTES,
          },
          206: {
            description: 'The range that was asked for.',
            headers: { ...CONTENT, ...contentRange('Which bytes these are, and of how many.', 'bytes 0-99/1284') },
            content: BYTES,
          },
          304: {
            description: 'The file has not changed since the `ETag` or the time that was sent.',
            headers: VALIDATORS,
            type: 'null',
          },
          ...problemsOf([...ANYWHERE, ...AT_PATH, 'NOT_A_FILE']),
          416: {
            ...problemsOf(['RANGE_PAST_END'])[416],
            headers: contentRange('How many bytes the file has.', 'bytes */1284'),
          },
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
      return reply.send(head?.status === 304 ? undefined : body);
    },
  );
}
