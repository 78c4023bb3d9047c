import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { Type } from 'typebox';
import { toCallToolInTurn } from '../src/mcp/call.ts';
import { answerMcp } from '../src/mcp/http.ts';
import type { CallTool } from '../src/mcp/server.ts';
import { ANYWHERE, problemsOf } from '../src/operations/problems.ts';
import type { Job } from '../src/pool/protocol.ts';
import { CallerGone, toFailure } from '../src/problem.ts';

/** Both forms of an answer; clients that name one, or none, get the same JSON. */
const ACCEPTED = 'application/json, text/event-stream';

/** What stands in for the request's own URL, whose `Host` may be anything. */
const ENDPOINT = 'http://localhost/mcp';

const Message = Type.Object(
  {
    jsonrpc: Type.String({ description: 'Always 2.0.', examples: ['2.0'] }),
    id: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        description: 'Which request it is, for the answer to name it; absent in a notification.',
        examples: [1],
      }),
    ),
    method: Type.String({
      description: 'What is asked for: `initialize`, `tools/list`, `tools/call` or another method of the protocol.',
      examples: ['tools/list'],
    }),
    params: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'What the method is asked with.' }),
    ),
  },
  {
    $id: 'McpMessage',
    additionalProperties: true,
    description: 'A JSON-RPC 2.0 message of the Model Context Protocol.',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
  },
);

/** Schemas that documents name. */
export const mcpSchemas = [Message];

const answered = (description: string) => ({
  description,
  content: {
    'application/json': {
      schema: Type.Object(
        {},
        { additionalProperties: true, description: 'A JSON-RPC message, with `result` or with `error`.' },
      ),
    },
  },
});

/**
 * `POST /mcp`: Model Context Protocol over Streamable HTTP, without sessions.
 * The protocol's implementation is loaded when the first request comes.
 */
export default plugin(
  async function mcp(app: FastifyInstance) {
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);
      scope.post(
        '/mcp',
        {
          schema: {
            tags: ['skills'],
            operationId: 'mcp',
            summary: 'Speak Model Context Protocol',
            description:
              'The operations as tools, over Streamable HTTP (stateless; every answer is JSON). For MCP clients; a call of a tool gives text for the model and the JSON reply as structured content.',
            body: Type.Ref('McpMessage'),
            response: {
              200: answered('The answer. A call of a tool that failed is one, too: with `isError`, for the model.'),
              202: { description: 'A notification was taken.', type: 'null' },
              ...problemsOf([...ANYWHERE, 'BODY_TOO_LARGE']),
              400: answered('The body is no JSON-RPC message, or nested too deep: `error` of the answer says why.'),
            },
          },
          validatorCompiler: () => (body) => ({ value: body }),
        },
        (request, reply) => answer(app, request, reply),
      );
    });
  },
  { name: 'mcp', fastify: '5.x', dependencies: ['workspace'] },
);

async function answer(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const headers = new Headers({ 'content-type': 'application/json', accept: ACCEPTED });
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  }
  const body = request.body instanceof Buffer ? new Uint8Array(request.body) : null;
  const response = await answerMcp(
    new Request(ENDPOINT, { method: 'POST', headers, body }),
    toCall(app, request, reply),
    app.limits.bounds.jsonDepth,
  );
  if (request.gone?.aborted === true) return reply.hijack();
  reply.code(response.status);
  const type = response.headers.get('content-type');
  if (type !== null) reply.type(type);
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

/** Calls an operation for this request; a failure is told to the model, and to the log. */
function toCall(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): CallTool {
  const perform = (job: Job, isSearch: boolean) => app.perform(job, isSearch, request, reply);
  const call = toCallToolInTurn(perform, app.limits, request.id);
  return (name, input, signal) =>
    call(name, input, signal).catch((error) => {
      if (!(error instanceof CallerGone)) request.failure = toFailure(error);
      throw error;
    });
}
