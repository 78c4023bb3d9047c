import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { BodyInvalid, BodyTooLarge, InputInvalid, MethodNotAllowed, RouteNotFound } from '../src/errors.ts';
import type { ReplyHead } from '../src/pool/protocol.ts';
import { CallerGone, type Failure, toFailure, toProblem } from '../src/problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request failed, for its log line. */
    failure: Failure | null;
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const RETRY_AFTER = '1';

/** Sends every failure as problem+json (RFC 9457), whatever form was asked for. */
export default plugin(
  async function problem(app: FastifyInstance) {
    app.decorateRequest('failure', null);
    app.setErrorHandler<FastifyError>((error, request, reply) => sendProblem(error, request, reply));
    app.setNotFoundHandler((request, reply) => refuseRoute(app, request, reply));
    // Before a body is looked at, which no route would take.
    app.addHook('preParsing', async (request, reply) => {
      if (request.is404) return refuseRoute(app, request, reply) as never;
    });
  },
  { name: 'problem', fastify: '5.x' },
);

function refuseRoute(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?');
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  if (allowed.length === 0) return sendProblem(new RouteNotFound(path.slice(0, 100)), request, reply);
  reply.header('allow', [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', '));
  return sendProblem(new MethodNotAllowed(request.method, allowed.join(' or ')), request, reply);
}

/** Answers with a failure. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof CallerGone || isBrokenOff(request)) return reply.hijack();
  const known = ofFramework(error);
  const problem = toProblem(known, request.id);
  request.failure = toFailure(known);
  if (isWithHead(error)) reply.headers(error.head.headers);
  if (problem.code === 'BUSY') reply.header('retry-after', RETRY_AFTER);
  if (problem.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/** Whether the connection ended before the whole request had come: there is nobody to be told. */
function isBrokenOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function isWithHead(error: unknown): error is { head: ReplyHead } {
  return typeof error === 'object' && error !== null && 'head' in error && error.head !== undefined;
}

/** What Fastify refuses by itself, in the catalogue's terms. */
function ofFramework(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new BodyTooLarge('this service takes');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new BodyInvalid('The body is not as long as its Content-Length says. Send it again, whole.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new BodyInvalid('The Content-Type is no media type. Send application/json.');
    case 'FST_ERR_BAD_URL':
      return new InputInvalid('The path of the URL is not percent-encoded UTF-8.');
    default:
      return error;
  }
}
