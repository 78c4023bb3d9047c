import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ANYWHERE, AS_TEXT, AT_PATH, type Code, problemsOf } from '../src/operations/problems.ts';
import { oneOf } from '../src/operations/schema.ts';
import { effectiveLimits, type ServerLimits, withinBounds } from '../src/pool/asked.ts';
import { type Payload, readPayload } from '../src/skills/payload.ts';
import { formOf } from './operations.ts';
import { sendJob } from './reply.ts';

const EXAMPLES = [
  { action: 'find_file', properties: [{ name: 'pattern', value: '*.py' }] },
  { mode: 'grep', pattern: 'def main', path: 'src' },
  { action: 'grep', input: { pattern: 'def main', path: 'src' } },
  { name: 'read', arguments: { path: 'src/main.py', startLine: 1, endLine: 40 } },
];

const text = (description: string, examples: string[]) => Type.Optional(Type.String({ description, examples }));

const PayloadSchema = Type.Object(
  {
    action: text(
      "A skill's action, as GET /skills lists them, or an operation: `ls`, `find`, `glob`, `grep`, `read`.",
      ['find_file'],
    ),
    properties: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: "The property's name, as the skill has it.", examples: ['pattern'] }),
            value: Type.Optional(
              Type.Unknown({
                description: 'Its value: text, also for numbers and booleans, or JSON.',
                examples: ['*.py'],
              }),
            ),
          },
          { additionalProperties: true, description: 'A property of the action.' },
        ),
        {
          description: 'What the action is to do; a plain object will do, too.',
          examples: [[{ name: 'pattern', value: '*.py' }]],
        },
      ),
    ),
    input: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: "An operation's fields, with an operation as `action`." },
      ),
    ),
    sequential: Type.Optional(
      Type.Boolean({ description: 'Whether a next turn is wanted with the result; handed back in the reply.' }),
    ),
    prompt: text('What the next turn is to do with the result; handed back in the reply.', ['Open the first file.']),
    mode: Type.Optional(
      oneOf(['ls', 'glob', 'grep'], { description: 'What a bare fs_search payload asks for; `ls` without it.' }),
    ),
    path: text('Where a bare fs_search payload starts.', ['src']),
    pattern: text('What a bare fs_search payload looks for: with `glob` a glob, with `grep` a text.', ['def main']),
    name: text("What a tool call calls: a skill's action, or an operation.", ['read']),
    arguments: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: "A tool call's fields; JSON in a text will do, too." },
      ),
    ),
  },
  {
    $id: 'Payload',
    additionalProperties: true,
    description:
      "What a model wrote, in one of four forms: a skill's payload (`action`, `properties`), a bare fs_search payload (`mode`, `path`, `pattern`), an operation by name (`action`, `input`), or a tool call (`name`, `arguments`).",
    examples: EXAMPLES,
  },
);

const Envelope = Type.Object(
  {
    action: Type.String({ description: 'The action that was run.', examples: ['find_file'] }),
    status: Type.String({ description: 'Always `ok`: a failure has its own status.' }),
    content: Type.String({ description: 'The result as a model should read it.', examples: ['/src/main.py\n'] }),
    result: Type.Object(
      {},
      { additionalProperties: true, description: "The operation's JSON reply, as its GET endpoint gives it." },
    ),
    sequential: Type.Boolean({ description: 'Whether the payload wants a next turn with this result.' }),
    prompt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What the next turn is to do with the result, as the payload says; null when it says nothing.',
    }),
    payload: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'What was run, for review: `action`, `operation`, and `input` with every default.',
      },
    ),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'Properties that were ignored.' })),
    repairs: Type.Optional(
      Type.Array(Type.String(), { description: 'What was mended in the body before it could be read.' }),
    ),
  },
  { $id: 'Envelope', additionalProperties: false, description: 'The reply of an action.' },
);

/** Schemas that documents name. */
export const executeSchemas = [PayloadSchema, Envelope];

const PROBLEMS: readonly Code[] = [
  ...ANYWHERE,
  ...AT_PATH,
  ...AS_TEXT,
  ...(['PATTERN_INVALID', 'ENCODING_UNKNOWN', 'BODY_INVALID', 'ACTION_UNKNOWN', 'BODY_TOO_LARGE'] as const),
];

/** A stream gives results as they are found. */
const STREAM_DEFAULTS = { sort: 'none' };

/** `POST /execute`: what a model wrote, run. */
export default async function executeRoutes(app: FastifyInstance): Promise<void> {
  // Whatever a runner says the body is, a model wrote it.
  app.addHook('onRequest', async (request) => {
    request.headers['content-type'] = 'application/octet-stream';
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
  app.post(
    '/execute',
    {
      schema: {
        tags: ['skills'],
        operationId: 'execute',
        summary: 'Run what a model wrote',
        description:
          "Takes a skill's payload (`action` and `properties`), a bare fs_search payload (`mode`, `path`, `pattern`), an operation by name (`action` and `input`), or a tool call (`name` and `arguments`), under any content type, and mends what models get wrong: code fences, trailing commas, lone backslashes. `content` of the reply is for the model, `result` is the operation's JSON reply. With `Accept: application/x-ndjson` it streams as the operation does.",
        body: Type.Ref('Payload'),
        response: {
          200: { description: 'The result.', content: { 'application/json': { schema: Type.Ref('Envelope') } } },
          ...problemsOf(PROBLEMS),
        },
      },
      validatorCompiler: () => (body) => ({ value: body }),
    },
    async (request, reply) => {
      const text = request.body instanceof Buffer ? request.body.toString('utf8') : '';
      const isStream = formOf(request) === 'ndjson';
      const payload = readPayload(text, isStream ? STREAM_DEFAULTS : {}, app.limits.bounds.jsonDepth);
      return sendJob(
        {
          operation: payload.operation,
          input: payload.input,
          form: isStream ? 'ndjson' : 'envelope',
          relativePaths: payload.relativePaths,
          envelope: { before: { action: payload.action, status: 'ok' }, after: afterResult(payload, app.limits) },
        },
        request,
        reply,
      );
    },
  );
}

/** The members of the envelope that follow the result. */
function afterResult(payload: Payload, server: ServerLimits): object {
  const { action, operation, options, prompt, repairs, sequential, warnings } = payload;
  const { cap, maxResults = cap, timeoutMs } = effectiveLimits(payload.input, server);
  const limits = operation.list === undefined ? { timeoutMs } : { maxResults, timeoutMs };
  return {
    sequential,
    prompt,
    payload: {
      action,
      operation: operation.name,
      input: { ...withinBounds(payload.input, server.bounds), ...limits },
      ...options,
    },
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}
