import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { KeptLog, type LogLine } from '../helpers/log.ts';
import { serviceOf } from '../helpers/service.ts';
import { message, toWire, wireOf } from '../helpers/wire.ts';

const TREE = { 'a.txt': 'INSIDE\n' };
const HOST = 'Host: localhost';
const BODY = '{"action":"ls"}';
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
/** A request whose body is not over. */
const HALF = `POST /execute HTTP/1.1\r\n${HOST}\r\nX-Request-Id: half\r\n${CHUNKED}\r\n\r\n5\r\n{"a":\r\n`;
/** A request that a front end would not have seen. */
const HIDDEN = `GET /read?path=a.txt HTTP/1.1\r\n${HOST}\r\n\r\n`;

describe('a body whose end could be read in two ways', () => {
  it.each([
    ['a length and chunks', [LENGTH, CHUNKED], '0\r\n\r\n'],
    ['chunks and a length', [CHUNKED, LENGTH], '0\r\n\r\n'],
    ['two lengths', ['Content-Length: 3', LENGTH], BODY],
    ['a list of lengths', [`Content-Length: ${BODY.length}, ${BODY.length}`], BODY],
    ['a length with a sign', [`Content-Length: +${BODY.length}`], BODY],
    ['a length in another base', ['Content-Length: 0x0f'], BODY],
    ['a negative length', ['Content-Length: -1'], ''],
    ['an encoding after chunked', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['an encoding that nobody knows', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
    ['a blank before the colon', [`Content-Length : ${BODY.length}`], BODY],
    ['a folded header', ['X-A: 1', ' Content-Length: 3'], BODY],
    ['a header without a colon', ['Content-Length'], BODY],
    ['a bare line feed in the headers', [`X-A: 1\nContent-Length: 3`, LENGTH], BODY],
    ['a NUL in a header', ['X-A: \0'], ''],
    ['a chunk whose size is no number', [CHUNKED], 'zz\r\nx\r\n0\r\n\r\n'],
    ['a chunk whose size is longer than it', [CHUNKED], '2\r\nabc\r\n0\r\n\r\n'],
    ['a chunk whose size does not fit', [CHUNKED], 'fffffffffffffffff\r\nx\r\n0\r\n\r\n'],
  ])('is refused, and nothing after it is answered: %s', async (_, headers, body) => {
    const { send } = await wireOf(TREE);
    const request = ['POST /execute HTTP/1.1', HOST, ...headers, '', body].join('\r\n');
    const reply = await send(request + HIDDEN);
    expect(reply.statuses).toEqual([400]);
    expect(reply.all).not.toContain('INSIDE');
  });
});

describe('what is no request', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['the beginning of TLS', Buffer.from('160301020001000001fc0303', 'hex')],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that nobody knows', message('BREW /ls HTTP/1.1')],
    ['a line break in the URL', message('GET /ls\r\nX HTTP/1.1')],
  ])('is told so in a problem, and the connection ends: %s', async (_, bytes) => {
    const { send } = await wireOf(TREE);
    const reply = await send(bytes);
    expect(reply.all).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(JSON.parse(reply.body)).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });

  it('has a line in the log, with the id of its problem', async () => {
    const log = new KeptLog();
    const { send } = await wireOf(TREE, { logger: log.logger });
    const { body } = await send('nonsense\r\n\r\n');
    const line = await log.line(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
    expect(JSON.parse(body).instance).toContain(String(line['reqId']));
  });

  it('does not get into a reply that is under way', async () => {
    const { open } = await wireOf({ 'a.txt': 'hit\n'.repeat(100_000) });
    const socket = await open();
    socket.write(`GET /grep/stream?pattern=hit HTTP/1.1\r\n${HOST}\r\n\r\n`);
    await once(socket, 'readable');
    socket.write('nonsense\r\n\r\n');
    const { all, statuses } = toWire(await text(socket));
    expect(statuses).toEqual([200]);
    expect(all).not.toContain('problem+json');
  });

  it('a URL that cannot be decoded, and a path with a NUL, are 400', async () => {
    const { get } = await serviceOf(TREE);
    const urls = ['/%zz', '/ls?path=%00', '/read?path=a.txt%00', '/read/raw?path=a%00', '/glob?pattern=%00'];
    const replies = await Promise.all(urls.map((url) => get(url)));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(urls.map(() => 400));
  });
});

describe('a request of HTTP/1.1 without a Host', () => {
  it.each([
    ['without a token', undefined, '/ls'],
    ['with a token', 'token', '/ls'],
    ['for a health route', undefined, '/healthz'],
    ['for a health route, with a token', 'token', '/healthz'],
    ['for no route', undefined, '/none'],
  ])('is a problem with an id, and in the log: %s', async (_, token, path) => {
    const log = new KeptLog();
    const { send } = await wireOf(TREE, { token, logger: log.logger });
    const { all, body, status } = await send(message(`GET ${path} HTTP/1.1`, ['Authorization: Bearer token']));
    const line = await log.line(({ msg }) => msg === 'request');
    const told = { status: 400, code: 'INPUT_INVALID' };
    expect([status, JSON.parse(body), line]).toMatchObject([400, told, { ...told, path }]);
    expect(all).toMatch(/^content-type: application\/problem\+json/im);
  });

  it('ends its connection, and nothing after it is answered', async () => {
    const { send } = await wireOf(TREE);
    const { all, statuses } = await send(`GET /ls HTTP/1.1\r\n\r\n${HIDDEN}`);
    expect([statuses, all]).toEqual([[400], expect.stringMatching(/^connection: close\r$/im)]);
  });

  it('is taken when it is of HTTP/1.0 and has the token', async () => {
    const { send } = await wireOf(TREE, { token: 'token' });
    expect((await send(message('GET /ls HTTP/1.0', ['Authorization: Bearer token']))).status).toBe(200);
  });
});

