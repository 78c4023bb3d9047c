import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { KeptLog } from '../helpers/log.ts';
import { type ServiceSettings, serviceOf } from '../helpers/service.ts';

const TOKEN = 's3cret-0f7d1c9e';
const TREE = { 'a.txt': 'hit\n' };

interface Asked {
  method?: 'GET' | 'POST' | 'OPTIONS' | 'HEAD';
  url?: string;
  payload?: string;
  headers?: Record<string, string>;
}

async function ask({ url = '/ls', ...asked }: Asked, settings: ServiceSettings = {}) {
  const { app } = await serviceOf(TREE, settings);
  const reply = await app.inject({ url, ...asked, headers: { host: 'localhost', ...asked.headers } });
  return { ...reply, app, status: reply.statusCode, code: reply.statusCode < 400 ? undefined : reply.json().code };
}

const withToken = (asked: Asked) => ask(asked, { token: TOKEN });

/** Every route that wants the token, and routes that there are not. */
const WANTED: [method: 'GET' | 'POST', url: string, payload?: string][] = [
  ['GET', '/ls'],
  ['GET', '/find?pattern=*'],
  ['GET', '/glob?pattern=*'],
  ['GET', '/grep?pattern=hit'],
  ['GET', '/grep/stream?pattern=hit'],
  ['GET', '/read?path=a.txt'],
  ['GET', '/read/raw?path=a.txt'],
  ['POST', '/execute', '{"action":"ls"}'],
  ['GET', '/openapi.json'],
  ['GET', '/openapi.yaml'],
  ['GET', '/skills'],
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
  ['GET', '/no-such-route'],
  ['POST', '/ls'],
];

