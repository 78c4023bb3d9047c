import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/errors.ts';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { documentOf, schemasOf } from '../helpers/documents.ts';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'a.txt': 'a\n',
  'b.bin': 'a\0',
  '.env': 'KEY=1',
  d: null,
  out: { linkTo: '../outside' },
  self: { linkTo: 'self' },
  'alpha.txt': '',
  'alphb.txt': '',
  'alphc.txt': '',
  'alphd.txt': '',
  'secrets.json': '{}',
};

interface Asked {
  method?: 'GET' | 'POST';
  url: string;
  payload?: string;
}

const execute = (payload: string): Asked => ({ method: 'POST', url: '/execute', payload });

/** A request for each way to fail. */
const FAILURES: [code: string, status: number, asked: Asked][] = [
  ['INPUT_INVALID', 400, { url: '/find?pattern=x&maxResults=0' }],
  ['INPUT_INVALID', 400, { url: '/find' }],
  ['INPUT_INVALID', 400, { url: '/ls?typo=1' }],
  ['INPUT_INVALID', 400, { url: '/grep?pattern=x&context=99' }],
  ['INPUT_INVALID', 400, { url: '/grep?pattern=x&output=pictures' }],
  ['INPUT_INVALID', 400, { url: '/ls?recursive=maybe' }],
  ['INPUT_INVALID', 400, { url: '/read?path=a.txt&startLine=5&endLine=2' }],
  ['INPUT_INVALID', 400, { url: '/read?path=a.txt&as=base64&startLine=2' }],
  ['INPUT_INVALID', 400, { url: '/read?path=a.txt&startByte=2' }],
  ['INPUT_INVALID', 400, { url: '/ls?path=a&pathBytes=YQ==' }],
  ['INPUT_INVALID', 400, execute('{"action":"find_file","properties":{"pattern":"x","maxResults":"0"}}')],
  ['PATH_INVALID', 400, { url: '/read?path=../x' }],
  ['PATH_INVALID', 400, { url: '/ls?path=~/x' }],
  ['PATTERN_INVALID', 400, { url: '/grep?pattern=(&isRegex=true' }],
  ['PATTERN_INVALID', 400, { url: '/find?pattern=(&isRegex=true' }],
  ['PATTERN_INVALID', 400, { url: '/glob?pattern=../*' }],
  ['ENCODING_UNKNOWN', 400, { url: '/read?path=a.txt&encoding=klingon' }],
  ['ENCODING_UNKNOWN', 400, { url: '/grep?pattern=a&encoding=klingon' }],
  ['BODY_INVALID', 400, execute('no payload here')],
  ['BODY_INVALID', 400, execute('')],
  ['ACTION_UNKNOWN', 400, execute('{"action":"rm_rf","properties":[]}')],
  ['PATH_OUTSIDE_ROOT', 403, { url: '/read?path=out' }],
  ['PATH_BLOCKED', 403, { url: '/read?path=.env' }],
  ['HOST_FORBIDDEN', 403, { url: '/ls?forbidden' }],
  ['NOT_FOUND', 404, { url: '/read?path=a.tx' }],
  ['NOT_FOUND', 404, { url: '/ls?path=none/at/all' }],
  ['NOT_FOUND', 404, { url: '/no-such-route' }],
  ['NOT_FOUND', 404, { method: 'POST', url: '/no/such/route', payload: '{}' }],
  ['NOT_FOUND', 404, { url: '/ls/none' }],
  ['METHOD_NOT_ALLOWED', 405, { url: '/execute' }],
  ['BODY_TOO_LARGE', 413, execute(' '.repeat(1024 * 1024))],
  ['FILE_IS_BINARY', 415, { url: '/read?path=b.bin' }],
  ['RANGE_PAST_END', 416, { url: '/read?path=a.txt&startLine=9' }],
  ['NOT_A_FILE', 422, { url: '/read?path=d' }],
  ['NOT_A_DIRECTORY', 422, { url: '/ls?path=a.txt' }],
  ['NOT_A_DIRECTORY', 422, { url: '/read?path=a.txt/' }],
  ['SYMLINK_LOOP', 422, { url: '/read?path=self' }],
];

const SHOWN = FAILURES.map(
  ([code, status, asked]) =>
    [code, `${asked.method ?? 'GET'} ${asked.url}${asked.payload?.slice(0, 40) ?? ''}`, status, asked] as const,
);

async function failing({ method = 'GET', ...asked }: Asked) {
  const { app, root } = await serviceOf(TREE);
  const host = asked.url.includes('forbidden') ? 'evil.example' : 'localhost';
  const reply = await app.inject({ method, ...asked, headers: { host, 'x-request-id': 'the-request' } });
  return { reply, root, document: await documentOf(app) };
}