describe('a request with no Host that could be taken', () => {
  const HOSTS = {
    two: [HOST, 'Host: evil.example'],
    'the same one twice': [HOST, 'hOsT: localhost'],
    'one with a blank': ['Host: local host'],
    'one with a name before it': ['Host: localhost@evil.example'],
    'one with a path': ['Host: localhost/ls'],
    'one with a port that is none': ['Host: localhost:http'],
  };
  const ask = async (path: string, hosts: readonly string[], token?: string) => {
    const { send } = await wireOf(TREE, { token });
    const { all, body, status } = await send(
      [`GET ${path} HTTP/1.1`, ...hosts, 'Authorization: Bearer token', '', HIDDEN].join('\r\n'),
    );
    return [status, JSON.parse(body).code, /^connection: close\r$/im.test(all)];
  };

  it.each(Object.entries(HOSTS))('is refused, and its connection ends, when there is a token: %s', async (_, hosts) => {
    expect(await ask('/ls', hosts, 'token')).toEqual([400, 'INPUT_INVALID', true]);
  });

  it.each(Object.entries(HOSTS))('is refused by the health routes, too: %s', async (_, hosts) => {
    expect(await ask('/healthz', hosts)).toEqual([400, 'INPUT_INVALID', true]);
  });

  it.each(['', 'files.internal', '10.0.0.7:8080', '[fe80::1]:8080', 'a_b.%C3%A9', 'localhost:'])(
    'is none with Host: %s, when there is a token',
    async (host) => {
      const { send } = await wireOf(TREE, { token: 'token' });
      const reply = await send(message('GET /ls HTTP/1.1', [`Host: ${host}`, 'Authorization: Bearer token']));
      expect(reply.status).toBe(200);
    },
  );
});

describe('a body that does not come whole', () => {
  /** The lines of the log of a request whose caller has sent half a body and then does something else. */
  const linesAfter = async (then: (socket: Socket) => void, bounds = {}) => {
    const log = new KeptLog();
    const { app, open } = await wireOf(TREE, { logger: log.logger, bounds });
    const socket = await open();
    socket.resume();
    socket.write(HALF);
    await once(app.server, 'request');
    then(socket);
    await log.line(({ msg }) => msg === 'request');
    await app.close();
    return log.lines.filter(({ msg }) => msg === 'request');
  };

  it('is no failure in the log when the caller resets the connection', async () => {
    const [line, ...more] = await linesAfter((socket) => socket.resetAndDestroy());
    expect([line, more]).toEqual([
      expect.objectContaining({ level: 30, reqId: 'half', method: 'POST', path: '/execute', aborted: true }),
      [],
    ]);
    expect(line).not.toHaveProperty('code');
  });

  it.each([
    ['too slow', () => {}, { status: 408, code: 'REQUEST_TIMEOUT' }],
    ['no chunk', (socket: Socket) => socket.write('zz\r\n'), { status: 400, code: 'INPUT_INVALID' }],
    // A caller who goes away cannot be told from one who says no more, and waits.
    ['over too early', (socket: Socket) => socket.end(), { status: 400, code: 'INPUT_INVALID' }],
    ['broken off', (socket: Socket) => socket.destroy(), { status: 400, code: 'INPUT_INVALID' }],
  ])('has one line in the log that says why it was refused: %s', async (_, then, told) => {
    const [line, ...more] = await linesAfter(then, { headersMs: 200, requestMs: 400 });
    expect([line, more]).toEqual([
      expect.objectContaining({ level: 30, reqId: 'half', path: '/execute', ...told }),
      [],
    ]);
  });
});

