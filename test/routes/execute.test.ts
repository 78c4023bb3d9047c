import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { linesOf, serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'src/a.py': 'import os\nMain = 1\nmain = 2\n',
  'src/lib/b.py': 'x\n',
  'src/Test_One.py': 'x\n',
  'config/app.json': '{"port":1}\n',
  'notes.txt': 'notes\nline 2\nline 3\n',
  '.hid/h.py': 'h\n',
  '.dot.py': 'h\n',
  'node_modules/x/n.py': 'main\n',
  'Docs/r.md': 'MAIN\nmain\n',
};

const PYTHON = ['/.dot.py', '/.hid/h.py', '/src/Test_One.py', '/src/a.py', '/src/lib/b.py'];
const IN_SRC = ['/src/Test_One.py', '/src/a.py', '/src/lib/'];

const props = (properties: Record<string, unknown>) =>
  Object.entries(properties).map(([name, value]) => ({ name, value }));
const skill = (action: string, properties: Record<string, unknown>) => ({ action, properties: props(properties) });

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
type Envelope = any;

async function run(body: unknown, tree: Tree = TREE): Promise<Envelope> {
  return (await (await serviceOf(tree)).execute(body)).json();
}

const pathsIn = ({ result }: Envelope) => (result.matches ?? result.entries).map(({ path }: { path: string }) => path);
const hitsIn = ({ result }: Envelope) => result.matches.map(({ path, line }: Envelope) => `${path}:${line}`);

