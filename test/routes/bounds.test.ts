import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import { message, wireOf } from '../helpers/wire.ts';

const TREE = { 'a.txt': 'hit\n', 'long.txt': `${'x'.repeat(50)}hit${'y'.repeat(50)}\n` };

describe('a body', () => {
  const bodyOf = (bytes: number) => {
    const payload = JSON.stringify({ action: 'ls', input: {} });
    return payload + ' '.repeat(bytes - payload.length);
  };

  it.each([
    [2000, 200],
    [2001, 413],
  ])('of %i bytes is answered with %i where 2,000 are allowed', async (bytes, status) => {
    const { execute } = await serviceOf(TREE, { bounds: { bodyBytes: 2000 } });
    expect((await execute(bodyOf(bytes))).statusCode).toBe(status);
  });

  it.each([
    [256 * 1024, 200],
    [256 * 1024 + 1, 413],
  ])('of %i bytes is answered with %i where nothing is set', async (bytes, status) => {
    const { execute } = await serviceOf(TREE);
    expect((await execute(bodyOf(bytes))).statusCode).toBe(status);
  });

  it('that comes in chunks is counted, too', async () => {
    const { send } = await wireOf(TREE, { bounds: { bodyBytes: 2000 } });
    const chunk = `400\r\n${' '.repeat(0x400)}\r\n`;
    const headers = ['Host: localhost', 'Transfer-Encoding: chunked'];
    const reply = await send(message('POST /execute HTTP/1.1', headers, `${chunk.repeat(3)}0\r\n\r\n`));
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  it.each([
    ['strict JSON', '{"action":"ls","input":{"x":[[[[1]]]]}}'],
    ['mended JSON', '{"action":"ls","input":{"x":[[[[1]]]],},}'],
    ['JSON in a text', JSON.stringify({ name: 'ls', arguments: '{"x":[[[[[1]]]]]}' })],
  ])('of more levels than are allowed is refused: %s', async (_, body) => {
    const { execute } = await serviceOf(TREE, { bounds: { jsonDepth: 5 } });
    const reply = await execute(body);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'BODY_INVALID']);
    expect(reply.json().detail).toContain('5 levels');
  });

  it('of as many levels as are allowed is taken', async () => {
    const { execute } = await serviceOf(TREE, { bounds: { jsonDepth: 5 } });
    const reply = await execute('{"action":"ls","input":{"x":[[[1]]]}}');
    expect(reply.json()).toMatchObject({ code: 'INPUT_INVALID', errors: [{ pointer: '#/x' }] });
  });

  it.each(['/execute', '/mcp'])('of 20,000 levels is a 400 of %s', async (url) => {
    const { app } = await serviceOf(TREE);
    const payload = '['.repeat(20_000) + ']'.repeat(20_000);
    const reply = await app.inject({ method: 'POST', url, payload, headers: { host: 'localhost' } });
    expect(reply.statusCode).toBe(400);
  });
});

describe('the URL and the headers', () => {
  const urlOf = (bytes: number) => `/ls?path=${'a'.repeat(bytes)}`;

  it('of some 10 KB are answered where nothing is set', async () => {
    const { send } = await wireOf(TREE);
    const { status } = await send(message(`GET ${urlOf(10_000)} HTTP/1.1`));
    expect(status).toBe(404);
  });

  it.each([
    ['a long URL', `GET ${urlOf(17_000)} HTTP/1.1`, ['Host: localhost'], {}],
    ['a long header', 'GET /ls HTTP/1.1', ['Host: localhost', `X-A: ${'a'.repeat(17_000)}`], {}],
    ['a URL that is longer than is set', `GET ${urlOf(3000)} HTTP/1.1`, ['Host: localhost'], { headerBytes: 2000 }],
  ])('that are too long are told in a problem: %s', async (_, first, headers, bounds) => {
    const { send } = await wireOf(TREE, { bounds });
    const reply = await send(message(first, headers));
    expect([reply.status, JSON.parse(reply.body)]).toMatchObject([431, { status: 431, code: 'HEADERS_TOO_LARGE' }]);
    expect(reply.all).toMatch(/^Content-Type: application\/problem\+json\r$/m);
  });
});

