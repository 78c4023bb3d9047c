import { Busy } from '../errors.ts';
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
/** A call is not begun with less: the first line of its result may be longer. */
const LEAST_ROOM = 128 * 1024;

/** Calls an operation as a tool: its input checked as a model writes it, its reply in both forms. */
export function toCallTool(perform: Perform, limits: ServerLimits, requestId: string): CallTool {
  return async (...call) => JSON.parse((await envelopeOf(perform, limits, requestId, ROOM, ...call)).toString('utf8'));
}

/**
 * The same for all calls of one message, which may be a batch of a hundred and
 * is answered at once: one runs after the other, and all share the room of one.
 */
export function toCallToolInTurn(perform: Perform, limits: ServerLimits, requestId: string): CallTool {
  let room = ROOM;
  let turn: Promise<unknown> = Promise.resolve();
  return (...call) => {
    const called = turn.then(async () => {
      if (room < LEAST_ROOM) {
        throw new Busy('The calls before this one filled the reply. Send this call again, in a request of its own.');
      }
      const envelope = await envelopeOf(perform, limits, requestId, room, ...call);
      room -= Math.ceil(envelope.length / 2);
      return JSON.parse(envelope.toString('utf8'));
    });
    turn = called.catch(() => {});
    return called;
  };
}

/** A reply in both forms, of which each takes at most `room`. */
async function envelopeOf(
  perform: Perform,
  limits: ServerLimits,
  requestId: string,
  room: number,
  ...[name, given, signal]: Parameters<CallTool>
): Promise<Buffer> {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation is called '${name}'`);
  const { input } = checkInput(operation.input, given, 'json');
  const job = toJob({ operation, input, form: 'envelope', room }, limits, requestId);
  const { body } = await perform(job, operation.isSearch(input), signal);
  return collect(body);
}
