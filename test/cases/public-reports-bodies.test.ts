import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const ONE_FILE: Tree = { 'a.txt': 'a\n' };
const LS = '{"action":"ls","input":{"path":"."}}';

/** Posts bytes as they are to /execute, under a content type or none. */
async function post(tree: Tree, payload: string | Buffer, headers: Record<string, string> = {}) {
  const { app } = await serviceOf(tree);
  const reply = await app.inject({
    method: 'POST',
    url: '/execute',
    payload: Buffer.from(payload),
    headers: { host: 'localhost', ...headers },
  });
  return { status: reply.statusCode, body: reply.json(), type: reply.headers['content-type'] };
}

describe('C09: a regex with escapes that JSON does not have', () => {
  const bytes = String.raw`{"action":"grep","input":{"path":"l.txt","isRegex":true,"pattern":"\w\d\.ts$"}}`;

  it('runs with its backslashes kept, and says so', async () => {
    const { body } = await post({ 'l.txt': 'a1.ts\na1xts\n' }, bytes);
    expect([body.payload.input.pattern, body.result.matches, body.repairs]).toEqual([
      String.raw`\w\d\.ts$`,
      [{ path: '/l.txt', line: 1, text: 'a1.ts' }],
      [expect.stringContaining('backslash')],
    ]);
  });
});

describe('C11: prose and a fence around the JSON', () => {
  it.each([
    ['prose and a fence', `Sure!\n\`\`\`json\n{"action":"ls","input":{"path":"."},}\n\`\`\`\nDone.`],
    ['a fence without a language', `\`\`\`\n${LS}\n\`\`\``],
    ['a fence of tildes', `~~~\n${LS}\n~~~`],
    ['single quotes', "{'action':'ls','input':{'path':'.'}}"],
    ["Python's words", '{"action":"ls","input":{"path":".","recursive":True,"maxResults":None}}'],
    ['a byte order mark', `\ufeff${LS}`],
  ])('%s runs as what it holds', async (_, bytes) => {
    expect((await post(ONE_FILE, bytes)).body.result.entries).toMatchObject([{ path: '/a.txt' }]);
  });

  it('two objects are refused, and neither runs', async () => {
    const { body, status } = await post(ONE_FILE, `${LS}\n{"action":"read","input":{"path":"a.txt"}}`);
    expect([status, body.code, body.detail]).toEqual([400, 'BODY_INVALID', expect.stringContaining('more than one')]);
  });
});

describe('C13: the text "false" is not true', () => {
  const tree: Tree = { 'l.txt': 'f.o\nfoo\nF.O\n' };

  it.each([
    [
      'an operation',
      { action: 'grep', input: { path: 'l.txt', pattern: 'f.o', isRegex: 'false', caseSensitive: 'False' } },
    ],
    [
      'a skill',
      { action: 'grep_file', properties: { path: 'l.txt', pattern: 'f.o', isRegex: 'no', caseSensitive: '0' } },
    ],
  ])('in %s', async (_, body) => {
    const { execute } = await serviceOf(tree);
    const { matches } = (await execute(body)).json().result;
    expect(matches.map(({ line }: { line: number }) => line)).toEqual([1, 3]);
  });

  it('and what is neither is refused by name', async () => {
    const { execute } = await serviceOf(tree);
    const input = { path: 'l.txt', pattern: 'f.o', isRegex: 'maybe' };
    expect((await execute({ action: 'grep', input })).json()).toMatchObject({
      status: 400,
      code: 'INPUT_INVALID',
      errors: [{ pointer: '#/isRegex' }],
    });
  });
});

describe('C14: numbers as text, and null for what is not given', () => {
  const tree: Tree = { 'f.txt': '1\n2\n3\n4\n' };

  it('are read as numbers and as defaults', async () => {
    const { execute } = await serviceOf(tree);
    const input = { path: 'f.txt', startLine: '2', endLine: '3', maxBytes: null, encoding: null };
    expect((await execute({ action: 'read', input })).json().result.content).toBe('2\n3\n');
  });

  it('and what is no number is refused by name', async () => {
    const { execute } = await serviceOf(tree);
    expect((await execute({ action: 'read', input: { path: 'f.txt', startLine: 'two' } })).json()).toMatchObject({
      status: 400,
      errors: [{ pointer: '#/startLine' }],
    });
  });
});

