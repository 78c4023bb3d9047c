import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, type Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'a.txt': { content: 'hit one\nmiss\n', mtime: new Date('2026-07-24T10:30:00.900Z') },
  'd/b.txt': 'hit two\n',
  'd/c,d.md': 'hit\n',
  '.dot/e.txt': 'hit\n',
  'node_modules/n.txt': 'hit\n',
};

/** An input with which each operation finds something in `TREE`. */
const INPUTS: Record<string, Record<string, string>> = {
  ls: { path: 'd' },
  find: { pattern: '*.txt' },
  glob: { pattern: '**/*.txt' },
  grep: { pattern: 'hit' },
  read: { path: 'a.txt' },
};
const each = operations.map(({ name }) => [name, INPUTS[name] ?? {}] as const);

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
const pathsOf = (reply: any) => (reply.matches ?? reply.entries).map(({ path }: { path: string }) => path);

describe('the typed endpoints', () => {
  it.each(each)('GET /%s answers with one JSON object', async (name, input) => {
    const { get } = await serviceOf(TREE);
    const reply = await get(`/${name}`, input);
    expect([reply.statusCode, reply.headers['content-type'], reply.json().truncated]).toEqual([
      200,
      'application/json; charset=utf-8',
      false,
    ]);
  });

  it('ls gives path, entries and how they end', async () => {
    const { get } = await serviceOf({ 'd/a.txt': { content: 'one\n', mtime: new Date('2026-07-24T10:30:00.900Z') } });
    expect((await get('/ls', { path: 'd' })).json()).toEqual({
      path: '/d/',
      entries: [{ path: '/d/a.txt', is_dir: false, size: 4, modified_at: '2026-07-24T10:30:00Z', type: 'file' }],
      count: 1,
      truncated: false,
      skipped: { excluded: 0, ignored: 0, unreadable: 0, binary: 0, too_large: 0, undecodable: 0 },
    });
  });

  it.each([
    ['find', 'a.txt'],
    ['glob', 'a.txt'],
  ])('%s gives path, pattern, matches and how they end', async (name, pattern) => {
    const { get } = await serviceOf(TREE);
    expect((await get(`/${name}`, { pattern })).json()).toEqual({
      path: '/',
      pattern,
      matches: [{ path: '/a.txt', is_dir: false, size: 13, modified_at: '2026-07-24T10:30:00Z', type: 'file' }],
      count: 1,
      truncated: false,
      skipped: { excluded: 1, ignored: 0, unreadable: 0, binary: 0, too_large: 0, undecodable: 0 },
    });
  });

  it('grep gives each line with its number', async () => {
    const { get } = await serviceOf(TREE);
    const { path, pattern, matches } = (await get('/grep', { pattern: 'hit', path: 'd' })).json();
    expect({ path, pattern, matches }).toEqual({
      path: '/d/',
      pattern: 'hit',
      matches: [
        { path: '/d/b.txt', line: 1, text: 'hit two' },
        { path: '/d/c,d.md', line: 1, text: 'hit' },
      ],
    });
  });

  it('read gives the text and where it stands', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/read', { path: 'a.txt', startLine: '2' })).json()).toEqual({
      path: '/a.txt',
      content: 'miss\n',
      encoding: 'utf-8',
      start_line: 2,
      end_line: 2,
      total_lines: 2,
      size: 13,
      modified_at: '2026-07-24T10:30:00Z',
      truncated: false,
    });
  });
});

