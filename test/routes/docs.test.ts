import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KeptLog } from '../helpers/log.ts';
import { serviceOf } from '../helpers/service.ts';
import { message, wireOf } from '../helpers/wire.ts';

describe('/docs', () => {
  it.each(['/docs', '/docs/'])('%s is a page all of whose parts this service has', async (path) => {
    const { get } = await serviceOf({});
    const page = await get(path);
    const references = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, to]) => new URL(to ?? '', `http://localhost${path}`),
    );
    const answers = await Promise.all(
      references.map(async ({ host, pathname }) => [host, (await get(pathname)).statusCode]),
    );
    expect([page.statusCode, page.headers['content-type'], answers.length > 3, answers]).toEqual([
      200,
      'text/html; charset=utf-8',
      true,
      answers.map(() => ['localhost', 200]),
    ]);
  });

  it('may load nothing from elsewhere, run no code that stands in it, and be in no frame', async () => {
    const { get } = await serviceOf({});
    const { body, headers } = await get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    // It would make the page's own parts unreachable where there is no TLS.
    expect(policy).not.toMatch(/upgrade-insecure-requests|https?:|unsafe-eval/);
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>/);
  });

  it('shows the document of this service, tries out this service, and asks nobody whether it is valid', async () => {
    const { app, get } = await serviceOf({});
    const initializer = (await get('/docs/static/swagger-initializer.js')).body;
    const { servers, ...shown } = (await get('/docs/json')).json();
    const { servers: _, ...document } = JSON.parse(JSON.stringify(app.swagger()));
    expect([shown, servers, /"?validatorUrl"?:\s*null/.test(initializer)]).toEqual([
      document,
      [{ url: '/', description: 'This service' }],
      true,
    ]);
  });

  it('is not sent again to a browser that has it', async () => {
    const { get } = await serviceOf({});
    const path = '/docs/static/swagger-ui.css';
    const { etag } = (await get(path)).headers;
    expect((await get(path, {}, { 'if-none-match': String(etag) })).statusCode).toBe(304);
  });

  it('closes the connection of who asks for that, and has one date', async () => {
    const { open } = await wireOf({});
    const socket = await open();
    socket.write(message('GET /docs HTTP/1.1'));
    const [first] = await once(socket, 'data');
    socket.destroy();
    const [head = ''] = String(first).split('\r\n\r\n');
    const own = head.split('\r\n').filter((line) => /^(?:connection|keep-alive|date):/i.test(line));
    expect(own.sort()).toEqual(['Connection: close', expect.stringMatching(/^Date: /)]);
  });

  it.each(['/docs/none', '/docs/static/../../../package.json', '/docs/static/%2e%2e/%2e%2e/package.json'])(
    '%s is no route',
    async (path) => {
      const { get } = await serviceOf({});
      const { json, statusCode } = await get(path);
      expect([statusCode, json().code]).toEqual([404, 'NOT_FOUND']);
    },
  );
});

describe('/docs that cannot be loaded', () => {
  it('is closed, and the log says why it could not', async () => {
    const log = new KeptLog();
    const { get } = await serviceOf({}, { logger: log.logger });
    let closed = 0;
    const spoil = (message: unknown) => {
      const { fastify } = message as { fastify: FastifyInstance };
      fastify.addHook('onReady', async () => {
        throw new Error('the first fault');
      });
      fastify.addHook('onClose', async () => {
        closed += 1;
        throw new Error('another fault');
      });
    };
    subscribe('fastify.initialization', spoil);
    onTestFinished(() => void unsubscribe('fastify.initialization', spoil));
    const { statusCode } = await get('/docs');
    const { cause } = await log.line(({ msg }) => msg === 'request');
    expect([statusCode, closed, cause]).toEqual([500, 1, expect.stringContaining('the first fault')]);
  });
});