describe('a failure', () => {
  it.each(SHOWN)('%s on %s is a problem in JSON with status %i', async (code, _, status, asked) => {
    const { reply } = await failing(asked);
    expect(reply.statusCode).toBe(status);
    expect(reply.headers['content-type']).toMatch(/^application\/problem\+json\b/);
    expect(reply.json()).toMatchObject({ status, code });
  });

  it.each(SHOWN)('%s on %s has all members and fits its documented schema', async (code, _, _status, asked) => {
    const { document, reply } = await failing(asked);
    expect(schemasOf(document)('ErrorResponse', reply.json())).toBeNull();
    expect(reply.json()).toMatchObject({
      type: expect.stringMatching(new RegExp(`^(tag|https?):.*${code}$`)),
      title: expect.stringMatching(/^\w[\w ]+$/),
      detail: expect.stringMatching(/.{13,}/),
      instance: expect.stringMatching(/the-request$/),
    });
  });

  it.each(SHOWN)('%s on %s tells neither a host path nor a stack', async (_code, _, _status, asked) => {
    const { reply, root } = await failing(asked);
    expect(reply.body).not.toContain(root);
    expect(reply.body).not.toMatch(/outside'|node:|node_modules|\bat .+:\d+:\d+/);
  });

  it('is there for every code of the catalogue but those that only trouble, or no request at all, can make', () => {
    const made = new Set(FAILURES.map(([code]) => code));
    const others = ['UNAUTHORIZED', 'PERMISSION_DENIED', 'BUSY', 'INTERNAL', 'HEADERS_TOO_LARGE', 'REQUEST_TIMEOUT'];
    expect([...CODES].filter((code) => !made.has(code)).sort()).toEqual(others.sort());
  });

  it.skipIf(!CAN_BE_DENIED)(
    'PERMISSION_DENIED tells what may not be read (skipped where nothing is denied)',
    async () => {
      const { get, root } = await serviceOf({ 'shut.txt': 'x', 'shut/a': 'x' });
      chmodSync(join(root, 'shut.txt'), 0);
      chmodSync(join(root, 'shut'), 0);
      const [file, folder] = await underFileModes(() =>
        Promise.all([get('/read', { path: 'shut.txt' }), get('/ls', { path: 'shut' })]),
      );
      chmodSync(join(root, 'shut'), 0o700);
      expect([file?.statusCode, file?.json().code, folder?.statusCode, folder?.json().code]).toEqual([
        403,
        'PERMISSION_DENIED',
        403,
        'PERMISSION_DENIED',
      ]);
    },
  );

  it('nobody foresaw is a 500 that tells nothing but where the log has it', async () => {
    const { app, root } = await serviceOf(TREE);
    app.get('/broken', () => {
      throw new Error(`ENOENT: no such file or directory, open '${root}/key'`);
    });
    const reply = await app.inject({ url: '/broken', headers: { host: 'localhost', 'x-request-id': 'the-request' } });
    expect([reply.statusCode, reply.json()]).toEqual([
      500,
      {
        type: expect.any(String),
        title: 'Internal',
        status: 500,
        detail: expect.not.stringContaining(root),
        code: 'INTERNAL',
        instance: expect.stringMatching(/the-request$/),
      },
    ]);
  });
});

describe('errors', () => {
  it.each([
    ['/ls?typo=1', '#/typo'],
    ['/ls?a%2Fb=1', '#/a~1b'],
    ['/ls?a~b=1', '#/a~0b'],
    ['/find', '#/pattern'],
    ['/grep?pattern=x&context=99', '#/context'],
    ['/read?path=a.txt&startLine=5&endLine=2', '#/endLine'],
    ['/read?path=a.txt&startByte=2', '#/startByte'],
  ])('%s points at %s', async (url, pointer) => {
    const { reply } = await failing({ url });
    expect(reply.json().errors).toEqual([{ detail: expect.any(String), pointer }]);
  });

  it.each([
    ['{"action":"find_file","properties":{"pattern":"x","maxResults":"ten"}}', 'maxResults'],
    [
      '{"action":"find_file","properties":[{"name":"pattern","value":"x"},{"name":"recursive","value":"perhaps"}]}',
      'recursive',
    ],
    ['{"action":"find","input":{"pattern":"x","maxResults":0}}', 'maxResults'],
    ['{"action":"find_file","properties":[]}', 'pattern'],
    ['{"mode":"grep","path":"."}', 'pattern'],
  ])('%s names the property at fault', async (payload, name) => {
    const { reply } = await failing(execute(payload));
    expect(reply.json().errors).toEqual([
      { detail: expect.stringContaining(`'${name}'`), pointer: expect.stringMatching(new RegExp(`/${name}$`)) },
    ]);
  });
});

describe('NOT_FOUND', () => {
  it('suggests up to three paths that exist, nearest first', async () => {
    const { get } = await serviceOf(TREE);
    const { suggestions } = (await get('/read', { path: 'alphx.txt' })).json();
    expect(suggestions).toEqual(['/alpha.txt', '/alphb.txt', '/alphc.txt']);
  });

  it('suggests what can be sent back as it is', async () => {
    const { get } = await serviceOf({ 'Source Files/Main.java': 'x' });
    const { suggestions } = (await get('/read', { path: 'Source Files/main.java' })).json();
    expect((await get('/read', { path: suggestions[0] })).json().content).toBe('x');
  });

  it('suggests the nearest of a folder that is misspelled', async () => {
    const { get } = await serviceOf({ 'source/a.txt': 'x' });
    expect((await get('/read', { path: 'sorce/a.txt' })).json().suggestions).toEqual(['/source/a.txt']);
  });

  it.each(['zzzzzzzzzzzzzzzz', 'secrets.jso', '.en'])(
    'suggests nothing for %s: nothing allowed is near',
    async (path) => {
      const { get } = await serviceOf(TREE);
      expect((await get('/read', { path })).json()).not.toHaveProperty('suggestions');
    },
  );

  it('says for a route which routes there are', async () => {
    const { reply } = await failing({ url: '/serch?pattern=x' });
    expect(reply.json().detail).toMatch(/\/serch\b.*\/grep.*\/execute/);
  });

  it('of a route does not repeat the query', async () => {
    const { reply } = await failing({ url: '/serch?token=hunter2' });
    expect(reply.body).not.toContain('hunter2');
  });
});

describe('NOT_A_FILE', () => {
  it.each(['/read', '/read?path=d', '/read/raw'])('%s says that the path of a file is to be sent', async (url) => {
    const { reply } = await failing({ url });
    expect(reply.json()).toMatchObject({ code: 'NOT_A_FILE', detail: expect.stringMatching(/Send the path.*\bls\b/) });
  });
});

describe('RANGE_PAST_END', () => {
  it('carries the number of lines there are', async () => {
    const { get } = await serviceOf({ 'five.txt': '1\n2\n3\n4\n5\n' });
    expect((await get('/read', { path: 'five.txt', startLine: '100' })).json()).toMatchObject({
      status: 416,
      total_lines: 5,
    });
  });
});

describe('PATTERN_INVALID', () => {
  it('of a regex says where and why', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/grep', { pattern: 'ab(c', isRegex: 'true' })).json()).toMatchObject({
      position: 2,
      detail: expect.stringMatching(/unclosed group/),
    });
  });

  // ripgrep reads a pattern between parentheses of its own, which these close and open again.
  it.each(['a)(b', 'a)|(b', ')(', 'a)(?:b'])(
    'of a regex whose parentheses are the wrong way round: %s',
    async (pattern) => {
      const { get } = await serviceOf({ 'a.txt': 'ab a)(b\n' });
      const reply = await get('/grep', { pattern, isRegex: 'true' });
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'PATTERN_INVALID']);
    },
  );

  it('of a regex is the same where no file is there to be searched', async () => {
    const [full, empty] = await Promise.all([serviceOf(TREE), serviceOf({})]);
    const query = { pattern: 'ab(c', isRegex: 'true' };
    const replies = await Promise.all([full.get('/grep', query), empty.get('/grep', query)]);
    expect(replies.map((reply) => [reply.statusCode, reply.json().position])).toEqual([
      [400, 2],
      [400, 2],
    ]);
  });
});