describe('negotiation', () => {
  const JSON_TYPE = 'application/json';
  const NDJSON = 'application/x-ndjson';
  const TEXT = 'text/plain';

  it.each([
    ['application/json', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/html,application/xhtml+xml,*/*;q=0.8', JSON_TYPE],
    ['application/x-ndjson', NDJSON],
    ['application/x-ndjson;q=0.2, application/json', JSON_TYPE],
    ['application/json;q=0.5, application/x-ndjson', NDJSON],
    ['text/plain;q=0.9, application/x-ndjson;q=0.8', TEXT],
    ['text/plain', TEXT],
    ['text/*', TEXT],
    ['application/json;q=0, text/plain', TEXT],
    ['application/json;q=0, */*', NDJSON],
    ['APPLICATION/X-NDJSON', NDJSON],
  ])('Accept: %s gets %s', async (accept, type) => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/ls', {}, { accept });
    expect(reply.headers['content-type']).toBe(`${type}; charset=utf-8`);
  });

  it.each(['image/png', 'application/xml', 'nonsense', ''])(
    'Accept: %s, which names no form, gets JSON',
    async (accept) => {
      const { get } = await serviceOf(TREE);
      const reply = await get('/ls', {}, { accept });
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, `${JSON_TYPE}; charset=utf-8`]);
    },
  );

  it.each(each)('GET /%s gives the same bytes whichever way JSON is asked for', async (name, input) => {
    const { get } = await serviceOf(TREE);
    const plain = await get(`/${name}`, input);
    const asked = await get(`/${name}`, input, { accept: 'text/html, */*;q=0.1' });
    expect(asked.body).toBe(plain.body);
  });

  it.each(each)('GET /%s/stream gives NDJSON whatever Accept says', async (name, input) => {
    const { get } = await serviceOf(TREE);
    const reply = await get(`/${name}/stream`, input, { accept: JSON_TYPE });
    expect(reply.headers['content-type']).toBe(`${NDJSON}; charset=utf-8`);
  });

  it.each(['application/json', 'application/x-ndjson', 'text/plain'])(
    'a failure before the first record has its own status, asked for as %s',
    async (accept) => {
      const { get } = await serviceOf(TREE);
      const reply = await get('/grep', { pattern: '(', isRegex: 'true' }, { accept });
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([
        400,
        expect.stringMatching(/^application\/problem\+json\b/),
      ]);
    },
  );
});

