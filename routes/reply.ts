import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../src/operations/operation.ts';
import type { Form, OperationJob } from '../src/pool/protocol.ts';
import type { EnvelopeMembers } from '../src/results/envelope.ts';

/** An operation to be answered in a form. */
export interface Asked {
  operation: Operation;
  /** Checked. */
  input: Record<string, unknown>;
  form: Form;
  relativePaths: boolean;
  envelope?: EnvelopeMembers;
}

const CONTENT_TYPES: Record<Form, string> = {
  json: 'application/json; charset=utf-8',
  envelope: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/** Runs an operation and sends what it finds: a stream as it comes, the other forms when all is there. */
export async function sendJob(asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { form, input, operation } = asked;
  const { body } = await request.server.perform(toJob(asked, request), operation.isSearch(input), request, reply);
  reply.type(CONTENT_TYPES[form]);
  return reply.send(form === 'ndjson' ? body : await collect(body));
}

/** The limits that hold for an input: the caller's, and the server's. */
export function effectiveLimits(input: Record<string, unknown>, server: { maxResults: number; timeoutMs: number }) {
  const { maxFiles, maxResults, timeoutMs } = input;
  return {
    ...(typeof maxResults === 'number' ? { maxResults } : {}),
    ...(typeof maxFiles === 'number' ? { maxFiles } : {}),
    cap: server.maxResults,
    timeoutMs: Math.min(typeof timeoutMs === 'number' ? timeoutMs : server.timeoutMs, server.timeoutMs),
  };
}

function toJob({ envelope, form, input, operation, relativePaths }: Asked, request: FastifyRequest): OperationJob {
  const { cap, timeoutMs, ...asked } = effectiveLimits(input, request.server.limits);
  return {
    kind: 'operation',
    operation: operation.name,
    input,
    form,
    limits: form === 'ndjson' ? asked : { ...asked, cap },
    timeoutMs,
    requestId: request.id,
    relativePaths,
    ...(envelope === undefined ? {} : { envelope }),
  };
}

async function collect(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
