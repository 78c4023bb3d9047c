import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Pool, type WorkerThread } from '../../src/pool/pool.ts';
import type { Job, Request } from '../../src/pool/protocol.ts';

const JOB: Job = {
  kind: 'operation',
  operation: 'ls',
  input: {},
  form: 'json',
  limits: {},
  timeoutMs: 1000,
  requestId: 'x',
  relativePaths: false,
};

/** A thread that notes what it is sent and answers nothing. */
class SilentThread extends EventEmitter implements WorkerThread {
  readonly received: Request[] = [];
  postMessage(message: Request): void {
    this.received.push(message);
  }
  async terminate(): Promise<void> {}
}

function start(concurrency: number) {
  const thread = new SilentThread();
  const pool = new Pool({ start: () => thread, workers: 1, concurrency, waiting: 8 });
  return { pool, sentJobs: () => thread.received.filter(({ type }) => type === 'job').length };
}

describe('a search whose caller is gone', () => {
  it('before it began is not begun, and takes no place', async () => {
    const { pool, sentJobs } = start(1);
    await expect(pool.perform(JOB, true, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect([sentJobs(), pool.searches.taken]).toEqual([0, 0]);
  });

  it('while its place was given to it is not begun, and gives the place to the next', async () => {
    const { pool, sentJobs } = start(1);
    await pool.searches.enter(new AbortController().signal);
    const caller = new AbortController();
    const gone = pool.perform(JOB, true, caller.signal);
    pool.searches.leave();
    caller.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    expect([sentJobs(), pool.searches.taken]).toEqual([0, 0]);
  });
});
