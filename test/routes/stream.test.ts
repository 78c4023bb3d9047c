import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Pool, type WorkerThread } from '../../src/pool/pool.ts';
import type { Request, Response } from '../../src/pool/protocol.ts';
import { linesOf, serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'a.txt': 'hit one\nmiss\nhit two\r\n',
  'd/b.txt': 'hit é\n',
  'd/e/c.txt': 'hit',
  'z.bin': 'hit\0',
  'node_modules/n.txt': 'hit\n',
};

const NDJSON = { accept: 'application/x-ndjson' };
const LISTS = [
  ['ls', 'entry', { recursive: 'true' }],
  ['find', 'match', { pattern: '*.txt' }],
  ['glob', 'match', { pattern: '**/*.txt' }],
  ['grep', 'match', { pattern: 'hit' }],
] as const;
const ALL = [...LISTS, ['read', 'text', { path: 'a.txt' }]] as const;

describe.each(ALL)('the stream of %s', (name, type, input) => {
  it(`is begin, a line of type ${type} for each record, and one end`, async () => {
    const { get } = await serviceOf(TREE);
    const types = linesOf((await get(`/${name}/stream`, input)).body).map((line) => line.type);
    expect(types).toEqual(['begin', ...types.slice(1, -1).map(() => type), 'end']);
    expect(types.length).toBeGreaterThan(2);
  });

  it('consists of objects of type and data, each on a line that ends', async () => {
    const { get } = await serviceOf(TREE);
    const { body } = await get(`/${name}/stream`, input);
    expect(body).toMatch(/\n$/);
    expect(linesOf(body).map((line) => Object.keys(line))).toEqual(linesOf(body).map(() => ['type', 'data']));
  });

  it('begins with what was asked for and the limits that hold', async () => {
    const { get } = await serviceOf(TREE, { timeoutMs: 5000 });
    const [begin] = linesOf((await get(`/${name}/stream`, input)).body);
    expect(begin?.data).toEqual({
      path: name === 'read' ? '/a.txt' : '/',
      ...('pattern' in input ? { pattern: input.pattern } : {}),
      limits: { ...(name === 'read' ? { maxBytes: 10 * 1024 * 1024 } : {}), timeoutMs: 5000 },
    });
  });

  it('is the same by its own path and by Accept', async () => {
    const { get } = await serviceOf(TREE);
    const [own, negotiated] = [await get(`/${name}/stream`, input), await get(`/${name}`, input, NDJSON)];
    expect(untimed(negotiated.body)).toEqual(untimed(own.body));
  });

  it('ends with how long it took', async () => {
    const { get } = await serviceOf(TREE);
    expect(linesOf((await get(`/${name}/stream`, input)).body).at(-1)?.data['elapsed_ms']).toBeTypeOf('number');
  });
});

describe.each(LISTS)('the stream of %s', (name, _, input) => {
  it('has the records of the JSON reply, sorted when that is asked for, and ends as it ends', async () => {
    const { get } = await serviceOf(TREE);
    const { entries, matches = entries, path, pattern, ...end } = (await get(`/${name}`, input)).json();
    const lines = untimed((await get(`/${name}/stream`, { ...input, sort: 'path' })).body);
    expect(lines.slice(1)).toEqual([...matches, end]);
  });

  it('names the maximum of results that was asked for, and keeps it', async () => {
    const { get } = await serviceOf(TREE);
    const lines = linesOf((await get(`/${name}/stream`, { ...input, maxResults: '1' })).body);
    expect([lines[0]?.data['limits'], lines.at(-1)?.data]).toMatchObject([
      { maxResults: 1 },
      { count: 1, truncated: true, truncated_by: 'maxResults' },
    ]);
  });

  it("has no cap but the caller's, where JSON has the server's", async () => {
    const { get } = await serviceOf(TREE, { maxResults: 1 });
    const whole = linesOf((await get(`/${name}/stream`, input)).body).at(-1)?.data;
    expect([whole?.['truncated'], (await get(`/${name}`, input)).json()]).toEqual([
      false,
      expect.objectContaining({ count: 1, truncated: true, truncated_by: 'limit' }),
    ]);
    expect(whole?.['count']).toBeGreaterThan(1);
  });

  it("takes a maximum above the server's cap as it is", async () => {
    const { get } = await serviceOf(TREE, { maxResults: 1 });
    expect(linesOf((await get(`/${name}/stream`, { ...input, maxResults: '3' })).body).at(-1)?.data['count']).toBe(3);
  });
});

