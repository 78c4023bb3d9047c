import { describe, expect, it } from 'vitest';
import payloads from '../fixtures/skill-payloads.json' with { type: 'json' };
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

/** Holds something for every example to find, and something near it that it must not find. */
const TREE: Tree = {
  'README.md': '# hi\n',
  'notes.txt': 'buy milk\n',
  'main.py': Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join(''),
  'config.json': '{"a":1}\n',
  'CONFIG.JSON': '{"b":2}\n',
  'deep/config.json': '{"c":3}\n',
  'config/app.json': '{"port":8080}',
  Config: null,
  'src/a.py': 'import os\n\ndef my_function():\n    pass\n',
  'src/test_one.py': 'x\n',
  'src/test_two.pyc': 'x\n',
  'src/attest_x.py': 'x\n',
  'src/test_util': null,
  'src/latest_util': null,
  'src/lib': null,
  'app/src': null,
  'app/srcs': null,
  test: null,
  'contest/x.txt': 'x\n',
  '.hidden/u.py': 'u\n',
  '.git/HEAD': 'ref\n',
  'node_modules/x/src/dep.py': 'x\n',
  '__pycache__/c.py': 'x\n',
  'path/to/project/p.txt': 'p\n',
  'etc/a.conf': 'a=1\n',
  'etc/deep/b.conf': 'b=1\n',
};

const LISTED = ['/Config/', '/__pycache__/', '/app/', '/config/', '/contest/', '/deep/', '/etc/'];
const FOLDERS = [...LISTED, '/node_modules/', '/path/', '/src/', '/test/'];
const ALL_PYTHON = ['/.hidden/u.py', '/main.py', '/src/a.py', '/src/attest_x.py', '/src/test_one.py'];
const ROOT = [
  ...FOLDERS,
  '/CONFIG.JSON',
  '/README.md',
  '/config.json',
  '/main.py',
  '/notes.txt',
  '/.git/',
  '/.hidden/',
];

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
type Envelope = any;

const pathsIn = ({ result }: Envelope) =>
  (result.matches ?? result.entries).map(({ path }: { path: string }) => path).sort();
const sorted = (paths: string[]) => [...paths].sort();

/** What each example finds. A template finds nothing, since its placeholders name nothing. */
const FOUND: Record<string, string[]> = {
  'file-finder, example 1': [],
  'file-finder, example 2': ALL_PYTHON,
  'file-finder, example 3': ALL_PYTHON,
  'file-finder, example 4': ['/config.json'],
  'file-finder, example 5': ['/src/attest_x.py', '/src/test_one.py'],
  'folder-finder, example 1': [],
  'folder-finder, example 2': ['/test/'],
  'folder-finder, example 3': ['/app/src/', '/src/'],
  'folder-finder, example 4': ['/config/'],
  'folder-finder, example 5': ['/src/test_util/'],
  'folder-list, example 1': FOLDERS,
  'folder-list, example 2': FOLDERS,
  'folder-list, example 3': FOLDERS,
  'folder-list, example 4': ['/app/src/', '/app/srcs/', '/node_modules/x/src/', '/src/'],
  'folder-list, example 5': FOLDERS,
  'fs-search, example 1': ['/path/to/project/p.txt'],
  'fs-search, example 2': [...ALL_PYTHON, '/__pycache__/c.py', '/node_modules/x/src/dep.py'],
  'fs-search, example 3': ['/src/a.py'],
  'fs-search, example 4': ['/etc/a.conf', '/etc/deep/b.conf'],
  // The examples of replies have a path, so that they are listings of it, and members that no skill has.
  'fs-search, example 5': ROOT,
  'fs-search, example 6': ROOT,
  'fs-search, example 7': ROOT,
};

const READ: Record<string, Record<string, unknown>> = {
  'file-reader, example 2': { path: '/README.md', content: '# hi\n' },
  'file-reader, example 3': { path: '/config/app.json', content: '{"port":8080}' },
  'file-reader, example 4': { path: '/notes.txt', content: 'buy milk\n' },
  'file-reader, example 5': { start_line: 10, end_line: 40, total_lines: 60 },
};