describe('C16: a body that was cut off', () => {
  const tree: Tree = { 'src/app/a.txt': 'TODO\n', 'src/b.txt': 'TODO\n', 'src/ap/x.txt': 'TODO\n' };

  it('inside a text is refused, and does not run with the shorter text', async () => {
    const { body, status } = await post(tree, '{"action":"grep","input":{"pattern":"TODO","path":"src/ap');
    expect([status, body.code, body.detail]).toEqual([400, 'BODY_INVALID', expect.stringContaining('cut off')]);
  });

  it('before its last braces alone runs as it was meant', async () => {
    const { body } = await post(tree, '{"action":"grep","input":{"pattern":"TODO","path":"src/app"');
    expect(body.result.matches).toMatchObject([{ path: '/src/app/a.txt', line: 1 }]);
  });
});

describe('C68: content types, empty bodies and __proto__', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'text/plain', undefined])(
    'a payload as %s runs',
    async (type) => {
      const { body } = await post(ONE_FILE, LS, type === undefined ? {} : { 'content-type': type });
      expect(body.result.count).toBe(1);
    },
  );

  it.each([
    ['nothing', '', 400, 'BODY_INVALID'],
    ['null', 'null', 400, 'BODY_INVALID'],
    ['a list', '[]', 400, 'BODY_INVALID'],
    ['20 MB', Buffer.alloc(20 * 1024 * 1024, ' '), 413, 'BODY_TOO_LARGE'],
    ['compressed bytes', gzipSync(LS), 400, 'BODY_INVALID'],
  ])('%s is refused in the one shape of errors', async (_, bytes, status, code) => {
    const answer = await post(ONE_FILE, bytes, { 'content-type': 'application/json' });
    expect(answer).toMatchObject({
      status,
      type: expect.stringContaining('application/problem+json'),
      body: { status, code, type: expect.any(String), title: expect.any(String), instance: expect.any(String) },
    });
  });

  it('compressed bytes that say so are refused, too', async () => {
    const { status } = await post(ONE_FILE, gzipSync(LS), { 'content-encoding': 'gzip' });
    expect(status).toBe(400);
  });

  it('__proto__ and constructor are refused as fields that there are not, and reach nothing', async () => {
    const bytes = '{"action":"ls","__proto__":{"root":"/"},"constructor":{"prototype":{"x":1}}}';
    const { body } = await post(ONE_FILE, bytes);
    expect([body.status, body.code, 'x' in {}]).toEqual([400, 'INPUT_INVALID', false]);
  });
});

describe('C69: Host, Origin and Accept', () => {
  it.each([
    ['another Host', { host: 'evil.example' }],
    ['another Origin', { origin: 'http://evil.example' }],
  ])('%s is refused without a token', async (_, headers) => {
    const { status, body } = await post(ONE_FILE, LS, headers);
    expect([status, body.code]).toEqual([403, 'HOST_FORBIDDEN']);
  });

  it('no Origin passes', async () => {
    expect((await post(ONE_FILE, LS)).status).toBe(200);
  });

  it('a preflight gets no leave', async () => {
    const { app } = await serviceOf(ONE_FILE);
    const { headers } = await app.inject({
      method: 'OPTIONS',
      url: '/execute',
      headers: { host: 'localhost', origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  const INITIALIZE = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });

  async function initialize(headers: Record<string, string>) {
    const { app } = await serviceOf(ONE_FILE);
    return app.inject({
      method: 'POST',
      url: '/mcp',
      payload: INITIALIZE,
      headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    });
  }

  it.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'application/json, text/event-stream' }])(
    'a client of the Model Context Protocol may begin with %j',
    async (headers: Record<string, string>) => {
      const reply = await initialize(headers);
      expect([reply.statusCode, reply.json().result]).toMatchObject([
        200,
        { serverInfo: { name: expect.any(String) } },
      ]);
    },
  );

  it.each([{ host: 'evil.example' }, { origin: 'http://evil.example' }])(
    'a client of the Model Context Protocol with %j is refused',
    async (headers: Record<string, string>) => {
      expect((await initialize(headers)).statusCode).toBe(403);
    },
  );
});
