import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TEN = '0123456789';
const BYTES = Buffer.from([0x61, 0, 0xff, 0x0d, 0x0a]);
const TREE: Tree = {
  'ten.txt': TEN,
  'b.bin': BYTES,
  empty: '',
  'p.html': '<script>alert(1)</script>',
  's.svg': '<svg/>',
  'j.json': '{}',
  'i.png': 'x',
  'm.ts': 'x',
  noext: 'x',
  'q"\n.txt': 'x',
  'd/x': 'x',
  '.env': 'KEY=1',
  out: { linkTo: '../outside' },
  link: { linkTo: 'ten.txt' },
};

async function rawOf(path: string, headers: Record<string, string> = {}) {
  const { get } = await serviceOf(TREE);
  return get('/read/raw', { path }, headers);
}

describe("a file's bytes", () => {
  it('come unchanged, with their number', async () => {
    const reply = await rawOf('b.bin');
    expect([reply.statusCode, reply.rawPayload, reply.headers['content-length']]).toEqual([200, BYTES, '5']);
  });

  it('of an empty file are none', async () => {
    const reply = await rawOf('empty');
    expect([reply.statusCode, reply.rawPayload.length, reply.headers['content-length']]).toEqual([200, 0, '0']);
  });

  it.each([
    ['ten.txt', 'text/plain; charset=utf-8'],
    ['p.html', 'text/html; charset=utf-8'],
    ['j.json', 'application/json'],
    ['i.png', 'image/png'],
    ['s.svg', 'image/svg+xml'],
    ['m.ts', 'text/plain; charset=utf-8'],
    ['b.bin', 'application/octet-stream'],
    ['noext', 'application/octet-stream'],
  ])('of %s are of type %s', async (path, type) => {
    expect((await rawOf(path)).headers['content-type']).toBe(type);
  });

  it('of a name that would break a header out of its line come all the same', async () => {
    const reply = await rawOf('q"\n.txt');
    expect([reply.statusCode, reply.body]).toEqual([200, 'x']);
  });

  it('are the same through a link that stays inside', async () => {
    expect((await rawOf('link')).body).toBe(TEN);
  });

  it.each(['p.html', 's.svg', 'ten.txt'])('of %s neither run nor are guessed at in a browser', async (path) => {
    const { headers } = await rawOf(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/(?=.*\bsandbox\b)(?!.*allow-)(?=.*default-src 'none')/),
    });
  });

  it.each([
    ['nope', 404, 'NOT_FOUND'],
    ['d', 422, 'NOT_A_FILE'],
    ['', 422, 'NOT_A_FILE'],
    ['ten.txt/', 422, 'NOT_A_DIRECTORY'],
    ['.env', 403, 'PATH_BLOCKED'],
    ['out', 403, 'PATH_OUTSIDE_ROOT'],
    ['../x', 400, 'PATH_INVALID'],
  ])('of %j are refused with %i %s', async (path, status, code) => {
    const reply = await rawOf(path);
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  it('take no field but the place', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/read/raw', { path: 'ten.txt', startLine: '1' })).json()).toMatchObject({
      code: 'INPUT_INVALID',
      errors: [{ pointer: '#/startLine' }],
    });
  });

  it('can be asked for by the bytes of the path', async () => {
    const { get } = await serviceOf(TREE);
    const pathBytes = Buffer.from('/ten.txt').toString('base64');
    expect((await get('/read/raw', { pathBytes })).body).toBe(TEN);
  });

  it('are more than a text read may give', async () => {
    const { get } = await serviceOf({ 'long.txt': 'x'.repeat(3_000_000) }, { maxReadBytes: 1000 });
    expect((await get('/read/raw', { path: 'long.txt' })).rawPayload).toHaveLength(3_000_000);
  });
});

describe('Range', () => {
  it('is offered', async () => {
    expect((await rawOf('ten.txt')).headers['accept-ranges']).toBe('bytes');
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=3-3', '3', 'bytes 3-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=5-99', '56789', 'bytes 5-9/10'],
    ['bytes=-99', TEN, 'bytes 0-9/10'],
    ['bytes=0-9', TEN, 'bytes 0-9/10'],
    ['bytes=0-99999999999999999999', TEN, 'bytes 0-9/10'],
  ])('%s gives that part', async (range, part, contentRange) => {
    const { body, headers, statusCode } = await rawOf('ten.txt', { range });
    expect([statusCode, body, headers['content-range'], headers['content-length']]).toEqual([
      206,
      part,
      contentRange,
      String(part.length),
    ]);
  });

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s begins past the end', async (range) => {
    const reply = await rawOf('ten.txt', { range });
    expect([reply.statusCode, reply.headers['content-range'], reply.json().code]).toEqual([
      416,
      'bytes */10',
      'RANGE_PAST_END',
    ]);
  });

  it.each(['bytes=0-', 'bytes=-1'])('%s of an empty file begins past the end', async (range) => {
    const reply = await rawOf('empty', { range });
    expect([reply.statusCode, reply.headers['content-range']]).toEqual([416, 'bytes */0']);
  });

  // RFC 9110, section 14.2: a server ignores what it does not understand, and may ignore several ranges.
  it.each(['lines=1-2', 'bytes=5-2', 'bytes=a-b', 'nonsense', 'bytes=-', 'bytes=0-1,4-5', ''])(
    '%j is passed over',
    async (range) => {
      const reply = await rawOf('ten.txt', { range });
      expect([reply.statusCode, reply.body]).toEqual([200, TEN]);
    },
  );

  it.each(['BYTES=0-3', 'Bytes=0-3'])('%s is a range all the same: units have no case', async (range) => {
    const reply = await rawOf('ten.txt', { range });
    expect([reply.statusCode, reply.body]).toEqual([206, '0123']);
  });

  it('of a large file gives bytes that lie far apart from its start', async () => {
    const { get } = await serviceOf({ big: Buffer.concat([Buffer.alloc(2_000_000), Buffer.from('end')]) });
    expect((await get('/read/raw', { path: 'big' }, { range: 'bytes=-3' })).body).toBe('end');
  });
});