describe('requests in a row whose connection ends', () => {
  const get = (path: string, id: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\nX-Request-Id: ${id}\r\n\r\n`;
  const FIRST = get('/grep/stream?pattern=hit', 'first');
  const ANSWERED = HALF.replace('POST /execute', 'GET /grep/stream?pattern=hit');

  /** What a caller does while its first request is being answered, and the lines that the log then has of its requests. */
  const during = async (bytes: string, then: (socket: Socket) => void, count: number) => {
    const log = new KeptLog();
    const { app, open } = await wireOf({ 'a.txt': 'hit\n'.repeat(100_000) }, { logger: log.logger });
    const socket = await open();
    socket.write(bytes);
    await once(socket, 'readable');
    then(socket);
    socket.resume();
    const lines = () => log.lines.filter(({ msg }) => msg === 'request');
    await vi.waitFor(() => expect(lines()).toHaveLength(count));
    return { app, lines: lines() };
  };

  it('have a line in the log each, and none goes on', async () => {
    const bytes = FIRST + get('/grep/stream?pattern=hit', 'second') + get('/read/raw?path=a.txt', 'third');
    const { app, lines } = await during(bytes, (socket) => socket.destroy(), 3);
    const aborted = ['first', 'second', 'third'].map((reqId) => expect.objectContaining({ reqId, aborted: true }));
    expect(lines).toEqual(expect.arrayContaining(aborted));
    await vi.waitFor(async () => {
      const { body } = await app.inject({ url: '/metrics', headers: { host: 'localhost' } });
      expect(body).toMatch(/^fs_sidecar_searches_running 0$/m);
    });
  });

  it.each([
    ['says why one was refused that waited', FIRST + HALF, 'zz\r\n', { status: 400, code: 'INPUT_INVALID' }],
    ['has no failure of one that waited and whose caller broke it off', FIRST + HALF, '', { status: 200 }],
    ['keeps the status of one that was being answered', ANSWERED, 'zz\r\n', { status: 200, code: 'INPUT_INVALID' }],
  ])('the log %s', async (_, bytes, rest, told: LogLine) => {
    const { lines } = await during(bytes, (socket) => socket.end(rest), bytes === ANSWERED ? 1 : 2);
    const [half] = lines.filter(({ reqId }) => reqId === 'half');
    expect([half, half?.['code']]).toEqual([expect.objectContaining({ ...told, aborted: true }), told['code']]);
  });
});

describe('old and odd ways of asking', () => {
  it.each([
    ['HTTP/1.0', message('GET /ls HTTP/1.0')],
    ['a URL with a host in it', message('GET http://localhost/ls HTTP/1.1')],
    ['a wish for another protocol', message('GET /ls HTTP/1.1', [HOST, 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'])],
    ['a wish for a socket', message('GET /ls HTTP/1.1', [HOST, 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'])],
    ['an expectation', message('GET /ls HTTP/1.1', [HOST, 'Expect: the unexpected'])],
  ])('%s gets the same answer', async (_, bytes) => {
    const { send } = await wireOf(TREE);
    const reply = await send(bytes);
    expect([reply.status, JSON.parse(reply.body).count]).toEqual([200, 1]);
  });

  it('the host in a URL does not stand for the header, nor for another service', async () => {
    const { send } = await wireOf(TREE);
    const statuses = [
      message('GET http://localhost/ls HTTP/1.1', ['Host: evil.example']),
      message('GET http://localhost/ls HTTP/1.1', [HOST, 'Host: evil.example']),
      message('CONNECT evil.example:80 HTTP/1.1'),
      message('TRACE /ls HTTP/1.1'),
      message('OPTIONS * HTTP/1.1'),
    ].map(async (bytes) => (await send(bytes)).status);
    // A tunnel is not even refused.
    expect(await Promise.all(statuses)).toEqual([403, 403, 0, 405, 404]);
  });

  it('a body that waits for leave gets it', async () => {
    const { open } = await wireOf(TREE);
    const socket = await open();
    const all = text(socket);
    socket.write(
      ['POST /execute HTTP/1.1', HOST, LENGTH, 'Expect: 100-continue', 'Connection: close', '', BODY].join('\r\n'),
    );
    expect(toWire(await all).statuses).toEqual([100, 200]);
  });

  it('requests in a row on one connection are answered in their order', async () => {
    const { send } = await wireOf(TREE);
    const rows = ['/healthz', '/read?path=none', '/grep?pattern=INSIDE'].map(
      (path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n\r\n`,
    );
    const { statuses } = await send(rows.join('') + message('GET /ls HTTP/1.1'));
    expect(statuses).toEqual([200, 404, 200, 200]);
  });
});

describe('a caller who is slow', () => {
  const bounds = { headersMs: 200, requestMs: 400 };

  it.each([
    ['says nothing', ''],
    ['stops in the headers', `GET /ls HTTP/1.1\r\n${HOST}\r\n`],
    ['stops in the body', `POST /execute HTTP/1.1\r\n${HOST}\r\nContent-Length: 100\r\n\r\n{`],
    ['stops in a chunk', `POST /execute HTTP/1.1\r\n${HOST}\r\n${CHUNKED}\r\n\r\n5\r\n{`],
  ])('and %s is told that the time is over, and cut off', async (_, bytes) => {
    const { send } = await wireOf(TREE, { bounds });
    const reply = await send(bytes);
    expect(reply.all).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nContent-Type: application\/problem\+json\r\n/);
    expect(JSON.parse(reply.body)).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  });

  it('does not keep others waiting', async () => {
    const { open, send } = await wireOf(TREE, { bounds: { headersMs: 20_000, requestMs: 20_000 } });
    const slow = await Promise.all(Array.from({ length: 100 }, open));
    for (const socket of slow) socket.write(`POST /execute HTTP/1.1\r\n${HOST}\r\nContent-Length: 100\r\n\r\n{`);
    expect((await send(message('GET /ls HTTP/1.1'))).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
