import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start } from '../helpers/process.ts';
import { plant } from '../helpers/tree.ts';

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Lets a process open descriptors below a number alone. */
function setDescriptors(pid: number, limit: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

/** A service that was asked for a route while it could open nothing, and a way to ask it on the same connection. */
async function lacking(method: string, path: string, body: string) {
  const service = await start(plant({}));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (...[as, at, sent]: [method: string, path: string, body: string]) => {
    const [reply] = await once(request(`${service.address}${at}`, { method: as, agent }).end(sent), 'response');
    reply.resume();
    await once(reply, 'end');
    return reply.statusCode;
  };
  await ask('GET', '/healthz', '');
  setDescriptors(service.pid, 3);
  expect(await ask(method, path, body)).toBe(500);
  setDescriptors(service.pid, 1024);
  return { again: () => ask(method, path, body), service };
}

describe.skipIf(process.platform !== 'linux').each([
  ['GET', '/docs', ''],
  ['POST', '/mcp', LIST],
])('%s %s that cannot be loaded for want of descriptors (skipped but on Linux)', (...asked) => {
  it('is there when there are some again', async () => {
    const { again } = await lacking(...asked);
    expect(await again()).toBe(200);
  });

  it('does not change how the service ends', async () => {
    const { service } = await lacking(...asked);
    service.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});
