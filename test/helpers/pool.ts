import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { operationOf } from '../../src/operations/index.ts';
import { checkInput } from '../../src/operations/input.ts';
import { toJob } from '../../src/pool/asked.ts';
import { Pool } from '../../src/pool/pool.ts';
import type { Setup } from '../../src/pool/protocol.ts';
import { wholeOf } from '../../src/pool/reply.ts';
import { POLICY_SETS } from '../../src/workspace/policy.ts';
import { openRoot } from '../../src/workspace/root.ts';
import type { Reply } from './operations.ts';

/** The built worker: `npm run build` makes it. */
const WORKER = new URL('../../dist/src/pool/worker.js', import.meta.url);
const PROGRAM = fileURLToPath(new URL('../..', import.meta.url));
const LIMITS = { maxResults: 10_000, timeoutMs: 30_000, bounds: DEFAULT_BOUNDS };

/** A worker thread of the service over a host path, behind the second wall or not, and what its operations answer. */
export function workerAt(root: string, isConfined: boolean) {
  const setup: Setup = {
    root: openRoot(root, false),
    policy: POLICY_SETS.secrets,
    maxReadBytes: 1024 * 1024,
    bounds: DEFAULT_BOUNDS,
    cacheBytes: 0,
    ...(isConfined ? { confinedTo: [PROGRAM] } : {}),
  };
  const pool = new Pool({
    start: (marks) => new Worker(WORKER, { workerData: { ...setup, marks }, env: {} }),
    workers: 1,
    concurrency: 1,
    waiting: 1,
  });
  onTestFinished(() => pool.close());
  return async (name: string, given: Record<string, unknown>): Promise<Reply> => {
    const operation = operationOf(name);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    const { input } = checkInput(operation.input, given, 'json');
    const job = toJob({ operation, input, form: 'json' }, LIMITS, 'test');
    const reply = await pool.perform(job, operation.isSearch(input), new AbortController().signal);
    return JSON.parse(wholeOf(reply).toString('utf8'));
  };
}