describe('PATH_BLOCKED', () => {
  const WITHOUT: Tree = { 'a.txt': 'a\n', link: { linkTo: '.env' } };
  const WITH: Tree = { ...WITHOUT, '.env': 'KEY=1' };

  it.each([
    ['/read', { path: '.env' }],
    ['/read', { path: './/.env' }],
    ['/read', { path: '.ENV' }],
    ['/read', { path: '.env/x' }],
    ['/read', { path: 'link' }],
    ['/ls', { path: '.env' }],
    ['/grep', { path: '.env', pattern: 'K' }],
    ['/find', { path: '.env', pattern: '*' }],
    ['/glob', { path: '.env', pattern: '*' }],
    ['/read/raw', { path: '.env' }],
  ])('on %s %j is the same byte for byte whether the file is there or not', async (path, query) => {
    const [there, missing] = await Promise.all([serviceOf(WITH), serviceOf(WITHOUT)]);
    const headers = { 'x-request-id': 'same' };
    const replies = [await there.get(path, query, headers), await missing.get(path, query, headers)];
    expect([replies[0]?.statusCode, replies[0]?.body]).toEqual([403, replies[1]?.body]);
  });

  it('does not tell the pattern that blocks', async () => {
    const { get } = await serviceOf({}, { policy: ['confidential-[0-9]*'] });
    expect((await get('/read', { path: 'confidential-77' })).body).not.toContain('[0-9]');
  });
});

