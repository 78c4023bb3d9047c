import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Summary } from '../src/pool/protocol.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the reply held, once it has been made. */
    summary: Summary | null;
  }
}

/** W3C Trace Context, section 3.2. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Gives every reply its request's id, keeps the caller's trace, and logs one line a request. */
export default plugin(
  async function requests(app: FastifyInstance) {
    app.decorateRequest('summary', null);
    app.addHook('onRequest', async (request, reply) => follow(request, reply));
  },
  { name: 'requests', fastify: '5.x' },
);

/** Marks the reply as the request's, and logs the request once it is over. */
export function follow(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  const { traceparent } = request.headers;
  const traceId = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  if (typeof traceparent === 'string' && traceId !== undefined) reply.header('traceparent', traceparent);
  // At its close and not in a hook: a request whose caller went away is logged, too.
  // A turn later: the summary of a short reply comes after its last byte.
  reply.raw.once('close', () => setImmediate(log, request, reply, traceId));
}

function log(request: FastifyRequest, reply: FastifyReply, traceId: string | undefined): void {
  const { failure, summary } = request;
  const status = reply.raw.statusCode;
  const isFault = (failure?.status ?? status) >= 500;
  const facts = {
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    method: request.method,
    // Without the query: it holds what callers search for.
    path: request.url.split('?')[0],
    status,
    ms: Math.round(reply.elapsedTime),
    ...(isNone(summary) ? {} : { records: summary.records, truncated_by: summary.truncatedBy }),
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
    ...(isNone(failure) ? {} : { code: failure.code }),
    ...(failure?.cause === undefined || !isFault ? {} : { cause: failure.cause }),
  };
  request.log[isFault ? 'error' : 'info'](facts, 'request');
}

/** A request that no hook saw has no such member at all. */
function isNone(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}
