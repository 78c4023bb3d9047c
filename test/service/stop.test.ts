import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf, hasProc } from '../helpers/proc.ts';
import { firstRecordOf, run, start } from '../helpers/process.ts';
import { ABSENT, manyHits, slowSearch } from '../helpers/searches.ts';
import { plant } from '../helpers/tree.ts';

/** Longer than any grace: a stream that nobody reads would last. */
const UNREAD = '/grep/stream?pattern=hit';

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('ends an idle service with status 0', async () => {
    const service = await start(plant({}));
    service.kill(signal);
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});

describe('SIGTERM at the start', () => {
  /** Sends it to the process itself when it starts its first thread. */
  const PRELOAD = `
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const { Worker } = threads;
    threads.Worker = class extends Worker {
      constructor(...given) {
        super(...given);
        if (Worker.isTold !== true) process.kill(process.pid, 'SIGTERM');
        Worker.isTold = true;
      }
    };
    syncBuiltinESMExports();`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}` };

  it.each([
    ['over HTTP', (root: string) => ['--root', root, '--port', '0']],
    ['over standard input and output', (root: string) => ['mcp', '--root', root]],
  ])('ends the service with status 0, and without a complaint: %s', async (_, argsFor) => {
    const ended = await run({ args: argsFor(plant({})), env });
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('a log that nobody reads', () => {
  it('keeps the service neither from answering nor from ending with status 0', async () => {
    const service = await start(plant({ 'a.txt': 'hit\n' }));
    const exit = service.stopReading();
    const path = `/ls?path=${'a'.repeat(4000)}`;
    for (let left = 500; left > 0; left -= 1) expect((await service.ask(path)).status).toBe(404);
    service.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
  });
});

describe('SIGTERM', () => {
  it('lets a stream under way finish, to its last line', async () => {
    const service = await start(manyHits(20_000));
    const reply = await service.open(UNREAD);
    await firstRecordOf(reply);
    service.kill('SIGTERM');
    const last = (await text(reply)).trimEnd().split('\n').at(-1) ?? '';
    expect([JSON.parse(last), await service.ended]).toMatchObject([
      { type: 'end', data: { count: 20_000, truncated: false } },
      { code: 0 },
    ]);
  });

  it('takes no more connections', async () => {
    const service = await start(manyHits(20_000));
    const reply = await service.open(UNREAD);
    await firstRecordOf(reply);
    service.kill('SIGTERM');
    await vi.waitFor(() => expect(service.ask('/healthz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/));
    reply.resume();
    expect((await service.ended).code).toBe(0);
  });

  it('breaks off a stream that nobody reads, logs that, and exits with status 0', async () => {
    const service = await start(manyHits(200_000));
    await firstRecordOf(await service.open(UNREAD));
    service.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.log.lines).toContainEqual(expect.objectContaining({ msg: 'request', aborted: true }));
  });

  it('does not wait for connections on which nothing is asked', async () => {
    const service = await start(plant({ 'a.txt': 'hit\n' }));
    const agent = new Agent({ keepAlive: true });
    const [reply] = await once(get(`${service.address}/ls`, { agent }), 'response');
    await text(reply);
    service.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  it.skipIf(!hasProc)('ends the searches under way with it (skipped without /proc)', async () => {
    const service = await start(slowSearch());
    const search = service.ask(`/grep?${ABSENT.ripgrep}`).catch(() => undefined);
    const children = await vi.waitUntil(() => nonEmpty(childrenOf(service.pid)), { timeout: 10_000 });
    onTestFinished(() => end(children));
    service.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
    await vi.waitFor(() => expect(children.filter(isThere)).toEqual([]), { timeout: 10_000 });
    await search;
  });
});

function nonEmpty(pids: number[]): number[] | undefined {
  return pids.length === 0 ? undefined : pids;
}

function end(pids: readonly number[]): void {
  for (const pid of pids.filter(isThere)) process.kill(pid, 'SIGKILL');
}

/** Whether a process runs: one that has ended may keep its number until somebody asks how it did. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