describe('another method', () => {
  it.each([
    ['POST', '/ls', 'GET, HEAD'],
    ['DELETE', '/read', 'GET, HEAD'],
    ['PUT', '/grep/stream', 'GET, HEAD'],
    ['PATCH', '/read/raw', 'GET, HEAD'],
    ['OPTIONS', '/find', 'GET, HEAD'],
    ['GET', '/execute', 'POST'],
    ['DELETE', '/execute', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ] as const)('%s %s is refused with what the path takes', async (method, url, allow) => {
    const { app } = await serviceOf(TREE);
    const reply = await app.inject({ method, url: `${url}?path=a.txt`, headers: { host: 'localhost' } });
    expect([reply.statusCode, reply.json().code, reply.headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
  });

  it.each([
    ['of a type that nobody knows', 'x', '{}'],
    ['that is no JSON', 'application/json', '{'],
    ['that is empty', 'application/json', ''],
    ['of a form', 'application/x-www-form-urlencoded', 'a=b'],
    ['with __proto__', 'application/json', '{"__proto__":1}'],
  ])('with a body %s is refused for the method, and on no path for the path', async (_, type, payload) => {
    const { app } = await serviceOf(TREE);
    const asked = { method: 'POST' as const, payload, headers: { host: 'localhost', 'content-type': type } };
    const replies = [await app.inject({ ...asked, url: '/ls' }), await app.inject({ ...asked, url: '/nothing' })];
    expect(replies.map((reply) => [reply.statusCode, reply.json().code])).toEqual([
      [405, 'METHOD_NOT_ALLOWED'],
      [404, 'NOT_FOUND'],
    ]);
  });

  it('on a path that there is not is NOT_FOUND', async () => {
    const { app } = await serviceOf(TREE);
    const reply = await app.inject({ method: 'DELETE', url: '/nothing', headers: { host: 'localhost' } });
    expect(reply.statusCode).toBe(404);
  });
});

describe('what a caller may send to confuse', () => {
  it.each([
    '/ls?path=%zz',
    '/ls?path=%',
    '/ls?path=%ff%fe',
    '/read?path=',
    '/read',
    '/grep?pattern=',
    '/grep?pattern=%00',
    '/glob?pattern=%00',
    '/find?pattern=%ff',
    '/ls?&&&=',
    '/ls?__proto__=1',
    '/ls?constructor=1',
    '/ls?path[]=a',
    '/ls?path[a]=b',
    '/ls?maxResults=9999999999999999999999',
    '/read?path=a.txt&startLine=1e400',
    `/ls?path=${'a'.repeat(6000)}`,
    `/ls?path=${'a/'.repeat(3000)}`,
    '/%2e%2e/etc/passwd',
    '/..%2f..%2fetc/passwd',
    '//etc/passwd',
    '/%zz',
    '/read/raw/../../etc/passwd',
    '/grep?pattern=x&encoding=',
    '/read?path=a.txt&encoding=utf-16le',
    '/grep?pattern=(%3F%3Ca&isRegex=true',
    '/glob?pattern=[',
    '/glob?pattern={',
    '/glob?pattern=***',
    '/find?pattern=[',
    '/grep?pattern=x&includeGlob=[',
    '/grep?pattern=x&includeGlob=,,,',
    '/ls?excludeGlob=%00',
    '/ls?pathBytes=%ff',
    '/ls?pathBytes=====',
    '/find?pattern=%F0%9F%98&isRegex=true',
  ])('%s answers below 500, a problem where it fails, and tells no host path', async (url) => {
    const { app, root } = await serviceOf(TREE);
    const reply = await app.inject({ url, headers: { host: 'localhost' } });
    expect(reply.statusCode).toBeLessThan(500);
    expect(reply.body).not.toContain(root);
    if (reply.statusCode >= 400)
      expect(reply.json()).toMatchObject({ status: reply.statusCode, code: expect.any(String) });
  });
});
