import { operationOf } from '../operations/index.ts';
import { checkInput } from '../operations/input.ts';
import { collect, type ServerLimits, toJob } from '../pool/asked.ts';
import type { Job } from '../pool/protocol.ts';
import type { Reply } from '../pool/reply.ts';
import type { CallTool } from './server.ts';

/** Runs a job; see `Pool.perform`. */
export type Perform = (job: Job, isSearch: boolean, signal: AbortSignal) => Promise<Reply>;

/**
 * Clients over standard input and output break off at a message of 10 MiB. A
 * result is in it twice, as text and as data, and JSON makes six bytes of a
 * control character.
 */
const ROOM = 800 * 1024;

/** Calls an operation as a tool: its input checked as a model writes it, its reply in both forms. */
export function toCallTool(perform: Perform, limits: ServerLimits, requestId: string): CallTool {
  return async (name, given, signal) => {
    const operation = operationOf(name);
    if (operation === undefined) throw new Error(`no operation is called '${name}'`);
    const { input } = checkInput(operation.input, given, 'json');
    const job = toJob({ operation, input, form: 'envelope', room: ROOM }, limits, requestId);
    const { body } = await perform(job, operation.isSearch(input), signal);
    return JSON.parse((await collect(body)).toString('utf8'));
  };
}
