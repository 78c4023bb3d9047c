import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KeptLog } from '../helpers/log.ts';
import { hasOpen, hasProc } from '../helpers/proc.ts';
import { start } from '../helpers/process.ts';
import { slowSearch } from '../helpers/searches.ts';
import { type ServiceSettings, serviceAt, serviceOf } from '../helpers/service.ts';
import { plant } from '../helpers/tree.ts';
import { listen, overHttp, type Result, type Revision, textOf } from './clients.ts';

const TREE = { 'a.txt': 'one\n' };
const TOKEN = 'correct-horse';
const REVISIONS: Revision[] = ['2025-11-25', '2026-07-28'];
const SECONDS = { timeout: 25_000, interval: 20 };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const BODY_LIMIT = 256 * 1024;
const MEBIBYTE = 1024 * 1024;

/** Posts a message, or a text that is none. */
async function post(message: unknown, headers: Record<string, string> = {}, settings: ServiceSettings = {}) {
  const { app } = await serviceOf(TREE, settings);
  return app.inject({
    method: 'POST',
    url: '/mcp',
    payload: typeof message === 'string' ? message : JSON.stringify(message),
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
  });
}

describe('POST /mcp', () => {
  it.each([
    ['both forms', { accept: 'application/json, text/event-stream' }],
    ['JSON', { accept: 'application/json' }],
    ['anything', { accept: '*/*' }],
    ['nothing', {}],
  ])('answers in JSON who accepts %s, and makes no session', async (_, headers) => {
    const reply = await post(INITIALIZE, headers);
    expect([reply.statusCode, reply.headers['content-type'], reply.headers['mcp-session-id']]).toEqual([
      200,
      'application/json',
      undefined,
    ]);
    expect(reply.json().result).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tools: {} } });
  });

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('speaks %s with whoever asks for it', async (protocolVersion) => {
    const reply = await post({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } });
    expect(reply.json().result.protocolVersion).toBe(protocolVersion);
  });

  it.each(['other.example', 'a_b:99', '%C3%A9', '[::1]', ''])(
    'lets in who has the token, whatever the Host: %j',
    async (host) => {
      const reply = await post(LIST, { host, authorization: `Bearer ${TOKEN}` }, { token: TOKEN });
      expect([reply.statusCode, reply.json().result.tools.length]).toEqual([200, 5]);
    },
  );

  it('needs no handshake before a call', async () => {
    const call = { ...LIST, method: 'tools/call', params: { name: 'read', arguments: { path: 'a.txt' } } };
    expect((await post(call)).json()).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'one\n' }] } });
  });

  it('takes a notification, and says nothing', async () => {
    const reply = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([reply.statusCode, reply.body]).toEqual([202, '']);
  });

  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['nothing', '', 400, -32700],
    ['no message', { hello: 'world' }, 400, -32600],
    ['a method that there is not', { ...LIST, method: 'resources/list' }, 200, -32601],
    ['a call of nothing', { ...LIST, method: 'tools/call', params: {} }, 200, -32602],
  ])('refuses %s as JSON-RPC does', async (_, message, status, code) => {
    const reply = await post(message);
    expect([reply.statusCode, reply.json().error.code]).toEqual([status, code]);
  });

  it('refuses a revision that it does not speak, and says which it does', async () => {
    const reply = await post(LIST, { 'mcp-protocol-version': '1999-01-01' });
    expect(reply.statusCode).toBe(400);
    expect(reply.json().error.message).toContain('2025-11-25');
  });

  it('refuses a body that is too large', async () => {
    const reply = await post({ ...LIST, params: { cursor: 'x'.repeat(BODY_LIMIT) } });
    expect([reply.statusCode, reply.json().code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it.each([
    ['a call', (inner: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${inner}}}`],
    [
      'a call after a BOM',
      (inner: string) => `\uFEFF{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${inner}}}`,
    ],
    ['a batch', (inner: string) => `[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${inner}}]`],
  ])('refuses more levels than are set, and takes as many: %s', async (_, around) => {
    const settings = { bounds: { jsonDepth: 5 } };
    const deep = await post(around('{"y":{"y":{"y":{}}}}'), {}, settings);
    const taken = await post(around('{"y":{"y":{}}}'), {}, settings);
    expect([deep.statusCode, deep.json().error, taken.statusCode]).toEqual([
      400,
      { code: -32600, message: expect.stringContaining('5 levels') },
      200,
    ]);
  });

  it.each(['GET', 'DELETE', 'PUT'] as const)('is the only method: %s is not allowed', async (method) => {
    const { app } = await serviceOf(TREE);
    const reply = await app.inject({
      method,
      url: '/mcp',
      headers: { host: 'localhost', accept: 'text/event-stream' },
    });
    expect([reply.statusCode, reply.headers.allow, reply.json().code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED']);
  });

  it.each([
    ['another Host', { host: 'evil.example' }],
    ['another Host with the right port', { host: 'evil.example:8080' }],
    ['a page of another origin', { origin: 'http://evil.example' }],
    ['a page of another local port', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused to %s', async (_, headers) => {
    const reply = await post(LIST, headers);
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'HOST_FORBIDDEN']);
  });

  it('is open to an origin that is allowed', async () => {
    const origin = 'http://localhost:3000';
    expect((await post(LIST, { origin }, { allowOrigins: [origin] })).statusCode).toBe(200);
  });

  it('has the code of a failed call in the log, and nothing of what was asked for', async () => {
    const log = new KeptLog();
    const call = { ...LIST, method: 'tools/call', params: { name: 'read', arguments: { path: 'private-name' } } };
    await post(call, { 'x-request-id': 'failed' }, { logger: log.logger });
    const line = await log.line(({ reqId }) => reqId === 'failed');
    expect(line).toMatchObject({ level: 30, method: 'POST', path: '/mcp', status: 200, code: 'NOT_FOUND' });
    expect(log.text).not.toContain('private-name');
  });

  it('never shows a host path, whatever fails', async () => {
    const { app, root } = await serviceOf({ ...TREE, out: { linkTo: '/etc/passwd' }, loop: { linkTo: 'loop' } });
    for (const path of ['none', 'out', 'loop', '../x', 'a.txt/x', `${root}/none`, `${root}/..`]) {
      const params = { name: 'read', arguments: { path } };
      const payload = { ...LIST, method: 'tools/call', params };
      const { body } = await app.inject({ method: 'POST', url: '/mcp', payload, headers: { host: 'localhost' } });
      expect(JSON.parse(body).result.isError).toBe(true);
      expect(body.replaceAll(path, '')).not.toContain(root);
    }
  });
});

describe.each(REVISIONS)('a client over HTTP that speaks %s', (revision) => {
  it('is let in with the token, and not without', async () => {
    const address = await listen(plant(TREE), { token: TOKEN });
    const client = await overHttp(address, revision, { authorization: `Bearer ${TOKEN}` });
    expect(textOf(await client.callTool({ name: 'read', arguments: { path: 'a.txt' } }))).toBe('one\n');
    await expect(overHttp(address, revision, { authorization: 'Bearer wrong' })).rejects.toThrow();
    await expect(overHttp(address, revision)).rejects.toThrow();
  });

  it('is refused when it comes from a page of another origin', async () => {
    const address = await listen(plant(TREE));
    const refused = overHttp(address, revision, { origin: 'http://evil.example' });
    await expect(refused).rejects.toThrow(/HOST_FORBIDDEN|403/);
  });
});

it('requests are answered without a word on standard error', async () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const client = await overHttp(await listen(plant(TREE)), '2026-07-28');
  await client.listTools();
  expect(said).not.toHaveBeenCalled();
});

it('a batch of calls is answered without a warning', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const params = { name: 'read', arguments: { path: 'a.txt' } };
  const batch = Array.from({ length: 40 }, (_, at) => ({ ...LIST, id: at + 1, method: 'tools/call', params }));
  const reply = await post(batch);
  const texts = reply.json().map(({ result }: Result) => textOf(result));
  await new Promise(setImmediate);
  expect([texts, warned.mock.calls]).toEqual([batch.map(() => 'one\n'), []]);
});

it('a batch of calls has the room of one reply, and what finds none is to be called again', async () => {
  const params = { name: 'read', arguments: { path: 'large.txt' } };
  const batch = Array.from({ length: 20 }, (_, at) => ({ ...LIST, id: at + 1, method: 'tools/call', params }));
  const { app } = await serviceOf({ 'large.txt': 'x'.repeat(600 * 1024) });
  const headers = { host: 'localhost' };
  const reply = await app.inject({ method: 'POST', url: '/mcp', payload: batch, headers });
  const results: Result[] = reply.json().map(({ result }: Result) => result);
  const [whole, cut, ...rest] = results;
  expect(reply.body.length).toBeLessThan(2 * MEBIBYTE);
  expect([whole, cut].map(({ structuredContent }) => structuredContent.truncated)).toEqual([false, true]);
  expect(rest.map((result) => [result.isError, textOf(result)])).toEqual(
    rest.map(() => [true, expect.stringMatching(/^BUSY: .*again/)]),
  );
});

it('what failed calls of a batch say takes of that room, too', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, 1]));
  const params = { name: 'read', arguments: unknown };
  const reply = await post(
    Array.from({ length: 20 }, (_, at) => ({ ...LIST, id: at + 1, method: 'tools/call', params })),
  );
  const texts = reply.json().map(({ result }: Result) => textOf(result));
  expect(reply.body.length).toBeLessThan(2 * MEBIBYTE);
  expect([texts[0], texts.at(-1)]).toEqual([
    expect.stringMatching(/^INPUT_INVALID: /),
    expect.stringMatching(/^BUSY: .*again/),
  ]);
});

it('a batch of calls has the time of one, and what finds none is to be called again', async () => {
  const timeoutMs = 300;
  const { app } = await serviceAt(slowSearch(1), { timeoutMs });
  const read = { name: 'read', arguments: { path: 'small.txt' } };
  const search = { name: 'grep', arguments: { pattern: 'absent', timeoutMs } };
  const batch = [read, search, search, search, search].map((params, id) => ({
    ...LIST,
    id,
    method: 'tools/call',
    params,
  }));
  const reply = await app.inject({ method: 'POST', url: '/mcp', payload: batch, headers: { host: 'localhost' } });
  const results: Result[] = reply.json().map(({ result }: Result) => result);
  const [first, second] = results;
  expect([textOf(first), second.structuredContent.truncated_by]).toEqual(['small\n', 'timeout']);
  expect(textOf(results.at(-1))).toMatch(/^BUSY: .*time.*again/);
});

describe.skipIf(!hasProc)('a search over HTTP (skipped without /proc)', () => {
  const begin = async (revision: Revision) => {
    const service = await start(slowSearch());
    const client = await overHttp(service.address, revision);
    const enough = new AbortController();
    const options = { signal: enough.signal };
    const called = client
      .callTool({ name: 'grep', arguments: { pattern: 'absent' } }, options)
      .catch(() => 'cancelled');
    await vi.waitUntil(() => hasOpen(service.pid, 'hole-0'), SECONDS);
    return { called, client, enough, service };
  };

  it('ends when a client that speaks 2026-07-28 cancels it', async () => {
    const { called, client, enough, service } = await begin('2026-07-28');
    enough.abort();
    expect(await called).toBe('cancelled');
    await vi.waitUntil(() => !hasOpen(service.pid, 'hole-0'), SECONDS);
    const result: Result = await client.callTool({ name: 'read', arguments: { path: 'small.txt' } });
    expect(textOf(result)).toBe('small\n');
  });

  it.each(REVISIONS)('ends when a client that speaks %s goes away, which is logged and no error', async (revision) => {
    const { called, client, service } = await begin(revision);
    await client.close();
    expect(await called).toBe('cancelled');
    await vi.waitUntil(() => !hasOpen(service.pid, 'hole-0'), SECONDS);
    const line = await service.log.line(
      ({ aborted, code, method }) => method === 'POST' && (aborted ?? code) !== undefined,
    );
    expect(line).toMatchObject({ level: 30, path: '/mcp', aborted: true });
  });
});
