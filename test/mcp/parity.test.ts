import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { inputsOf, ODD_TREE } from '../helpers/odd-inputs.ts';
import { serviceOf } from '../helpers/service.ts';
import { faultOf, type Result, textOf } from './clients.ts';

const RUNS = 300;
/** A search starts a process, and up to three more to look for a hint. */
const COSTLY_RUNS = 60;
const TIMEOUT = 240_000;

type Service = Awaited<ReturnType<typeof serviceOf>>;

async function rpc({ app }: Service, method: string, params: object = {}): Promise<Result> {
  const payload = { jsonrpc: '2.0', id: 1, method, params };
  const reply = await app.inject({ method: 'POST', url: '/mcp', payload, headers: { host: 'localhost' } });
  return reply.json().result;
}

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  'any input of the tool %s',
  (name, operation) => {
    it(
      'gives what POST /execute gives, and what the tool declares',
      async () => {
        const service = await serviceOf(ODD_TREE);
        const { tools } = await rpc(service, 'tools/list');
        const { outputSchema } = tools.find((tool: { name: string }) => tool.name === name);
        const isRight = async (input: Record<string, unknown>) => {
          const executed = (await service.execute({ action: name, input })).json();
          const called = await rpc(service, 'tools/call', { name, arguments: input });
          if (executed.status !== 'ok') {
            expect(called).toEqual({ content: expect.anything(), isError: true });
            expect(textOf(called)).toContain(`${executed.code}: ${executed.detail}`);
            return;
          }
          expect([textOf(called), called.structuredContent]).toEqual([executed.content, executed.result]);
          expect(faultOf(outputSchema, called.structuredContent)).toBeNull();
        };
        await fc.assert(fc.asyncProperty(inputsOf(operation), isRight), {
          numRuns: name === 'grep' ? COSTLY_RUNS : RUNS,
        });
      },
      TIMEOUT,
    );
  },
);
