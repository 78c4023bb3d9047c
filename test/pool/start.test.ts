import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { Pool } from '../../src/pool/pool.ts';

/** A worker thread that does nothing but what a test lets it. */
class Thread extends EventEmitter {
  postMessage(): void {}
  async terminate(): Promise<void> {
    this.emit('exit', 1);
  }
}

function poolOf(...threads: readonly Thread[]): Pool {
  const left = [...threads];
  const pool = new Pool({
    start: () => left.shift() ?? new Thread(),
    workers: threads.length,
    concurrency: 1,
    waiting: 8,
  });
  onTestFinished(() => pool.close());
  return pool;
}

it('a pool is started, and has no trouble, when its first thread is ready', async () => {
  const [first, second] = [new Thread(), new Thread()];
  const pool = poolOf(first, second);
  const before = pool.trouble;
  second.emit('message', { type: 'ready' });
  await pool.started;
  expect([before, pool.trouble]).toEqual(['no worker thread is ready', undefined]);
});

it('a pool whose thread ends before one is ready has not started, and says why', async () => {
  const thread = new Thread();
  const pool = poolOf(thread);
  thread.emit('error', new Error('no memory'));
  thread.emit('exit', 1);
  await expect(pool.started).rejects.toThrow('a worker thread cannot start: no memory');
});

it('a pool that lost its threads is in trouble until one is ready again', async () => {
  const [first, second] = [new Thread(), new Thread()];
  const pool = new Pool({
    start: () => (first.listenerCount('exit') === 0 ? first : second),
    workers: 1,
    waiting: 8,
    concurrency: 1,
  });
  onTestFinished(() => pool.close());
  first.emit('message', { type: 'ready' });
  first.emit('exit', 1);
  const lost = pool.trouble;
  second.emit('message', { type: 'ready' });
  expect([lost, pool.trouble]).toEqual(['no worker thread is ready', undefined]);
});

it('a pool that is closed while it starts is no failure', async () => {
  const pool = poolOf(new Thread());
  await pool.close();
  expect(await Promise.race([pool.started.then(() => 'started'), Promise.resolve('nothing')])).toBe('nothing');
});