describe('a pattern', () => {
  const asked = [
    ['/find', { pattern: 'a'.repeat(11) }, '#/pattern'],
    ['/glob', { pattern: 'a'.repeat(11) }, '#/pattern'],
    ['/grep', { pattern: 'a'.repeat(11) }, '#/pattern'],
    ['/grep/stream', { pattern: 'a', includeGlob: 'a'.repeat(11) }, '#/includeGlob'],
    ['/ls', { excludeGlob: `b,${'a'.repeat(11)}` }, '#/excludeGlob'],
  ] as const;

  it.each(asked)('of %s %j is refused when it is longer than is set', async (url, query, pointer) => {
    const { get } = await serviceOf(TREE, { bounds: { patternLength: 10 } });
    const reply = await get(url, { excludeGlob: 'b', ...query });
    expect(reply.json()).toMatchObject({ status: 400, code: 'INPUT_INVALID', errors: [{ pointer }] });
  });

  it('is counted in characters, as it comes to actions, too', async () => {
    const { execute } = await serviceOf(TREE, { bounds: { patternLength: 10 } });
    const statuses = ['😀'.repeat(10), '😀'.repeat(11)].map(async (pattern) => {
      const reply = await execute({ action: 'grep_file', properties: { pattern, excludeGlob: 'b' } });
      return reply.statusCode;
    });
    expect(await Promise.all(statuses)).toEqual([200, 400]);
  });

  it.each([
    ['/glob', { pattern: '{a,b,c,d}.txt' }],
    ['/grep', { pattern: 'hit', includeGlob: '["{a,b,c,d}.txt"]' }],
    ['/glob', { pattern: 'a.txt', excludeGlob: '["{b,c,d,e}"]' }],
  ])('of %s %j is refused when its braces stand for more than is set', async (url, query) => {
    const [few, many] = await Promise.all(
      [4, 3].map(async (alternatives) => {
        const { get } = await serviceOf(TREE, { bounds: { alternatives } });
        return (await get(url, { excludeGlob: 'b', ...query })).json();
      }),
    );
    expect([few.count, many]).toMatchObject([1, { status: 400, code: 'PATTERN_INVALID' }]);
  });

  it('of find may hold braces, which stand for themselves', async () => {
    const { get } = await serviceOf({ '{a,b,c}': '' }, { bounds: { alternatives: 1 } });
    expect((await get('/find', { pattern: '{a,b,c}' })).json().count).toBe(1);
  });

  it('that compiles to more than is set is refused', async () => {
    const pattern = '\\w{100}';
    const [enough, little] = await Promise.all(
      [10 * 1024 * 1024, 16 * 1024].map(async (regexBytes) => {
        const { get } = await serviceOf(TREE, { bounds: { regexBytes } });
        return (await get('/grep', { pattern, isRegex: 'true' })).json();
      }),
    );
    expect([enough.count, little]).toMatchObject([1, { status: 400, code: 'PATTERN_INVALID' }]);
  });

  it('may compile to as much as is set when lines end in CRLF, too', async () => {
    const bounds = { regexBytes: 100 * 1024 * 1024 };
    const { get } = await serviceOf({ lf: 'abcd\n', crlf: 'abcd\r\n' }, { bounds });
    const reply = await get('/grep', { pattern: '\\w{1,300}[^;]$', isRegex: 'true' });
    expect(reply.json().matches).toMatchObject([{ path: '/crlf' }, { path: '/lf' }]);
  });
});

describe('what grep shows', () => {
  it('are lines of at most the length that is set, whatever is asked for', async () => {
    const { get, execute } = await serviceOf(TREE, { bounds: { lineLength: 20 } });
    const replies = [
      await get('/grep', { pattern: 'hit', path: 'long.txt', maxLineLength: '100000' }),
      await get('/grep', { pattern: 'hit', path: 'long.txt' }),
      await execute({ action: 'grep', input: { pattern: 'hit', path: 'long.txt', maxLineLength: 100_000 } }),
    ].map((reply) => reply.json());
    const matches = replies.map((reply) => (reply.result ?? reply).matches[0]);
    expect(matches.map(({ clipped, text }) => [clipped, text.length])).toEqual(matches.map(() => [true, 20]));
    expect(replies[2].payload.input.maxLineLength).toBe(20);
  });

  it.each(['/grep', '/grep/stream'])('ends when ripgrep has printed as much as is set: %s', async (url) => {
    const { get } = await serviceOf({ 'a.txt': 'hit\n'.repeat(200_000) }, { bounds: { outputBytes: 64 * 1024 } });
    const { body } = await get(url, { pattern: 'h[i]t', isRegex: 'true', maxResults: '190000' });
    expect(body).toMatch(/"truncated":true,"truncated_by":"limit"/);
    expect(body.match(/"text":"hit"/g)?.length).toBeLessThan(10_000);
  });

  it('is no count of a file whose search ended there', async () => {
    const tree = { 'a.txt': 'hit\n'.repeat(1_000), 'b.txt': 'hit\n'.repeat(200_000), 'c.txt': 'hit\n' };
    const { get } = await serviceOf(tree, { bounds: { outputBytes: 1024 * 1024 } });
    expect((await get('/grep', { pattern: 'h[i]t', isRegex: 'true', output: 'count' })).json()).toMatchObject({
      matches: [{ path: '/a.txt', count: 1_000 }],
      truncated: true,
      truncated_by: 'limit',
    });
  });

  it('is nothing of a file with a NUL behind what was searched', async () => {
    const file = `${`hit${'x'.repeat(1_000)}\n`.repeat(900)}${'\n'.repeat(500_000)}\0`;
    const { get } = await serviceOf({ file }, { bounds: { outputBytes: 64 * 1024 } });
    expect((await get('/grep', { pattern: 'h[i]t', isRegex: 'true' })).json()).toMatchObject({
      matches: [],
      truncated: true,
      skipped: { binary: 1 },
    });
  });

  it('is whole when ripgrep prints less', async () => {
    const { get } = await serviceOf({ 'a.txt': 'hit\n'.repeat(100) }, { bounds: { outputBytes: 64 * 1024 } });
    expect((await get('/grep', { pattern: 'h[i]t', isRegex: 'true' })).json()).toMatchObject({
      count: 100,
      truncated: false,
    });
  });
});