describe('with a token', () => {
  it.each(WANTED)('%s %s is refused without it, and nothing is told', async (method, url, payload) => {
    const reply = await withToken({ method, url, ...(payload === undefined ? {} : { payload }) });
    expect([reply.status, reply.code, reply.headers['www-authenticate']]).toEqual([401, 'UNAUTHORIZED', 'Bearer']);
    expect(reply.body).not.toContain('hit');
  });

  it.each(WANTED)('%s %s is let in with it', async (method, url, payload) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await withToken({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    expect([401, 403]).not.toContain(reply.status);
  });

  it.each([
    ['another token', 'Bearer wrong'],
    ['a longer one', `Bearer ${TOKEN}x`],
    ['a shorter one', `Bearer ${TOKEN.slice(0, -1)}`],
    ['one in another case', `Bearer ${TOKEN.toUpperCase()}`],
    ['none after the scheme', 'Bearer '],
    ['another scheme', `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`],
    ['the token as another scheme', `Basic ${TOKEN}`],
    ['the token alone', TOKEN],
    ['something before it', `x Bearer ${TOKEN}`],
    ['nothing', ''],
  ])('%s is refused', async (_, authorization) => {
    const reply = await withToken({ headers: { authorization } });
    expect([reply.status, reply.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it.each(['bearer', 'BEARER', 'bEaReR'])("the scheme's case does not matter: %s", async (scheme) => {
    expect((await withToken({ headers: { authorization: `${scheme} ${TOKEN}` } })).status).toBe(200);
  });

  it.each(['token', 'access_token', 'authorization'])('it is not taken from the query as %s', async (name) => {
    expect((await withToken({ url: `/ls?${name}=${TOKEN}` })).status).toBe(401);
  });

  it('it is not taken from a body', async () => {
    const payload = `access_token=${TOKEN}`;
    expect((await withToken({ method: 'POST', url: '/execute', payload })).status).toBe(401);
  });

  it.each(['/healthz', '/livez', '/readyz'])('%s needs none', async (url) => {
    expect((await withToken({ url })).status).toBe(200);
  });

  it.each(['/healthz/', '//healthz', '/HEALTHZ', '/healthz%2f..%2fls'])(
    '%s, which is not quite a health route, needs it',
    async (url) => {
      expect((await withToken({ url })).status).toBe(401);
    },
  );

  it('any Host and any Origin pass', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'files.svc.cluster.local', origin: 'http://elsewhere' };
    expect((await withToken({ headers })).status).toBe(200);
  });

  it.each([
    ['right', `Bearer ${TOKEN}`],
    ['under another scheme', `Basic ${TOKEN}`],
    ['too long', `Bearer ${TOKEN}x`],
  ])('it is in no log when it is %s', async (_, authorization) => {
    const log = new KeptLog('trace');
    const { app } = await ask({ headers: { authorization } }, { token: TOKEN, logger: log.logger });
    await log.line(({ msg }) => msg === 'request');
    await app.close();
    expect(log.text).not.toContain(TOKEN);
  });
});

describe('without a token', () => {
  it.each(['localhost', 'localhost:8080', 'LOCALHOST', '127.0.0.1', '127.0.0.1:8080', '[::1]', '[::1]:8080'])(
    'Host: %s is this machine',
    async (host) => {
      expect((await ask({ headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evil-localhost',
    'notlocalhost',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'localhost,evil.example',
    '0.0.0.0',
    '169.254.169.254',
  ])('Host: %s is refused', async (host) => {
    const reply = await ask({ headers: { host } });
    expect([reply.status, reply.code]).toEqual([403, 'HOST_FORBIDDEN']);
  });

  it.each(WANTED)('another Host is refused on %s %s', async (method, url, payload) => {
    const headers = { host: 'evil.example' };
    const reply = await ask({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
    expect([reply.status, reply.code]).toEqual([403, 'HOST_FORBIDDEN']);
  });

  it.each(['/healthz', '/livez', '/readyz'])('%s takes any Host', async (url) => {
    expect((await ask({ url, headers: { host: '10.0.0.7:8080' } })).status).toBe(200);
  });

  it.each(['files.internal', 'FILES.internal:8080'])('Host: %s passes when it is allowed', async (host) => {
    expect((await ask({ headers: { host } }, { allowHosts: ['files.internal'] })).status).toBe(200);
  });

  it('a Host below one that is allowed is refused', async () => {
    const headers = { host: 'x.files.internal' };
    expect((await ask({ headers }, { allowHosts: ['files.internal'] })).status).toBe(403);
  });

  it.each([
    ['http://localhost', 'localhost'],
    ['http://localhost:8080', 'localhost:8080'],
    ['http://127.0.0.1:8080', '127.0.0.1:8080'],
    ['http://[::1]:8080', '[::1]:8080'],
  ])('a page of the service itself, %s, passes', async (origin, host) => {
    expect((await ask({ headers: { origin, host } })).status).toBe(200);
  });

  it.each([
    'http://evil.example',
    'https://localhost',
    'http://localhost:3000',
    'http://127.0.0.1',
    'null',
    'file://',
    '',
  ])('a page of another origin, %j, is refused', async (origin) => {
    const reply = await ask({ headers: { origin } });
    expect([reply.status, reply.code]).toEqual([403, 'HOST_FORBIDDEN']);
  });

  it('a page of another origin is refused on /execute, which it could post to without asking', async () => {
    const headers = { origin: 'http://evil.example', 'content-type': 'text/plain' };
    const reply = await ask({ method: 'POST', url: '/execute', payload: '{"action":"ls"}', headers });
    expect(reply.status).toBe(403);
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 200],
    ['same-origin', 200],
    ['none', 200],
  ])('Sec-Fetch-Site: %s answers %i', async (site, status) => {
    expect((await ask({ headers: { 'sec-fetch-site': site } })).status).toBe(status);
  });

  it('no CORS header is sent', async () => {
    const { headers } = await ask({ headers: { origin: 'http://localhost' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('a preflight is not answered as one', async () => {
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const reply = await ask({ method: 'OPTIONS', url: '/execute', headers });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });
});

describe('Host headers that no client library sends', () => {
  /** The status line of the reply to a request with these lines. */
  async function statusOf(lines: readonly string[]): Promise<string> {
    const { app } = await serviceOf(TREE);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
    return (await text(socket)).split('\r\n')[0] ?? '';
  }

  it('one local Host is let in', async () => {
    expect(await statusOf(['GET /ls HTTP/1.1', 'Host: localhost'])).toBe('HTTP/1.1 200 OK');
  });

  it.each([
    ['a local one and another', ['Host: localhost', 'Host: evil.example']],
    ['another and a local one', ['Host: evil.example', 'Host: localhost']],
    ['two local ones', ['Host: localhost', 'hOsT: localhost']],
  ])('two of them are refused: %s', async (_, lines) => {
    expect(await statusOf(['GET /ls HTTP/1.1', ...lines])).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  it.each([
    ['none', 'HTTP/1.1', []],
    ['none in HTTP/1.0', 'HTTP/1.0', []],
    ['an empty one', 'HTTP/1.1', ['Host:']],
  ])('%s is refused', async (_, version, lines) => {
    expect(await statusOf([`GET /ls ${version}`, ...lines])).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  it('a URL with a host of its own does not stand for the header', async () => {
    expect(await statusOf(['GET http://localhost/ls HTTP/1.1', 'Host: evil.example'])).toMatch(/^HTTP\/1\.1 40[03] /);
  });
});

describe('with an allowed origin', () => {
  const settings = { allowOrigins: ['http://localhost:3000'] };
  const origin = 'http://localhost:3000';

  it('its pages pass and may read the reply', async () => {
    const reply = await ask({ headers: { origin, 'sec-fetch-site': 'cross-site' } }, settings);
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([200, origin]);
  });

  it('its preflight is answered with the methods there are', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const reply = await ask({ method: 'OPTIONS', url: '/execute', headers }, settings);
    expect([reply.status, reply.headers]).toMatchObject([
      204,
      { 'access-control-allow-origin': origin, 'access-control-allow-methods': 'GET, POST' },
    ]);
  });

  it.each(['http://localhost:3001', 'https://localhost:3000', 'http://evil.example'])(
    'pages of %s are refused and may not read the refusal',
    async (other) => {
      const reply = await ask({ headers: { origin: other } }, settings);
      expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    },
  );

  it('the reply says that it depends on the origin', async () => {
    const { headers } = await ask({ headers: { origin } }, settings);
    expect(headers['vary']).toMatch(/\borigin\b/i);
  });

  it('the Host rule holds all the same', async () => {
    expect((await ask({ headers: { origin, host: 'evil.example' } }, settings)).status).toBe(403);
  });

  it('a token is still wanted', async () => {
    const reply = await ask({ headers: { origin } }, { ...settings, token: TOKEN });
    expect(reply.status).toBe(401);
  });

  it('a preflight needs no token, which browsers do not send with it', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    };
    const reply = await ask({ method: 'OPTIONS', url: '/ls', headers }, { ...settings, token: TOKEN });
    expect([reply.status, reply.headers['access-control-allow-headers']]).toEqual([204, 'authorization']);
  });
});
