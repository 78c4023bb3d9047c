import { describe, expect, it } from 'vitest';
import { KeptLog } from '../helpers/log.ts';
import { type ServiceSettings, serviceOf } from '../helpers/service.ts';

const TREE = { 'a.txt': 'hit\nhit\n', 'b.txt': 'hit\n' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

async function get(url: string, headers: Record<string, string> = {}) {
  const { app } = await serviceOf(TREE);
  return app.inject({ url, headers: { host: 'localhost', ...headers } });
}

/** A reply, and all lines of the log at its level or above. */
async function logged(url: string, headers: Record<string, string> = {}, settings: ServiceSettings = {}) {
  const log = new KeptLog();
  const { app } = await serviceOf(TREE, { ...settings, logger: log.logger });
  const reply = await app.inject({ url, headers: { host: 'localhost', ...headers } });
  const line = await log.line(({ msg }) => msg === 'request');
  return { reply, line, lines: log.lines, log };
}

describe("a request's id", () => {
  it.each(['a', 'run-7.step_2', 'A'.repeat(64)])('%s is kept', async (id) => {
    expect((await get('/ls', { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  it.each([
    ['an empty one', ''],
    ['one that is too long', 'a'.repeat(65)],
    ['one with a space', 'a b'],
    ['one with a quote', 'a"b'],
    ['one with a line break', 'a\\nb'],
    ['one with JSON', '{"level":99}'],
    ['one with markup', '<b>'],
    ['one with a slash', '../a'],
    ['one that is not ASCII', 'é'],
  ])('%s is replaced', async (_, id) => {
    expect((await get('/ls', { 'x-request-id': id })).headers['x-request-id']).toMatch(UUID);
  });

  it('is made where there is none, and no two are the same', async () => {
    const ids = [await get('/ls'), await get('/ls')].map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it.each([
    '/ls',
    '/ls/stream',
    '/read/raw?path=a.txt',
    '/ls?typo=1',
    '/no-such-route',
    '/healthz',
    '/ls?path=%zz',
    '/%zz',
  ])('is in the reply of %s', async (url) => {
    expect((await get(url, { 'x-request-id': 'the-request' })).headers['x-request-id']).toBe('the-request');
  });

  it('is the one by which a problem is found in the log', async () => {
    const { reply, line } = await logged('/read?path=none', { 'x-request-id': 'the-request' });
    expect([reply.json().instance, line]).toMatchObject([
      expect.stringMatching(/the-request$/),
      { reqId: 'the-request' },
    ]);
  });
});

describe('traceparent', () => {
  it('is handed back, and its trace is in the log', async () => {
    const { reply, line } = await logged('/ls', { traceparent: TRACEPARENT });
    expect([reply.headers['traceparent'], line['trace_id']]).toEqual([TRACEPARENT, TRACE]);
  });

  it.each([
    ['one of another form', 'nonsense'],
    ['one with upper case', TRACEPARENT.toUpperCase()],
    ['one with something after it', `${TRACEPARENT}-more`],
    ['one of too few digits', TRACEPARENT.slice(1)],
    ['one with the trace of no one', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['one with the parent of no one', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ])('%s is passed over', async (_, traceparent) => {
    const { reply, line } = await logged('/ls', { traceparent });
    expect([reply.headers['traceparent'], line['trace_id']]).toEqual([undefined, undefined]);
  });
});

describe('the log', () => {
  it('has one line a request', async () => {
    const { lines } = await logged('/ls?recursive=true');
    expect(lines).toHaveLength(1);
  });

  it('says what was asked, how it went and how long it took', async () => {
    const { line } = await logged('/grep?pattern=hit', { 'x-request-id': 'the-request' });
    expect(line).toMatchObject({
      level: 30,
      reqId: 'the-request',
      method: 'GET',
      path: '/grep',
      status: 200,
      records: 3,
      ms: expect.any(Number),
    });
  });

  it('says what cut a reply', async () => {
    expect((await logged('/grep?pattern=hit&maxResults=1')).line).toMatchObject({
      records: 1,
      truncated_by: 'maxResults',
    });
  });

  it('counts the records of a stream', async () => {
    expect((await logged('/grep/stream?pattern=hit')).line).toMatchObject({ path: '/grep/stream', records: 3 });
  });

  it('says why a request was refused', async () => {
    expect((await logged('/read?path=none')).line).toMatchObject({ level: 30, status: 404, code: 'NOT_FOUND' });
  });

  it.each([
    '/grep?pattern=hunter2',
    '/read?path=hunter2',
    '/no-such-route?token=hunter2',
    '/ls?hunter2=1',
    '/find?pattern=hunter2&isRegex=perhaps',
  ])('does not hold the query of %s', async (url) => {
    const { log } = await logged(url);
    expect(log.text).not.toContain('hunter2');
  });

  it('does not hold a body', async () => {
    const log = new KeptLog('trace');
    const { execute } = await serviceOf(TREE, { logger: log.logger });
    await execute({ action: 'grep', input: { pattern: 'hunter2' } });
    await log.line(({ msg }) => msg === 'request');
    expect(log.text).not.toContain('hunter2');
  });

  it('holds no line that a caller wrote', async () => {
    const forged = '/ls%0A%7B%22level%22:99,%22msg%22:%22forged%22%7D';
    const { lines } = await logged(forged, { 'x-request-id': 'a\\n{"level":99}', 'user-agent': '"}\\n{"level":99}' });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([[30, 'request']]);
  });

  it('has the cause of a failure that nobody foresaw, at the level of an error', async () => {
    const log = new KeptLog();
    const { app } = await serviceOf(TREE, { logger: log.logger });
    app.get('/broken', () => {
      throw new Error('the disk is on fire');
    });
    await app.inject({ url: '/broken', headers: { host: 'localhost', 'x-request-id': 'the-request' } });
    expect(await log.line(({ msg }) => msg === 'request')).toMatchObject({
      level: 50,
      reqId: 'the-request',
      status: 500,
      code: 'INTERNAL',
      cause: expect.stringContaining('the disk is on fire'),
    });
  });

  it('has a line for a request whose URL cannot be read', async () => {
    const log = new KeptLog();
    const { app } = await serviceOf(TREE, { logger: log.logger });
    await app.inject({ url: '/%zz', headers: { host: 'localhost' } });
    const line = await log.line(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });

  it('has a line for a request that was refused before it reached a route', async () => {
    expect((await logged('/ls', { host: 'evil.example' })).line).toMatchObject({ status: 403, code: 'HOST_FORBIDDEN' });
  });
});
