import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOf, replySchema } from '../../src/operations/documents.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { documentOf, schemasOf } from '../helpers/documents.ts';
import { inputsOf, ODD_TREE } from '../helpers/odd-inputs.ts';
import { linesOf, serviceOf } from '../helpers/service.ts';

/** What a request came to, in whichever form. */
interface Outcome {
  status: number;
  code?: string;
  records?: unknown;
  end?: Record<string, unknown>;
}

type Reply = Awaited<ReturnType<Awaited<ReturnType<typeof serviceOf>>['get']>>;

const RUNS = 1000;
/** A search starts a process, and up to three more to look for a hint. */
const COSTLY_RUNS = 150;
const TIMEOUT = 240_000;

/** The replies to an input, sent in every way there is. */
interface Replies {
  typed: Reply;
  streams: Reply[];
  executed: Reply[];
}

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  'any input of %s',
  (name, operation) => {
    const numRuns = name === 'grep' ? COSTLY_RUNS : RUNS;

    it(
      'gives the same, and what is documented, whichever way it is sent',
      async () => {
        const service = await serviceOf(ODD_TREE);
        const fits = schemasOf(await documentOf(service.app));
        const isRight = async (input: Record<string, unknown>) => {
          const replies = await askAll(service, name, input);
          expect(misfits(fits, operation, replies)).toEqual([]);
          expectSame(operation, replies, name === 'read' || input['sort'] !== undefined);
        };
        await fc.assert(fc.asyncProperty(inputsOf(operation), isRight), { numRuns });
      },
      TIMEOUT,
    );
  },
);

async function askAll(
  { execute, get }: Awaited<ReturnType<typeof serviceOf>>,
  name: string,
  input: Record<string, unknown>,
): Promise<Replies> {
  const query = toQuery(input);
  const ndjson = { accept: 'application/x-ndjson' };
  return {
    typed: await get(`/${name}`, query),
    streams: [
      await get(`/${name}/stream`, query),
      await get(`/${name}`, query, ndjson),
      await execute({ action: name, input }, ndjson),
    ],
    executed: [
      await execute({ action: name, input }),
      await execute({ type: 'function', function: { name, arguments: JSON.stringify(input) } }),
    ],
  };
}

/** A stream is in the order of the collected reply only where the input says which. */
function expectSame(operation: Operation, { executed, streams, typed }: Replies, isSameOrder: boolean): void {
  const outcome = ofReply(operation, typed, (body) => body);
  const comparable = isSameOrder ? (same: Outcome) => same : unordered;
  for (const reply of executed) expect(ofReply(operation, reply, ({ result }) => result)).toEqual(outcome);
  for (const reply of streams) expect(comparable(ofStream(operation, reply))).toEqual(comparable(outcome));
}

/** An input as a query: several values of a list as repeated keys, else the list as JSON text. */
function toQuery(input: Record<string, unknown>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, String(value)];
      return [name, value.length > 1 ? value.map(String) : JSON.stringify(value)];
    }),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: replies are read as they are expected
function ofReply({ list }: Operation, reply: Reply, toResult: (body: any) => any): Outcome {
  const body = reply.json();
  if (reply.statusCode !== 200) return { status: reply.statusCode, code: body.code };
  const { [list ?? 'content']: records, path, pattern, path_bytes, hints, ...end } = toResult(body);
  return { status: 200, records, end };
}

function ofStream({ list }: Operation, reply: Reply): Outcome {
  if (reply.statusCode !== 200) return { status: reply.statusCode, code: reply.json().code };
  const lines = linesOf(reply.body);
  const last = lines.at(-1);
  if (last?.type === 'error') return { status: Number(last.data['status']), code: String(last.data['code']) };
  const records = lines.slice(1, -1).map(({ data }) => data);
  const { elapsed_ms, hints, ...end } = last?.data ?? {};
  return { status: 200, records: list === undefined ? records.map(({ text }) => text).join('') : records, end };
}

/** What holds in any order: which of all records a cut reply has is not told, nor what was met on the way to them. */
function unordered({ end, records, ...outcome }: Outcome): Outcome {
  if (!Array.isArray(records) || end === undefined) return outcome;
  const { skipped, ...cut } = end;
  if (end['truncated'] === true) return { ...outcome, end: cut };
  return { ...outcome, records: records.map((record) => JSON.stringify(record)).sort(), end };
}

/** What does not fit the schemas that the document has for it. */
function misfits(
  fits: (name: string, value: unknown) => string | null,
  operation: Operation,
  { executed, streams, typed }: Replies,
): (string | null)[] {
  const fault = (reply: Reply, schema: string) =>
    fits(reply.statusCode === 200 ? schema : 'ErrorResponse', reply.json());
  const faultsOfStream = (reply: Reply) =>
    reply.statusCode === 200
      ? recordsOf(operation, reply).map((record) => fits(String(idOf(operation.record)), record))
      : [fault(reply, 'ErrorResponse')];
  return [
    fault(typed, String(idOf(replySchema(operation)))),
    ...executed.map((reply) => fault(reply, 'Envelope')),
    ...streams.flatMap(faultsOfStream),
  ].filter((found) => found !== null);
}

function recordsOf({ recordType }: Operation, reply: Reply): unknown[] {
  return linesOf(reply.body)
    .filter(({ type }) => type === recordType)
    .map(({ data }) => data);
}
