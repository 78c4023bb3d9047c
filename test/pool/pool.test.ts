import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Pool, type WorkerThread } from '../../src/pool/pool.ts';
import type { Job, Request } from '../../src/pool/protocol.ts';
import { wholeOf } from '../../src/pool/reply.ts';

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
  return { pool, thread, sentJobs: () => thread.received.filter(({ type }) => type === 'job').length };
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

describe('a reply that comes with its end', () => {
  it('is whole, and wants no word back', async () => {
    const { pool, thread } = start(1);
    const reply = pool.perform(JOB, true, new AbortController().signal);
    const id = await vi.waitUntil(() => thread.received.find(({ type }) => type === 'job')?.id);
    const summary = { records: 1, bytes: 2 };
    thread.emit('message', { type: 'end', id, summary, last: new TextEncoder().encode('{}') });
    expect(wholeOf(await reply).toString()).toBe('{}');
    expect(await (await reply).summary).toBe(summary);
    expect(thread.received.map(({ type }) => type)).toEqual(['job']);
  });
});

it('a reply that is given up before it begins is cancelled', async () => {
  const { pool, thread } = start(1);
  const caller = new AbortController();
  const reply = pool.perform(JOB, true, caller.signal);
  await vi.waitUntil(() => thread.received.length === 1);
  caller.abort(new Error('gone'));
  await expect(reply).rejects.toThrow('gone');
  await vi.waitUntil(() => thread.received.some(({ type }) => type === 'cancel'));
});