describe('a payload', () => {
  it.each([
    ['a skill with a list of properties', skill('find_file', { pattern: '*.py' }), PYTHON],
    ['a skill with an object of properties', { action: 'find_file', properties: { pattern: '*.py' } }, PYTHON],
    [
      'a skill with members for people',
      { ...skill('find_file', { pattern: '*.py' }), thinking: '{x}', description: 'd' },
      PYTHON,
    ],
    ['a skill with nothing but its action', { action: 'list_files' }, ['/notes.txt']],
    ['fs_search by its path alone', { path: 'src' }, IN_SRC],
    [
      'fs_search by its mode alone',
      { mode: 'ls' },
      ['/.dot.py', '/.hid/', '/Docs/', '/config/', '/node_modules/', '/notes.txt', '/src/'],
    ],
    [
      'fs_search with a mode',
      { mode: 'glob', path: '.', pattern: 'src/**/*.py' },
      ['/src/Test_One.py', '/src/a.py', '/src/lib/b.py'],
    ],
    [
      'fs_search as an action',
      { action: 'fs_search', mode: 'glob', pattern: 'src/*.py' },
      ['/src/Test_One.py', '/src/a.py'],
    ],
    [
      'fs_search as a skill',
      skill('fs_search', { mode: 'glob', pattern: 'src/*.py' }),
      ['/src/Test_One.py', '/src/a.py'],
    ],
    ['fs_search as an operation', { action: 'fs_search', input: { path: 'src' } }, IN_SRC],
    ['an operation by name', { action: 'ls', input: { path: 'src' } }, IN_SRC],
    [
      'an operation without input',
      { action: 'ls' },
      ['/.dot.py', '/.hid/', '/Docs/', '/config/', '/node_modules/', '/notes.txt', '/src/'],
    ],
    ['a tool call with arguments', { name: 'ls', arguments: { path: 'src' } }, IN_SRC],
    ['a tool call with arguments as text', { name: 'ls', arguments: '{"path":"src"}' }, IN_SRC],
    ['a tool call with input', { name: 'ls', input: { path: 'src' } }, IN_SRC],
    ['a tool call of Anthropic', { type: 'tool_use', id: 'toolu_1', name: 'ls', input: { path: 'src' } }, IN_SRC],
    [
      'a tool call of OpenAI',
      { id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"src"}' } },
      IN_SRC,
    ],
    [
      'a tool call of OpenAI with an object',
      { type: 'function', function: { name: 'ls', arguments: { path: 'src' } } },
      IN_SRC,
    ],
    ['a tool call of a skill', { name: 'find_file', arguments: '{"pattern":"a.py"}' }, ['/src/a.py']],
    ['a tool call of fs_search', { name: 'fs_search', arguments: { mode: 'ls', path: 'src' } }, IN_SRC],
    ['a tool call without arguments', { name: 'list_files', arguments: '' }, ['/notes.txt']],
  ])('may be %s', async (_, body, paths) => {
    expect(pathsIn(await run(body))).toEqual(paths);
  });

  it.each(operations.map(({ name }) => [name]))('may name the operation %s', async (name) => {
    const inputs: Record<string, object> = {
      find: { pattern: 'a.py' },
      glob: { pattern: '**/a.py' },
      grep: { pattern: 'import' },
      read: { path: 'notes.txt' },
    };
    const { action, payload, status } = await run({ action: name, input: inputs[name] ?? {} });
    expect([status, action, payload.operation]).toEqual(['ok', name, name]);
  });

  it('may come under any content type, or none', async () => {
    const { app } = await serviceOf(TREE);
    const types = [
      'application/json',
      'text/plain; charset=utf-8',
      'application/x-www-form-urlencoded',
      'nonsense',
      undefined,
    ];
    const replies = await Promise.all(
      types.map((type) =>
        app.inject({
          method: 'POST',
          url: '/execute',
          payload: Buffer.from('{"action":"ls"}'),
          headers: { host: 'localhost', ...(type === undefined ? {} : { 'content-type': type }) },
        }),
      ),
    );
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
  });

  it.each([
    [{}],
    [{ action: '' }],
    [{ action: null }],
    [{ action: 5 }],
    [{ action: ['ls'] }],
    [{ action: 'rm_rf', properties: [] }],
    [{ action: 'LS' }],
    [{ action: 'constructor' }],
    [{ name: 'bash', arguments: {} }],
    [{ name: '__proto__', arguments: {} }],
    [{ type: 'function', function: { name: 'bash', arguments: '{}' } }],
    [{ properties: [] }],
    [{ thinking: 'nothing to do' }],
  ])('%j names no action that there is, and is told which there are', async (body) => {
    const { code, detail, status } = await run(body);
    expect([status, code]).toEqual([400, 'ACTION_UNKNOWN']);
    const actions = ['find_file', 'find_folder', 'list_folders', 'list_files', 'grep_file', 'read_file', 'fs_search'];
    for (const action of [...actions, ...operations.map(({ name }) => name)]) expect(detail).toContain(action);
  });

  it.each([
    [{ action: 'find_file', properties: 5 }],
    [{ action: 'find_file', properties: [5, null, {}] }],
    [{ action: 'find_file', properties: [{ name: 5, value: 5 }] }],
    [{ action: 'ls', input: 'x' }],
    [{ action: 'ls', input: [1] }],
    [{ name: 'ls', arguments: 5 }],
    [{ action: 'read', input: { path: { a: 1 } } }],
    [{ mode: 'rm', path: '.' }],
  ])('%j has an input that cannot be read', async (body) => {
    expect(await run(body)).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });

  it("with a tool call's arguments cut off is refused, and nothing runs", async () => {
    expect(await run({ name: 'ls', arguments: '{"path":"sr' })).toMatchObject({ status: 400, code: 'BODY_INVALID' });
  });
});

