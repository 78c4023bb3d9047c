import { Busy } from '../errors.ts';
import { operationOf } from '../operations/index.ts';
import { checkInput } from '../operations/input.ts';
import { type ServerLimits, toJob } from '../pool/asked.ts';
import type { Job } from '../pool/protocol.ts';
import { type Reply, wholeOf } from '../pool/reply.ts';
import { toFailure } from '../problem.ts';
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
const ON_ITS_OWN = 'Send this call again, in a request of its own.';

/** What one call may take. */
interface Share {
  /** Of the reply, for each of its two forms. */
  room: number;
  /** Time to search, in milliseconds. */
  timeoutMs: number;
}

/** Calls an operation as a tool: its input checked as a model writes it, its reply in both forms. */
export function toCallTool(perform: Perform, limits: ServerLimits, requestId: string): CallTool {
  const share = { room: ROOM, timeoutMs: limits.timeoutMs };
  return async (...call) => JSON.parse((await envelopeOf(perform, limits, requestId, share, ...call)).toString('utf8'));
}

/**
 * The same for all calls of one message, which may be a batch of a hundred and
 * is answered at once: one runs after the other, and all share the room and the
 * time of one. What failed calls say takes room, too.
 */
export function toCallToolInTurn(perform: Perform, limits: ServerLimits, requestId: string): CallTool {
  let room = ROOM;
  let deadline: number | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const nextShare = (): Share => {
    deadline ??= performance.now() + limits.timeoutMs;
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (room < LEAST_ROOM) throw new Busy(`The calls before this one filled the reply. ${ON_ITS_OWN}`);
    if (timeoutMs <= 0) throw new Busy(`The calls before this one took all the time there is. ${ON_ITS_OWN}`);
    return { room, timeoutMs };
  };
  return (...call) => {
    const called = turn.then(async () => {
      const envelope = await envelopeOf(perform, limits, requestId, nextShare(), ...call).catch((error) => {
        room -= Math.ceil(Buffer.byteLength(JSON.stringify(toModelText(error))) / 2);
        throw error;
      });
      room -= Math.ceil(envelope.length / 2);
      return JSON.parse(envelope.toString('utf8'));
    });
    turn = called.catch(() => {});
    return called;
  };
}

/** What the model reads of a failed call. */
export function toModelText(error: unknown): string {
  const { code, detail, members } = toFailure(error);
  const suggestions = members.suggestions === undefined ? '' : ` Did you mean ${members.suggestions.join(', ')}?`;
  return `${code}: ${detail}${suggestions}`;
}

/** A reply in both forms, each of which takes at most its share. */
async function envelopeOf(
  perform: Perform,
  limits: ServerLimits,
  requestId: string,
  { room, timeoutMs }: Share,
  ...[name, given, signal]: Parameters<CallTool>
): Promise<Buffer> {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation is called '${name}'`);
  const { input } = checkInput(operation.input, given, 'json');
  const job = toJob({ operation, input, form: 'envelope', room }, limits, requestId);
  const limited = { ...job, timeoutMs: Math.min(job.timeoutMs, timeoutMs) };
  return wholeOf(await perform(limited, operation.isSearch(input), signal));
}
