import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { childrenOf, hasOpen, hasProc } from '../helpers/proc.ts';
import { run, SERVER } from '../helpers/process.ts';
import { slowSearch } from '../helpers/searches.ts';
import { plant } from '../helpers/tree.ts';
import { overStdio, type Result, type Revision, textOf } from './clients.ts';

const SECONDS = { timeout: 25_000, interval: 20 };
/** Searches that take seconds: by the service itself, and by ripgrep, which is its child. */
const SLOW = { literal: { pattern: 'absent' }, ripgrep: { pattern: 'abs[e]nt', isRegex: true } };
const REVISIONS: Revision[] = ['2025-11-25', '2026-07-28'];
const MEBIBYTE = 1024 * 1024;

const isSearching = (pid: number) => childrenOf(pid).length > 0 || hasOpen(pid, 'hole-0');
const isAlive = (pid: number) => existsSync(`/proc/${pid}/exe`);
const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });

/** The built service with its standard input and output in the test's hands. */
function raw(root: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [SERVER, 'mcp', '--root', root], { env: { HOME: '/nonexistent' } });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function send({ stdin }: ChildProcessWithoutNullStreams, ...messages: (object | string)[]): void {
  for (const message of messages) stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
}

/** Reads standard output until it has the reply with that id; gives all lines so far. */
async function linesUntil(child: ChildProcessWithoutNullStreams, id: number): Promise<Result[]> {
  let read = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    read += chunk;
    if (!read.endsWith('\n')) continue;
    const lines: Result[] = read
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    if (lines.some((line) => line.id === id)) return lines;
  }
  throw new Error(`standard output ended without a reply to ${id}: ${read}`);
}

describe('over standard input and output', () => {
  it('there is nothing but messages, whatever is sent, and nothing is said besides', async () => {
    const child = raw(plant({ 'a.txt': 'a' }));
    const said = text(child.stderr);
    send(
      child,
      'this is no message',
      '{"jsonrpc":"2.0"',
      '',
      '[]',
      request(1, 'tools/call', { name: 'read', arguments: { path: 'none' } }),
      request(2, 'no/such/method'),
      request(3, 'tools/call', { name: 'read', arguments: { path: 'a.txt' } }),
    );
    const lines = await linesUntil(child, 3);
    expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(lines.find(({ id }) => id === 2)).toMatchObject({ error: { code: -32601 } });
    child.stdin.end();
    expect(await said).toBe('');
  });

  it('the service ends when its input does', async () => {
    const child = raw(plant({}));
    send(child, request(1, 'tools/list'));
    await linesUntil(child, 1);
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it.each([
    [['mcp', '--root', '/etc'], /^fs-sidecar: --root: .*\n$/],
    [['mcp', '--root', '/no/such/folder'], /^fs-sidecar: --root: .*\n$/],
    [['mcp', '--blocked', '../x'], /^fs-sidecar: the blocked pattern '..\/x' cannot work: .*\n$/],
    [['mcp', '--nonsense'], /^fs-sidecar: .*--nonsense.*\n$/],
  ])('a start with %j fails with one line on standard error, and none on standard output', async (args, line) => {
    const { code, stderr, stdout } = await run({ args });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(line);
  });

  it('the settings hold that hold over HTTP', async () => {
    const root = plant({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'private/c.txt': 'three\n' });
    const { client } = await overStdio(root, '2025-11-25', ['--blocked', 'private/', '--max-results', '1']);
    const listing: Result = await client.callTool({ name: 'find', arguments: { pattern: '*' } });
    const blocked: Result = await client.callTool({ name: 'read', arguments: { path: 'private/c.txt' } });
    expect(listing.structuredContent).toMatchObject({ count: 1, truncated: true, truncated_by: 'limit' });
    expect(textOf(blocked)).toMatch(/^PATH_BLOCKED: /);
  });

  it('a file larger than what clients take in one message is read in parts', async () => {
    const content = 'x'.repeat(6 * MEBIBYTE);
    const { client } = await overStdio(plant({ 'large.txt': content }), '2025-11-25');
    const result: Result = await client.callTool({ name: 'read', arguments: { path: 'large.txt' } });
    expect(result.structuredContent).toMatchObject({ truncated: true, next: { startLine: 1 } });
  });

  it('more matches than clients take in one message are cut', async () => {
    const line = `hit${'x'.repeat(99_000)}\n`;
    const { client } = await overStdio(plant({ 'long.txt': line.repeat(80) }), '2025-11-25');
    const given = { pattern: 'hit', maxLineLength: 100_000 };
    const result: Result = await client.callTool({ name: 'grep', arguments: given });
    expect(result.structuredContent).toMatchObject({ count: 8, truncated: true, truncated_by: 'limit' });
  });
});

describe.skipIf(!hasProc)('a search over standard input and output (skipped without /proc)', () => {
  it.each(REVISIONS)('ends when a client that speaks %s cancels it, whichever engine searches', async (revision) => {
    const { client, pid } = await overStdio(slowSearch(), revision);
    for (const given of Object.values(SLOW)) {
      const enough = new AbortController();
      const called = client.callTool({ name: 'grep', arguments: given }, { signal: enough.signal });
      const refused = expect(called).rejects.toThrow('enough');
      await vi.waitUntil(() => isSearching(pid), SECONDS);
      enough.abort(new Error('enough'));
      await refused;
      await vi.waitUntil(() => !isSearching(pid), SECONDS);
    }
    expect(textOf(await client.callTool({ name: 'read', arguments: { path: 'small.txt' } }))).toBe('small\n');
  });

  it.each(Object.entries(SLOW))('ends with the input, and so does the service, by %s', async (_, given) => {
    const child = raw(slowSearch());
    const pid = child.pid ?? 0;
    send(child, request(1, 'tools/call', { name: 'grep', arguments: given }));
    await vi.waitUntil(() => isSearching(pid), SECONDS);
    const searching = childrenOf(pid);
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    await vi.waitUntil(() => !searching.some(isAlive), SECONDS);
  });

  it('leaves no process behind when the service is told to end', async () => {
    const child = raw(slowSearch());
    const pid = child.pid ?? 0;
    send(child, request(1, 'tools/call', { name: 'grep', arguments: SLOW.ripgrep }));
    await vi.waitUntil(() => childrenOf(pid).length > 0, SECONDS);
    const searching = childrenOf(pid);
    onTestFinished(() => {
      for (const left of searching.filter(isAlive)) process.kill(left, 'SIGKILL');
    });
    child.kill('SIGTERM');
    await once(child, 'close');
    await vi.waitUntil(() => !searching.some(isAlive), SECONDS);
  });

  it('that finds no place is told to come back later', async () => {
    const { client, pid } = await overStdio(slowSearch(), '2025-11-25', ['--concurrency', '1']);
    const enough = new AbortController();
    const options = { signal: enough.signal };
    const held = client.callTool({ name: 'grep', arguments: SLOW.literal }, options).catch(() => 'cancelled');
    await vi.waitUntil(() => isSearching(pid), SECONDS);
    const more = Array.from({ length: 9 }, () =>
      client.callTool({ name: 'find', arguments: { pattern: 'small.txt' } }),
    );
    const refused = await Promise.race(more);
    enough.abort();
    const served = (await Promise.all(more)).filter((result) => result !== refused);
    expect([refused.isError, textOf(refused), await held]).toEqual([
      true,
      expect.stringMatching(/^BUSY: /),
      'cancelled',
    ]);
    expect(served.map(textOf)).toEqual(Array.from({ length: 8 }, () => '/small.txt\n'));
  });
});
