import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Asked, toJob } from '../src/pool/asked.ts';
import type { Form } from '../src/pool/protocol.ts';

const CONTENT_TYPES: Record<Form, string> = {
  json: 'application/json; charset=utf-8',
  envelope: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/** Runs an operation and sends what it finds: a stream as it comes, the other forms when all is there. */
export async function sendJob(asked: Asked, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { form, input, operation } = asked;
  const { limits, perform } = request.server;
  const { body } = await perform(toJob(asked, limits, request.id), operation.isSearch(input), request, reply);
  reply.type(CONTENT_TYPES[form]);
  return reply.send(body);
}