const PROMPTS: Record<string, string> = {
  'file-finder, example 1': 'The files are provided below.<for followup tasks>',
  'file-reader, example 3': 'The file content is provided below, please analyze the content:',
  'file-reader, example 4': 'Following is the file content. <note: no need to put the content here>',
};

const TEMPLATE_OF_READER = 'file-reader, example 1';
const QUOTED = 'file-finder, example 2';
const BACKSLASH = 'file-finder, example 5';

const textOf = (name: string) => payloads.find(({ from }) => from === name)?.text ?? '';
const named = payloads.map(({ from, text }) => [from, text] as const);
const TYPES = ['application/json', 'text/plain'];

describe.each(TYPES)("the examples of the skills' own pages, as %s", (type) => {
  const send = async (text: string) => (await serviceOf(TREE)).execute(text, { 'content-type': type });

  it.each(Object.entries(FOUND))('%s finds what it names', async (name, paths) => {
    const reply = await send(textOf(name));
    expect([reply.statusCode, pathsIn(reply.json())]).toEqual([200, sorted(paths)]);
  });

  it.each(Object.entries(READ))('%s reads what it names', async (name, result) => {
    const reply = await send(textOf(name));
    expect(reply.json()).toMatchObject({ status: 'ok', action: 'read_file', result });
  });

  it("the template of file-reader is mended and read, and its placeholder's file is not there", async () => {
    const reply = await send(textOf(TEMPLATE_OF_READER));
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe("the examples of the skills' own pages", () => {
  const send = async (text: string): Promise<Envelope> => (await (await serviceOf(TREE)).execute(text)).json();

  it('are all expected to give something', () => {
    const expected = [...Object.keys(FOUND), ...Object.keys(READ), TEMPLATE_OF_READER];
    expect(named.map(([name]) => name).sort()).toEqual(expected.sort());
  });

  it.each(Object.entries(PROMPTS))('%s has its prompt handed back for the next turn', async (name, prompt) => {
    expect(await send(textOf(name))).toMatchObject({ sequential: true, prompt });
  });

  it('the example of a line range gives these lines and no others', async () => {
    const { content } = await send(textOf('file-reader, example 5'));
    expect(content.match(/\d+/g)).toEqual(Array.from({ length: 31 }, (_, at) => String(at + 10)));
  });

  it('the example with sizes and times gives them', async () => {
    const { result } = await send(textOf('folder-list, example 5'));
    expect(result.entries.find(({ path }: { path: string }) => path === '/config/')).toMatchObject({
      size: 13,
      modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  it.each([
    ['with the mark of its first line', `> ${textOf(QUOTED)}`],
    ['without the mark of its first line', textOf(QUOTED)],
    ['without the marks', textOf(QUOTED).replaceAll(/^> ?/gm, '')],
  ])('the example in a block quote runs %s', async (_, text) => {
    expect(pathsIn(await send(text))).toEqual(sorted(ALL_PYTHON));
  });

  it('the backslash that JSON does not allow is kept, and told', async () => {
    const { payload, repairs } = await send(textOf(BACKSLASH));
    expect([payload.input.pattern, repairs]).toEqual(['test_.*\\.py$', [expect.stringContaining('backslash')]]);
  });

  it.each(named.filter(([, text]) => isJson(text)))('%s is JSON, and nothing of it is mended', async (_, text) => {
    expect(await send(text)).not.toHaveProperty('repairs');
  });

  it.each(['entries', 'matches', 'count'])('an example of a reply has its %s named in the warnings', async (member) => {
    const examples = named.filter(([, text]) => text.includes(`"${member}"`));
    for (const [, text] of examples) {
      const { warnings } = await send(text);
      expect(warnings).toContainEqual(expect.stringContaining(`'${member}'`));
    }
    expect(examples).not.toHaveLength(0);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
