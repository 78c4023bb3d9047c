import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import plugin from 'fastify-plugin';
import { HeadersTooLarge, InputInvalid, RequestTimeout } from '../src/errors.ts';
import { toFailure, toProblem } from '../src/problem.ts';

/** The caller closed the connection before its request was whole. */
const ENDED_EARLY = 'HPE_INVALID_EOF_STATE';

/** The replies of a connection that are not over. */
const replies = new WeakMap<Socket, Set<FastifyReply>>();

/** Keeps account of replies under way, and takes requests with any expectation: none of them changes an answer. */
export default plugin(
  async function connections(app: FastifyInstance) {
    app.addHook('onRequest', async (request, reply) => {
      const open = repliesOf(request.raw.socket).add(reply);
      reply.raw.once('close', () => open.delete(reply));
    });
    // Without this Node answers 417 by itself; RFC 9110, section 10.1.1, lets a server go on.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  },
  { name: 'connections', fastify: '5.x' },
);

function repliesOf(socket: Socket): Set<FastifyReply> {
  const known = replies.get(socket);
  if (known !== undefined) return known;
  const open = new Set<FastifyReply>();
  replies.set(socket, open);
  // With its connection Node closes the reply that is being sent, and leaves those that wait for their turn open for ever.
  socket.once('close', () => {
    for (const { raw } of open) if (raw.socket === null) raw.destroy().emit('close');
  });
  return open;
}

/** Answers what is no request, or none that came whole, with a problem, and closes its connection. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, log: FastifyBaseLogger): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  const open = [...(replies.get(socket) ?? [])];
  const cut = open.find(({ request }) => !request.raw.complete);
  const reqId = cut?.request.id ?? randomUUID();
  const problem = toProblem(refusal, reqId);
  // In the middle of a reply these bytes would be taken for a part of it.
  const isTold = !open.some(({ raw }) => raw.headersSent);
  if (cut === undefined) log.info({ reqId, status: problem.status, code: problem.code }, 'request');
  else if (isTold || error.code !== ENDED_EARLY) fail(cut, refusal);
  if (isTold) socket.end(toMessage(problem.status, reqId, JSON.stringify(problem)), () => socket.destroy());
  else socket.destroy();
}

/** For the request's own line in the log: why it failed, and the status, unless another was sent. */
function fail({ raw, request }: FastifyReply, refusal: Error): void {
  const failure = toFailure(refusal);
  request.failure = failure;
  if (!raw.headersSent) raw.statusCode = failure.status;
}

function refusalOf(code: string | undefined): Error {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout();
  return new InputInvalid('The request is no HTTP/1.1 message that can be read.');
}

function toMessage(status: number, reqId: string, body: string): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${reqId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