describe('a stream', () => {
  it('in which nothing was found is begin and end', async () => {
    const { get } = await serviceOf(TREE);
    const lines = linesOf((await get('/grep/stream', { pattern: 'absent' })).body);
    expect(lines.map(({ type }) => type)).toEqual(['begin', 'end']);
  });

  it("of a read has the file's text in pieces, each with the line that it begins in", async () => {
    const text = Array.from({ length: 40_000 }, (_, at) => `line ${at + 1}\n`).join('');
    const { get } = await serviceOf({ 'long.txt': text });
    const pieces = linesOf((await get('/read/stream', { path: 'long.txt' })).body).slice(1, -1);
    expect(pieces.map(({ data }) => data['text']).join('')).toBe(text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map(({ data }) => data['start_line'])).toEqual(
      pieces.map(({ data }) => Number(/^line (\d+)/.exec(String(data['text']))?.[1])),
    );
  });

  it('of a read that was cut says where to go on', async () => {
    const { get } = await serviceOf(TREE);
    const lines = linesOf((await get('/read/stream', { path: 'a.txt', maxBytes: '8' })).body);
    expect(lines.at(-1)?.data).toMatchObject({ truncated: true, truncated_by: 'maxBytes', next: { startLine: 2 } });
  });

  it('knows the fields of its operation and no others', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/find/stream', { pattern: '*', maxResult: '1' })).json()).toMatchObject({
      code: 'INPUT_INVALID',
      errors: [{ pointer: '#/maxResult' }],
    });
  });

  it.each([
    ['grep', { pattern: 'x', path: 'none' }, 404, 'NOT_FOUND'],
    ['grep', { pattern: '(', isRegex: 'true' }, 400, 'PATTERN_INVALID'],
    ['read', { path: 'a.txt', startLine: '99' }, 416, 'RANGE_PAST_END'],
    ['read', { path: 'z.bin' }, 415, 'FILE_IS_BINARY'],
    ['ls', { path: 'a.txt' }, 422, 'NOT_A_DIRECTORY'],
    ['find', {}, 400, 'INPUT_INVALID'],
    ['glob', { pattern: '{..,a}/x' }, 400, 'PATTERN_INVALID'],
    ['ls', { path: '.env' }, 403, 'PATH_BLOCKED'],
  ])(
    'of %s with %j that fails before its first line is a problem with its own status',
    async (name, input, status, code) => {
      const { get } = await serviceOf(TREE);
      const reply = await get(`/${name}/stream`, input);
      expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
    },
  );
});

/**
 * A pattern for a backtracking engine that takes for ever on `SLOW`, and nothing
 * on `QUICK`. The names lie in folders of their own, so that the quick one is
 * a record before the slow one is looked at.
 */
const FOR_EVER = '^(?=a)(a|aa)+$(?<=x)|^quick$';
const SLOW = 'a'.repeat(60);

describe('a failure after the first record', () => {
  /** Enough names before the slow one to fill a batch of the walk. */
  const tree: Tree = {
    ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a/${at}/quick`, ''])),
    [`z/${SLOW}!`]: '',
  };
  const input = { pattern: FOR_EVER, isRegex: 'true', sort: 'path' };

  it('is the last line, a problem, after the records that were found', async () => {
    const { get } = await serviceOf(tree);
    const reply = await get('/find/stream', input);
    const lines = linesOf(reply.body);
    expect([reply.statusCode, lines[0]?.type, lines[1]?.type, lines.at(-1)]).toEqual([
      200,
      'begin',
      'match',
      {
        type: 'error',
        data: expect.objectContaining({ code: 'PATTERN_INVALID', status: 400, detail: expect.any(String) }),
      },
    ]);
  });

  it('is told once, and there is no end beside it', async () => {
    const { get } = await serviceOf(tree);
    const types = linesOf((await get('/find/stream', input)).body).map(({ type }) => type);
    expect(types.filter((type) => type === 'end' || type === 'error')).toEqual(['error']);
  });

  it('names the request in its instance, as any problem does', async () => {
    const { get } = await serviceOf(tree);
    const reply = await get('/find/stream', input, { 'x-request-id': 'after-the-first' });
    expect(linesOf(reply.body).at(-1)?.data['instance']).toMatch(/after-the-first$/);
  });

  it.each([
    ['JSON', 'application/json'],
    ['text', 'text/plain'],
  ])('has its own status in %s, of which nothing has left yet', async (_, accept) => {
    const { get } = await serviceOf(tree);
    const reply = await get('/find', input, { accept });
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'PATTERN_INVALID']);
  });
});

describe('a worker that is lost', () => {
  /** A worker that sends `chunks` of each job, and then is gone. */
  function mortal(chunks: readonly string[]): () => WorkerThread {
    return () => {
      const { port1, port2 } = new MessageChannel();
      const say = (message: Response) => port2.postMessage(message);
      port2.on('message', (request: Request) => {
        if (request.type !== 'job') return;
        for (const chunk of chunks) say({ type: 'chunk', id: request.id, bytes: Buffer.from(chunk), isOpen: false });
        port2.close();
      });
      const worker = Object.assign(port1, { terminate: async () => port1.close() });
      // A message port says `close` where a thread says `exit`.
      port1.on('close', () => worker.emit('exit', 1));
      return worker;
    };
  }

  async function serviceWith(chunks: readonly string[]) {
    const settings = {
      pool: new Pool({ start: mortal(chunks), workers: 1, concurrency: 1, waiting: 8 }),
      maxResults: 10,
    };
    const { app } = await serviceOf({}, settings);
    return (url: string) => app.inject({ url, headers: { host: 'localhost' } });
  }

  it('after its first line ends the stream with an error that says to try again', async () => {
    const get = await serviceWith(['{"type":"begin","data":{}}\n']);
    const lines = linesOf((await get('/ls/stream?recursive=true')).body);
    expect(lines).toMatchObject([{ type: 'begin' }, { type: 'error', data: { code: 'BUSY', status: 503 } }]);
  });

  it.each(['/ls', '/ls/stream', '/read?path=a'])(
    'before its first line is a 503 with Retry-After on %s',
    async (url) => {
      const get = await serviceWith([]);
      const reply = await get(url);
      expect([reply.statusCode, reply.json().code, reply.headers['retry-after']]).toEqual([503, 'BUSY', '1']);
    },
  );

  it('is replaced, and its place is free again', async () => {
    const get = await serviceWith([]);
    const replies = [await get('/ls?recursive=true'), await get('/ls?recursive=true'), await get('/ls?recursive=true')];
    expect(replies.map((reply) => reply.json().code)).toEqual(['BUSY', 'BUSY', 'BUSY']);
  });
});

/** The data of each line, without what differs from run to run. */
function untimed(body: string): unknown[] {
  return linesOf(body).map(({ data: { elapsed_ms: _, ...data } }) => data);
}