describe('the envelope', () => {
  it('has these members and no others', async () => {
    const envelope = await run(skill('find_file', { pattern: 'a.py' }));
    expect(Object.keys(envelope)).toEqual(['action', 'status', 'content', 'result', 'sequential', 'prompt', 'payload']);
  });

  it.each([
    ['ls', { path: 'src' }],
    ['find', { pattern: '*.py' }],
    ['glob', { pattern: '**/*.py' }],
    ['grep', { pattern: 'main', context: '1' }],
    ['read', { path: 'notes.txt', startLine: '2' }],
    ['find', { pattern: '*.py', maxResults: '2' }],
    ['grep', { pattern: 'absent' }],
  ])('of %s %j has the text form for the model and the JSON reply', async (name, input) => {
    const { get, execute } = await serviceOf(TREE);
    const { content, result } = (await execute({ action: name, input })).json();
    expect(result).toEqual((await get(`/${name}`, input)).json());
    expect(content).toBe((await get(`/${name}`, input, { accept: 'text/plain' })).body);
  });

  it('is JSON by type', async () => {
    const { execute } = await serviceOf(TREE);
    expect((await execute({ action: 'ls' })).headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['an object with a prompt', { sequential: { prompt: 'Now count them:' } }, {}, true, 'Now count them:'],
    ['an object with an empty prompt', { sequential: { prompt: '' } }, {}, true, null],
    ['an empty object', { sequential: {} }, {}, true, null],
    ['true', { sequential: true }, {}, true, null],
    ['text', { sequential: 'True' }, {}, true, null],
    ['true, with a prompt beside it', { sequential: true, prompt: 'Go on' }, {}, true, 'Go on'],
    ['properties', {}, { sequential: 'true', prompt: 'Go on' }, true, 'Go on'],
    ['a property that is an object', {}, { sequential: { prompt: 'Go on' } }, true, 'Go on'],
    ['a property that says no', {}, { sequential: 'false' }, false, null],
    ['false', { sequential: false }, {}, false, null],
    ['null', { sequential: null }, {}, false, null],
    ['not there', {}, {}, false, null],
  ])('hands back for the next turn what is %s', async (_, more, properties, sequential, prompt) => {
    const body = { ...skill('find_file', { pattern: 'a.py', ...properties }), ...more };
    const envelope = await run(body);
    expect([envelope.sequential, envelope.prompt, envelope.warnings]).toEqual([sequential, prompt, undefined]);
  });

  it('names unknown properties of a skill in its warnings and ignores them', async () => {
    const envelope = await run(skill('find_file', { pattern: 'a.py', fooBar: '1', max_depth: '2', description: 'd' }));
    expect([pathsIn(envelope), envelope.warnings]).toEqual([
      ['/src/a.py'],
      [expect.stringContaining("'fooBar'"), expect.stringContaining("'max_depth'")],
    ]);
  });

  it('names an unknown property whatever its value is', async () => {
    const { warnings } = await run(skill('find_file', { pattern: 'a.py', depth: null, limit: '' }));
    expect(warnings).toEqual([expect.stringContaining("'depth'"), expect.stringContaining("'limit'")]);
  });

  it('does not warn of properties that every skill may have', async () => {
    const properties = { pattern: 'a.py', description: 'd', thinking: 't', sequential: 'false', prompt: 'p' };
    expect(await run(skill('find_file', properties))).not.toHaveProperty('warnings');
  });

  it('refuses an unknown field of an operation, and names the nearest', async () => {
    expect(await run({ action: 'find', input: { pattern: '*', maxresult: 5 } })).toMatchObject({
      code: 'INPUT_INVALID',
      errors: [{ detail: expect.stringContaining("'maxResults'") }],
    });
  });

  it("warns of fs_search's pattern where its mode has no use for one", async () => {
    expect((await run({ mode: 'ls', path: 'src', pattern: '*.py' })).warnings).toEqual([
      expect.stringContaining("'pattern'"),
    ]);
  });

  it.each([
    [skill('read_file', { fileName: 'none.txt' }), 404, 'NOT_FOUND'],
    [skill('read_file', { fileName: '../x' }), 400, 'PATH_INVALID'],
    [skill('read_file', {}), 422, 'NOT_A_FILE'],
    [skill('read_file', { fileName: 'notes.txt', startLine: '99' }), 416, 'RANGE_PAST_END'],
    [skill('read_file', { fileName: 'notes.txt', encoding: 'klingon' }), 400, 'ENCODING_UNKNOWN'],
    [skill('find_file', { pattern: '(', isRegex: 'true' }), 400, 'PATTERN_INVALID'],
    [{ mode: 'grep', path: 'none', pattern: 'x' }, 404, 'NOT_FOUND'],
    [{ mode: 'grep', path: '.' }, 400, 'INPUT_INVALID'],
    [{ mode: 'glob', pattern: '' }, 400, 'INPUT_INVALID'],
    [{ action: 'ls', input: { path: 'notes.txt' } }, 422, 'NOT_A_DIRECTORY'],
  ])('is not there for %j, which fails as its operation does', async (body, status, code) => {
    const { execute } = await serviceOf(TREE);
    const reply = await execute(body);
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });
});

describe('the payload that is handed back', () => {
  it('shows what was run, with every default of the action', async () => {
    const { payload } = await run(skill('find_file', { pattern: 'A.py', maxResults: '' }));
    expect(payload).toEqual({
      action: 'find_file',
      operation: 'find',
      showPaths: true,
      input: {
        pattern: 'A.py',
        path: './',
        type: 'file',
        recursive: true,
        isRegex: false,
        caseSensitive: false,
        includeGlob: ['*'],
        excludeGlob: ['.git', 'node_modules', '__pycache__', '.venv', 'dist', 'build'],
        includeHidden: true,
        gitignore: false,
        sort: 'path',
        maxResults: 100,
        timeoutMs: 30_000,
      },
    });
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'shows every field of %s that has a default',
    async (name, { input }) => {
      const given = {
        ...('pattern' in input.properties ? { pattern: 'x' } : {}),
        ...(name === 'read' ? { path: 'notes.txt' } : {}),
      };
      const { payload } = await run({ action: name, input: given });
      const defaults = Object.fromEntries(
        Object.entries(input.properties).flatMap(([field, schema]) =>
          'default' in schema ? [[field, schema.default]] : [],
        ),
      );
      expect(payload).toMatchObject({ action: name, operation: name, input: { ...defaults, ...given } });
    },
  );

  it.each([
    ['ls', {}],
    ['find', { pattern: 'x' }],
    ['glob', { pattern: 'x' }],
    ['grep', { pattern: 'x' }],
  ])("shows the server's limits where %s was given none", async (action, input) => {
    const { execute } = await serviceOf(TREE, { maxResults: 77, timeoutMs: 5000 });
    expect((await execute({ action, input })).json().payload.input).toMatchObject({ maxResults: 77, timeoutMs: 5000 });
  });

  it.each(['find_file', 'grep_file'])('of %s can be run again as an operation, and gives the same', async (action) => {
    const { execute } = await serviceOf(TREE);
    const first = (await execute(skill(action, { pattern: 'main', path: './' }))).json();
    const { operation, input } = first.payload;
    expect((await execute({ action: operation, input })).json().result).toEqual(first.result);
  });
});

describe('an action as a stream', () => {
  const NDJSON = { accept: 'application/x-ndjson' };

  it.each([
    ['ls', { path: 'src' }],
    ['find', { pattern: '*.py' }],
    ['glob', { pattern: '**/*.py' }],
    ['grep', { pattern: 'main' }],
    ['read', { path: 'notes.txt' }],
  ])('is the stream of its operation: %s', async (name, input) => {
    const { get, execute } = await serviceOf(TREE);
    const sorted = name === 'read' ? input : { ...input, sort: 'path' };
    const streamed = await execute({ action: name, input: sorted }, NDJSON);
    expect(streamed.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(untimed(streamed.body)).toEqual(untimed((await get(`/${name}/stream`, sorted)).body));
  });

  it("of a skill keeps the skill's own maximum", async () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`${at}.dat`, '']));
    const { execute } = await serviceOf(many);
    const lines = linesOf((await execute(skill('find_file', { pattern: '*.dat' }), NDJSON)).body);
    expect(lines.at(-1)?.data).toMatchObject({ count: 100, truncated: true, truncated_by: 'maxResults' });
  });

  it('that fails before its first line has its own status', async () => {
    const { execute } = await serviceOf(TREE);
    const reply = await execute(skill('find_file', { pattern: '(', isRegex: 'true' }), NDJSON);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'PATTERN_INVALID']);
  });
});

describe('hits', () => {
  it('of an operation and of a skill are told by the same lines', async () => {
    const [operation, action] = [
      await run({ action: 'grep', input: { pattern: 'main', caseSensitive: false } }),
      await run(skill('grep_file', { pattern: 'main' })),
    ];
    expect(hitsIn(action)).toEqual(hitsIn(operation));
  });
});

/** The data of each line, without what differs from run to run. */
function untimed(body: string): unknown[] {
  return linesOf(body).map(({ data: { elapsed_ms: _, ...data } }) => data);
}
