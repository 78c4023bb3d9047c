import type { Readable } from 'node:stream';
import { toFieldsError } from '../operations/input.ts';
import type { Operation } from '../operations/operation.ts';
import type { EnvelopeMembers } from '../results/envelope.ts';
import type { Form, OperationJob } from './protocol.ts';

/** An operation to be answered in a form. */
export interface Asked {
  operation: Operation;
  /** Checked. */
  input: Record<string, unknown>;
  form: Form;
  /** In text, paths below the start of the search. */
  relativePaths?: boolean;
  envelope?: EnvelopeMembers;
  /** How much the caller takes in one reply: characters of results as JSON, or bytes of a file. */
  room?: number;
}

/** What the server allows a request at most. */
export interface ServerLimits {
  /** Results of a collected reply. */
  maxResults: number;
  /** Time to search, in milliseconds. */
  timeoutMs: number;
}

/** The job that answers what was asked, within the server's limits. */
export function toJob(asked: Asked, server: ServerLimits, requestId: string): OperationJob {
  const { envelope, form, input, operation, relativePaths = false, room } = asked;
  const { cap, timeoutMs, ...own } = effectiveLimits(input, server);
  const isList = operation.list !== undefined;
  const limits = room === undefined || !isList ? own : { ...own, maxCharacters: room };
  return {
    kind: 'operation',
    operation: operation.name,
    input,
    form,
    limits: form === 'ndjson' ? limits : { ...limits, cap },
    ...(room === undefined || isList ? {} : { maxReadBytes: room }),
    timeoutMs,
    requestId,
    relativePaths,
    ...(envelope === undefined ? {} : { envelope }),
  };
}

/** The limits that hold for an input: the caller's, and the server's. Throws INPUT_INVALID for more time than the server gives. */
export function effectiveLimits(input: Record<string, unknown>, server: ServerLimits) {
  const { maxFiles, maxResults, timeoutMs = server.timeoutMs } = input;
  if (Number(timeoutMs) > server.timeoutMs) {
    const detail = `'timeoutMs' must be a whole number from 1 to ${server.timeoutMs}, not ${timeoutMs}.`;
    throw toFieldsError([{ detail, pointer: '#/timeoutMs' }]);
  }
  return {
    ...(typeof maxResults === 'number' ? { maxResults } : {}),
    ...(typeof maxFiles === 'number' ? { maxFiles } : {}),
    cap: server.maxResults,
    timeoutMs: Number(timeoutMs),
  };
}

/** All bytes of a collected reply. */
export async function collect(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
