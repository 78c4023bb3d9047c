import type { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import type { Tree } from '../helpers/tree.ts';
import { faultOf, type Result, type Revision, share, textOf, WAYS, type Way } from './clients.ts';

const SECRET = 'correct-horse-battery';

const MANY = Array.from({ length: 20 }, (_, at) => `many/${at}.txt`);
const LONG = 'more/long.txt';

const TREE: Tree = {
  ...Object.fromEntries(MANY.map((path) => [path, path])),
  [LONG]: Array.from({ length: 20 }, (_, at) => `line ${at + 1} é\n`).join(''),
  'src/a.py': 'import os\nmain = 1\n',
  'src/lib/b.py': 'x\n',
  'notes.txt': 'one\ntwo\nthree\n',
  'bin.dat': 'a\0b',
  '.env': `TOKEN=${SECRET}\n`,
  'src/.ssh/id_rsa': SECRET,
  'to-secret': { linkTo: '.env' },
  out: { linkTo: '../outside' },
};

/** A call of each operation: its text for the model, and a part of its structured content. */
const CALLS: [string, Record<string, unknown>, string, object][] = [
  ['ls', { path: 'src' }, '/src/a.py\n/src/lib/\n', { path: '/src/', count: 2, truncated: false }],
  ['find', { pattern: 'A.PY' }, '/src/a.py\n', { count: 1, matches: [{ path: '/src/a.py', is_dir: false }] }],
  ['glob', { pattern: 'src/**/*.py' }, '/src/a.py\n/src/lib/b.py\n', { count: 2 }],
  ['grep', { pattern: 'main' }, '/src/a.py:2:main = 1\n', { matches: [{ path: '/src/a.py', line: 2 }] }],
  ['read', { path: 'notes.txt', startLine: 2, endLine: 2 }, 'two\n', { content: 'two\n', next: { startLine: 3 } }],
  ['read', { path: 'bin.dat', as: 'base64' }, 'YQBi', { content: 'YQBi', encoding: 'base64' }],
  ['ls', {}, '/bin.dat\n/many/\n/more/\n/notes.txt\n/out\n/src/\n/to-secret\n', { path: '/' }],
  ['find', { pattern: 'absent' }, '[No results.]\n', { count: 0, matches: [] }],
  ['grep', { pattern: 'MAIN', caseSensitive: 'False', maxResults: '5' }, '/src/a.py:2:main = 1\n', { count: 1 }],
];

/** A call that fails, and what the model reads. */
const FAILURES: [string, Record<string, unknown>, RegExp][] = [
  ['read', { path: 'note.txt' }, /^NOT_FOUND: .*Did you mean \/notes\.txt\?$/],
  ['read', { path: '../x' }, /^PATH_INVALID: /],
  ['read', { path: 'src' }, /^NOT_A_FILE: /],
  ['read', { path: 'bin.dat' }, /^FILE_IS_BINARY: .*as=base64/],
  ['read', { path: 'notes.txt', startLine: 9 }, /^RANGE_PAST_END: /],
  ['ls', { path: 'out' }, /^PATH_OUTSIDE_ROOT: /],
  ['ls', { path: 'notes.txt' }, /^NOT_A_DIRECTORY: /],
  ['grep', { pattern: '(', isRegex: true }, /^PATTERN_INVALID: /],
  ['grep', {}, /^INPUT_INVALID: .*'pattern' is missing/],
  ['grep', { pattern: 'x', contxt: 2 }, /^INPUT_INVALID: .*The nearest is 'context'/],
  ['grep', { pattern: 'x', context: 21 }, /^INPUT_INVALID: .*from 0 to 20/],
  ['find', { pattern: ['x'] }, /^INPUT_INVALID: 'pattern' must be/],
];

const FORBIDDEN = ['.env', '.env.local', 'to-secret', 'src/.ssh/id_rsa', 'src/.ssh'];

describe.each(WAYS)('a client over %s that speaks %s', (way: Way, revision: Revision) => {
  let client: Client;

  beforeAll(async () => {
    const shared = await share(TREE, way, revision);
    client = shared.client;
    return shared.end;
  });

  it('is told who answers, what for, and that there are tools and nothing else', () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'fs-sidecar', version: expect.stringMatching(/^\d/) });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getInstructions()).toMatch(/read-only.*ls.*find.*glob.*grep.*read.*truncated/s);
  });

  it('is shown the operations as tools that only read, time and again', async () => {
    const { tools } = await client.listTools();
    const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    expect(tools.map(({ annotations, description, name, title }) => [name, title, description, annotations])).toEqual(
      operations.map(({ description, name, summary }) => [name, summary, description, readOnly]),
    );
    expect((await client.listTools(undefined, { cacheMode: 'bypass' })).tools).toEqual(tools);
  });

  it('is shown schemas that keep to JSON Schema and allow no other fields', async () => {
    const { tools } = await client.listTools();
    for (const { inputSchema, outputSchema = {} } of tools) {
      expect([inputSchema, outputSchema]).toEqual([
        expect.objectContaining({ type: 'object', additionalProperties: false }),
        expect.objectContaining({ type: 'object', additionalProperties: false }),
      ]);
      expect(faultOf(inputSchema, { pattern: 'x', nonsense: 1 })).toContain('additional properties');
      expect(faultOf(outputSchema, {})).toContain('required');
    }
  });

  it('has the result of each tool as text, and as a reply that fits its schema', async () => {
    const { tools } = await client.listTools();
    for (const [name, given, text, part] of CALLS) {
      const result: Result = await client.callTool({ name, arguments: given });
      expect([name, given, result.isError, textOf(result)]).toEqual([name, given, undefined, text]);
      expect(result.structuredContent).toMatchObject(part);
      const { outputSchema } = tools.find((tool) => tool.name === name) ?? {};
      expect(faultOf(outputSchema ?? { const: 'a schema' }, result.structuredContent)).toBeNull();
    }
  });

  it('is told in words why a call failed', async () => {
    for (const [name, given, text] of FAILURES) {
      const result: Result = await client.callTool({ name, arguments: given });
      expect([result.isError, result.structuredContent]).toEqual([true, undefined]);
      expect(textOf(result)).toMatch(text);
    }
  });

  it('may call without arguments, and many at once', async () => {
    const [listing, ...files] = await Promise.all([
      client.callTool({ name: 'ls' }),
      ...MANY.map((path) => client.callTool({ name: 'read', arguments: { path } })),
    ]);
    expect(listing?.structuredContent).toMatchObject({ path: '/', truncated: false });
    expect(files.map(textOf)).toEqual(MANY);
  });

  it('is told which tools there are when it calls another', async () => {
    for (const name of ['bash', 'find_file', 'constructor', '']) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('The tools are ls, find, glob, grep, read.'),
      });
    }
  });

  it('is refused what is blocked, in the same words whether or not it exists', async () => {
    const read = async (path: string): Promise<Result> => client.callTool({ name: 'read', arguments: { path } });
    for (const path of FORBIDDEN) {
      const [there, missing] = [await read(path), await read('.ssh/none')];
      expect([there.isError, missing.isError]).toEqual([true, true]);
      expect(textOf(there)).toMatch(/^PATH_BLOCKED: /);
      expect(textOf(there).replace(path, '…')).toBe(textOf(missing).replace('.ssh/none', '…'));
    }
  });

  it('finds nothing of what is blocked, by any tool', async () => {
    const results = await Promise.all([
      client.callTool({ name: 'ls', arguments: { recursive: true } }),
      client.callTool({ name: 'find', arguments: { pattern: '*env*', type: 'any', excludeGlob: [] } }),
      client.callTool({ name: 'glob', arguments: { pattern: '**/{.env,id_rsa}', excludeGlob: [] } }),
      client.callTool({ name: 'grep', arguments: { pattern: SECRET, excludeGlob: [] } }),
    ]);
    const counts = results.slice(1).map(({ structuredContent }: Result) => structuredContent.count);
    expect(counts).toEqual([0, 0, 0]);
    const told = JSON.stringify(results).replaceAll(`"pattern":"${SECRET}"`, '');
    for (const name of [SECRET, '/.env', '.ssh', '/id_rsa']) expect(told).not.toContain(name);
  });

  it('reads a whole file by following where it goes on', async () => {
    let read = '';
    let next: object | undefined = {};
    while (next !== undefined) {
      const result: Result = await client.callTool({
        name: 'read',
        arguments: { path: LONG, maxBytes: 50, ...next },
      });
      read += result.structuredContent.content;
      next = result.structuredContent.next;
      expect(textOf(result).includes('[Truncated: there is more. Go on with ')).toBe(next !== undefined);
    }
    expect(read).toBe(TREE[LONG]);
  });
});