describe('the query string', () => {
  it.each([
    ['repeated keys', { excludeGlob: ['*.md', 'node_modules', '.dot'] }],
    ['one string with commas', { excludeGlob: '*.md,node_modules,.dot' }],
    ['one string with commas and spaces', { excludeGlob: ' *.md , node_modules,,.dot' }],
    ['an array in JSON text', { excludeGlob: '["*.md","node_modules",".dot"]' }],
  ])('takes a list as %s', async (_, query) => {
    const { get } = await serviceOf(TREE);
    expect(pathsOf((await get('/grep', { pattern: 'hit', ...query })).json())).toEqual(['/a.txt', '/d/b.txt']);
  });

  it('takes one key of a list as a list of one', async () => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/glob', { pattern: '**', excludeGlob: ['*.txt'] });
    expect(pathsOf(reply.json())).toEqual(['/d/c,d.md']);
  });

  it('splits at no comma inside braces or brackets', async () => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/grep', { pattern: 'hit', includeGlob: 'd/[b,x].{txt,rs},a.*' });
    expect(pathsOf(reply.json())).toEqual(['/a.txt', '/d/b.txt']);
  });

  it('takes booleans and numbers as text', async () => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/ls', { recursive: 'true', depth: '2', includeHidden: 'false', maxResults: '3' });
    expect(pathsOf(reply.json())).toEqual(['/a.txt', '/d/', '/d/b.txt']);
  });

  it.each(['true', 'True', 'TRUE', '1', 'yes'])(
    'takes %s as true: clients write their own language',
    async (recursive) => {
      const { get } = await serviceOf(TREE);
      expect(pathsOf((await get('/ls', { recursive })).json())).toContain('/d/b.txt');
    },
  );

  it.each(['false', 'False', '0', 'no'])('takes %s as false', async (recursive) => {
    const { get } = await serviceOf(TREE);
    expect(pathsOf((await get('/ls', { recursive })).json())).not.toContain('/d/b.txt');
  });

  it('takes an empty path as the root', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/ls', { path: '' })).json().path).toBe('/');
  });

  it.each([
    ['maxresults', 'maxResults'],
    ['max_results', 'maxResults'],
    ['casesensitive', 'caseSensitive'],
    ['is_regex', 'isRegex'],
    ['patern', 'pattern'],
  ])('an unknown field %s is refused, with the nearest there is: %s', async (name, nearest) => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/find', { pattern: '*', [name]: '1' });
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'INPUT_INVALID',
        errors: [{ detail: expect.stringContaining(`'${nearest}'`), pointer: `#/${name}` }],
      }),
    ]);
  });

  it.each([
    ['ls', 'maxResults', '0', '1'],
    ['ls', 'depth', '0', '1'],
    ['find', 'maxResults', '-1', '1'],
    ['find', 'timeoutMs', '0', '1'],
    ['grep', 'context', '21', '20'],
    ['grep', 'before', '-1', '0'],
    ['grep', 'maxMatchesPerFile', '0', '1'],
    ['grep', 'maxLineLength', '0', '1'],
    ['read', 'startLine', '0', '1'],
    ['read', 'maxBytes', '-1', '0'],
    ['read', 'startColumn', '0', '1'],
  ])('%s refuses %s=%s, naming the field and its bound %s', async (name, field, value, bound) => {
    const { get } = await serviceOf(TREE);
    const reply = await get(`/${name}`, { ...INPUTS[name], [field]: value });
    const [fault] = reply.json().errors;
    expect([reply.statusCode, reply.json().code, fault.pointer]).toEqual([400, 'INPUT_INVALID', `#/${field}`]);
    expect(fault.detail).toMatch(new RegExp(`'${field}'.*\\b${bound}\\b`));
  });

  it.each(['1.5', 'ten', '1e999', '1e1', '0x10', ' ', 'NaN'])(
    'maxResults=%s is no whole number',
    async (maxResults) => {
      const { get } = await serviceOf(TREE);
      const reply = await get('/ls', { maxResults });
      expect([reply.statusCode, reply.json().errors[0].pointer]).toEqual([400, '#/maxResults']);
    },
  );

  it('a field given twice that is no list is refused', async () => {
    const { get } = await serviceOf(TREE);
    const reply = await get('/ls', { path: ['a', 'd'] });
    expect([reply.statusCode, reply.json().errors[0].pointer]).toEqual([400, '#/path']);
  });

  it('every field at fault is named', async () => {
    const { get } = await serviceOf(TREE);
    const { errors } = (await get('/grep', { context: '99', nonsense: '1' })).json();
    expect(errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      '#/context',
      '#/nonsense',
      '#/pattern',
    ]);
  });

  it('a missing pattern is refused by name', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/grep')).json()).toMatchObject({ code: 'INPUT_INVALID', errors: [{ pointer: '#/pattern' }] });
  });
});

const FIVE: Tree = Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`f${at}.txt`, 'hit\n']));

describe.each([
  ['ls', {}],
  ['find', { pattern: '*' }],
  ['glob', { pattern: '*' }],
  ['grep', { pattern: 'hit' }],
])('how many %s gives', (name, input) => {
  it('a request for fewer than there are is cut, and says by what', async () => {
    const { get } = await serviceOf(FIVE);
    const reply = (await get(`/${name}`, { ...input, maxResults: '4' })).json();
    expect([reply.count, reply.truncated, reply.truncated_by]).toEqual([4, true, 'maxResults']);
  });

  it('exactly as many as were asked for, and no more there, is not truncated', async () => {
    const { get } = await serviceOf(FIVE);
    const reply = (await get(`/${name}`, { ...input, maxResults: '5' })).json();
    expect([reply.count, reply.truncated, reply.truncated_by]).toEqual([5, false, undefined]);
  });

  it("without a limit of its own it is cut at the server's", async () => {
    const { get } = await serviceOf(FIVE, { maxResults: 3 });
    const reply = (await get(`/${name}`, input)).json();
    expect([reply.count, reply.truncated, reply.truncated_by]).toEqual([3, true, 'limit']);
  });

  it("a request for more than the server's cap is clamped to it", async () => {
    const { get } = await serviceOf(FIVE, { maxResults: 3 });
    const reply = (await get(`/${name}`, { ...input, maxResults: '1000000000000' })).json();
    expect([reply.count, reply.truncated, reply.truncated_by]).toEqual([3, true, 'limit']);
  });

  it('a request above the cap that the cap does not cut is whole', async () => {
    const { get } = await serviceOf(FIVE, { maxResults: 5 });
    const reply = (await get(`/${name}`, { ...input, maxResults: '9' })).json();
    expect([reply.count, reply.truncated]).toEqual([5, false]);
  });

  it('a capped reply is the beginning of the full one', async () => {
    const { get } = await serviceOf(FIVE);
    const full = pathsOf((await get(`/${name}`, input)).json());
    expect(pathsOf((await get(`/${name}`, { ...input, maxResults: '2' })).json())).toEqual(full.slice(0, 2));
  });

  it('the same request on the same tree gives the same bytes', async () => {
    const { get } = await serviceOf({ ...FIVE, 'b/x.txt': 'hit\n', 'a/y.txt': 'hit\n', 'B/z.txt': 'hit\n' });
    const replies = await Promise.all(Array.from({ length: 5 }, () => get(`/${name}`, input)));
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
  });
});

