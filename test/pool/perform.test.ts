import { expect, it, vi } from 'vitest';
import { Busy } from '../../src/errors.ts';
import { find } from '../../src/operations/find.ts';
import { checkInput } from '../../src/operations/input.ts';
import { Outlet } from '../../src/pool/outlet.ts';
import { perform } from '../../src/pool/perform.ts';
import type { OperationJob } from '../../src/pool/protocol.ts';
import { workspaceAt } from '../helpers/operations.ts';
import { plant } from '../helpers/tree.ts';

const JOB: OperationJob = {
  kind: 'operation',
  operation: 'find',
  input: checkInput(find.input, { pattern: '*', sort: 'none' }, 'json').input,
  form: 'ndjson',
  limits: {},
  timeoutMs: 1000,
  requestId: 'x',
  relativePaths: false,
};
const PART = { start: { shown: [], real: [], dev: 1, ino: 1 }, folders: [['a']], agentignore: undefined };

/** Performs a job whose walk fails when the reply has begun; gives what was sent. */
async function failing(job: OperationJob): Promise<string> {
  const workspace = workspaceAt(plant({}));
  // biome-ignore lint/correctness/useYield: it fails before it finds anything
  vi.spyOn(workspace, 'walk').mockImplementation(function* () {
    throw new Busy('No more of it.');
  });
  const sent: string[] = [];
  const outlet = new Outlet((bytes) => sent.push(Buffer.from(bytes).toString()));
  outlet.write('{}\n');
  outlet.flush();
  await perform(job, workspace, outlet, new AbortController().signal);
  return sent.join('');
}

it('a stream that fails when it has begun ends with the failure', async () => {
  const last = (await failing(JOB)).trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'error', data: { code: 'BUSY' } });
});

it('a part of one says nothing of its failure in the stream, which others go on with', async () => {
  await expect(failing({ ...JOB, part: PART })).rejects.toMatchObject({ code: 'BUSY' });
});

it('a reply that runs out of time holds what its walk had gathered until then', async () => {
  const workspace = workspaceAt(plant({}));
  vi.spyOn(workspace, 'walk').mockImplementation(function* (_start, _query, _skip, signal) {
    while (signal?.aborted === false) yield [];
    yield [{ path: '/late', text: '/late', kind: 'file', details: undefined }];
    throw new Error('it was asked once too often');
  });
  const sent: string[] = [];
  const outlet: Outlet = new Outlet((bytes) => sent.push(Buffer.from(bytes).toString()));
  await perform({ ...JOB, form: 'json', timeoutMs: 30 }, workspace, outlet, new AbortController().signal);

  const { count, matches, truncated_by } = JSON.parse(sent.join(''));
  expect([count, matches[0]?.path, truncated_by]).toEqual([1, '/late', 'timeout']);
});