describe('If-Range', () => {
  it('with the ETag that holds gives the part', async () => {
    const { get } = await serviceOf(TREE);
    const { etag = '' } = (await get('/read/raw', { path: 'ten.txt' })).headers;
    const reply = await get('/read/raw', { path: 'ten.txt' }, { range: 'bytes=0-1', 'if-range': String(etag) });
    expect([reply.statusCode, reply.body]).toEqual([206, '01']);
  });

  it.each(['"other"', 'W/"other"', 'Thu, 01 Jan 1970 00:00:00 GMT'])('with %s gives the whole file', async (tag) => {
    const reply = await rawOf('ten.txt', { range: 'bytes=0-1', 'if-range': tag });
    expect([reply.statusCode, reply.body]).toEqual([200, TEN]);
  });

  it('with a validator that does not hold gives the whole file, where the range alone would be past the end', async () => {
    const reply = await rawOf('ten.txt', { range: 'bytes=99-', 'if-range': '"other"' });
    expect([reply.statusCode, reply.body]).toEqual([200, TEN]);
  });
});

describe('ETag', () => {
  it('is a quoted text', async () => {
    expect((await rawOf('ten.txt')).headers.etag).toMatch(/^"[^"]+"$/);
  });

  it.each([
    ['the tag itself', (tag: string) => tag],
    ['a star', () => '*'],
    ['a list with the tag', (tag: string) => `"other", ${tag}`],
    ['the tag as a weak one', (tag: string) => `W/${tag}`],
  ])('If-None-Match with %s gives 304, without a body and with the tag', async (_, value) => {
    const { get } = await serviceOf(TREE);
    const etag = String((await get('/read/raw', { path: 'ten.txt' })).headers.etag);
    const reply = await get('/read/raw', { path: 'ten.txt' }, { 'if-none-match': value(etag) });
    expect([reply.statusCode, reply.body, reply.headers.etag]).toEqual([304, '', etag]);
  });

  it('If-None-Match with another tag gives the file', async () => {
    expect((await rawOf('ten.txt', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });

  it('If-None-Match goes before Range', async () => {
    expect((await rawOf('ten.txt', { 'if-none-match': '*', range: 'bytes=0-1' })).statusCode).toBe(304);
  });

  // RFC 9110, section 13.2.2: a range is looked at when the conditions have let the request through.
  it.each([
    ['If-None-Match', (_: string, tag: string) => ({ 'if-none-match': tag })],
    ['If-Modified-Since', (modified: string) => ({ 'if-modified-since': modified })],
  ])('%s goes before a Range that begins past the end', async (_, condition) => {
    const { get } = await serviceOf(TREE);
    const { headers } = await get('/read/raw', { path: 'ten.txt' });
    const holds = condition(String(headers['last-modified']), String(headers.etag));
    const reply = await get('/read/raw', { path: 'ten.txt' }, { ...holds, range: 'bytes=99-' });
    expect([reply.statusCode, reply.headers['content-range'], reply.body]).toEqual([304, undefined, '']);
  });

  it('a Range is refused when If-None-Match does not hold', async () => {
    const reply = await rawOf('ten.txt', { 'if-none-match': '"other"', range: 'bytes=99-' });
    expect(reply.statusCode).toBe(416);
  });

  it('If-Modified-Since with the time of the file gives 304', async () => {
    const { get } = await serviceOf(TREE);
    const modified = String((await get('/read/raw', { path: 'ten.txt' })).headers['last-modified']);
    const reply = await get('/read/raw', { path: 'ten.txt' }, { 'if-modified-since': modified });
    expect(reply.statusCode).toBe(304);
  });

  it('follows the file', async () => {
    const { get, root } = await serviceOf(TREE);
    const before = String((await get('/read/raw', { path: 'ten.txt' })).headers.etag);
    appendFileSync(join(root, 'ten.txt'), '+');
    const reply = await get('/read/raw', { path: 'ten.txt' }, { 'if-none-match': before });
    expect([reply.statusCode, reply.body, reply.headers.etag === before]).toEqual([200, `${TEN}+`, false]);
  });

  it('is not the same for two files of the same content', async () => {
    const { get } = await serviceOf({ 'a.txt': 'same', 'b.txt': 'same' });
    const tags = await Promise.all(['a.txt', 'b.txt'].map((path) => get('/read/raw', { path })));
    expect(tags[0]?.headers.etag).not.toBe(tags[1]?.headers.etag);
  });
});

describe('HEAD', () => {
  it('gives the headers of GET and no body', async () => {
    const { app } = await serviceOf(TREE);
    const reply = await app.inject({
      method: 'HEAD',
      url: '/read/raw?path=ten.txt',
      headers: { host: 'localhost' },
    });
    expect([reply.statusCode, reply.body, reply.headers['content-length'], reply.headers['content-type']]).toEqual([
      200,
      '',
      '10',
      'text/plain; charset=utf-8',
    ]);
  });
});