describe('the time limit', () => {
  /** A file without end, as far as a test can wait, after 33 small ones, which are a batch and one. */
  function endless(): string {
    const root = plant(Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a/${at}.txt`, 'hit\n'])));
    for (const name of ['y', 'z']) {
      writeFileSync(join(root, name), '');
      truncateSync(join(root, name), 4 * 1024 ** 3);
    }
    return root;
  }

  it('what was found before the time ran out is given, and flagged', async () => {
    const { get } = await serviceAt(endless());
    const reply = (await get('/grep', { pattern: 'hit', timeoutMs: '700' })).json();
    expect([reply.truncated, reply.truncated_by]).toEqual([true, 'timeout']);
    expect(reply.count).toBeGreaterThanOrEqual(32);
  });

  it.each([
    ['literal text', { pattern: 'hit' }],
    ['a regex', { pattern: 'h[i]t', isRegex: 'true' }],
  ])(
    'what was found in a small file is given when the time runs out in a large one after it, for %s',
    async (_, query) => {
      const root = plant({ 'a.txt': 'hit\n', z: '' });
      truncateSync(join(root, 'z'), 4 * 1024 ** 3);
      const { get } = await serviceAt(root, { timeoutMs: 700 });
      expect((await get('/grep', query)).json()).toMatchObject({
        matches: [{ path: '/a.txt', line: 1, text: 'hit' }],
        truncated_by: 'timeout',
      });
    },
  );

  it("the server's limit holds where the request names none", async () => {
    const { get } = await serviceAt(endless(), { timeoutMs: 700 });
    expect((await get('/grep', { pattern: 'hit' })).json()).toMatchObject({ truncated: true, truncated_by: 'timeout' });
  });

  it.each(['/grep', '/grep/stream'])(
    "of a request to %s above the server's is refused, with the server's",
    async (url) => {
      const { get } = await serviceOf(TREE, { timeoutMs: 700 });
      expect((await get(url, { pattern: 'hit', timeoutMs: '700' })).statusCode).toBe(200);
      const reply = await get(url, { pattern: 'hit', timeoutMs: '701' });
      expect([reply.statusCode, reply.json()]).toMatchObject([
        400,
        {
          code: 'INPUT_INVALID',
          errors: [{ detail: "'timeoutMs' must be a whole number from 1 to 700, not 701.", pointer: '#/timeoutMs' }],
        },
      ]);
    },
  );

  it('the shortest limit gives a flagged reply or a whole one, never an empty one that claims to be whole', async () => {
    const { get } = await serviceAt(endless());
    expect((await get('/grep', { pattern: 'hit', timeoutMs: '1' })).json()).toMatchObject({
      truncated: true,
      truncated_by: 'timeout',
    });
  });

  it('a stream that runs out of time ends with what was found and says so', async () => {
    const { get } = await serviceAt(endless());
    const body = (await get('/grep/stream', { pattern: 'hit', timeoutMs: '700', sort: 'path' })).body;
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([lines.at(1)?.type, lines.at(-1)]).toMatchObject([
      'match',
      { type: 'end', data: { truncated: true, truncated_by: 'timeout' } },
    ]);
  });
});
