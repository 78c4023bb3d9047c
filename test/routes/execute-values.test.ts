import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'a.py': 'one\n',
  'b.py': 'one\n',
  '.c.py': 'one\n',
  'd/e.py': 'one\n',
  'notes.txt': '1\n2\n3\n4\n',
};

type Fields = Record<string, unknown>;

/** The forms of a payload that find files by name, or read one. */
const FIND_FORMS: [name: string, toBody: (fields: Fields) => unknown][] = [
  ['a skill with a list', (fields) => ({ action: 'find_file', properties: listOf({ pattern: '*.py', ...fields }) })],
  ['a skill with an object', (fields) => ({ action: 'find_file', properties: { pattern: '*.py', ...fields } })],
  ['an operation', (fields) => ({ action: 'find', input: { pattern: '*.py', ...fields } })],
  [
    'a tool call in text',
    (fields) => ({ name: 'find_file', arguments: JSON.stringify({ pattern: '*.py', ...fields }) }),
  ],
  [
    'a call of a function',
    (fields) => ({ type: 'function', function: { name: 'find', arguments: { pattern: '*.py', ...fields } } }),
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
async function run(body: unknown): Promise<any> {
  return (await (await serviceOf(TREE)).execute(body)).json();
}

describe.each(FIND_FORMS)('values in %s', (_, toBody) => {
  const found = async (fields: Fields) => {
    const { matches } = (await run(toBody(fields))).result;
    return matches.map(({ path }: { path: string }) => path);
  };
  const ALL = ['/.c.py', '/a.py', '/b.py', '/d/e.py'];
  const TOP = ['/.c.py', '/a.py', '/b.py'];

  it.each(['true', 'True', 'TRUE', ' true ', 'yes', 'YES', '1', 1, true])('%j is true', async (recursive) => {
    expect(await found({ recursive })).toEqual(ALL);
  });

  it.each(['false', 'False', 'FALSE', 'no', 'No', '0', 0, false])('%j is false', async (recursive) => {
    expect(await found({ recursive })).toEqual(TOP);
  });

  it.each(['maybe', 'on', 'f', 'tru', 2, '2', -1, 0.5, [], {}])(
    '%j is neither, and is refused by name',
    async (recursive) => {
      expect(await run(toBody({ recursive }))).toMatchObject({
        status: 400,
        code: 'INPUT_INVALID',
        errors: [
          { detail: expect.stringContaining("'recursive'"), pointer: expect.stringMatching(/\/recursive(\/|$)/) },
        ],
      });
    },
  );

  it.each([2, '2', ' 2 ', '+2', '02'])('%j is a whole number', async (maxResults) => {
    expect(await found({ maxResults })).toEqual(['/.c.py', '/a.py']);
  });

  it.each(['0', '-1', 0, -1, 1.5, '1.5', 'ten', 'NaN', '1e', '0x2', 'Infinity', true, [], {}])(
    '%j is no number of results, and is refused by name',
    async (maxResults) => {
      expect(await run(toBody({ maxResults }))).toMatchObject({
        status: 400,
        code: 'INPUT_INVALID',
        errors: [{ detail: expect.stringContaining("'maxResults'") }],
      });
    },
  );

  it.each([1e12, '1000000000000'])('%j is more than there is room for, and is clamped', async (maxResults) => {
    expect(await found({ maxResults })).toEqual(ALL);
  });

  it.each(['', null])('%j is the default, for every field', async (empty) => {
    const names = ['path', 'recursive', 'isRegex', 'caseSensitive', 'includeGlob', 'excludeGlob', 'maxResults'];
    expect(await found(Object.fromEntries(names.map((name) => [name, empty])))).toEqual(ALL);
  });

  it.each(['', null])('%j is no pattern', async (pattern) => {
    expect(await run(toBody({ pattern }))).toMatchObject({
      status: 400,
      code: 'INPUT_INVALID',
      errors: [{ pointer: expect.stringMatching(/\/pattern$/) }],
    });
  });

  it.each([
    ['a list', ['a*', 'd']],
    ['one string', 'a*,d'],
    ['one string with spaces', ' a* , d '],
    ['a list in text', '["a*", "d"]'],
  ])('a list may be %s', async (__, excludeGlob) => {
    expect(await found({ excludeGlob })).toEqual(['/.c.py', '/b.py']);
  });

  it.each([5, true, {}, [5], ['a', null]])('%j is no list of patterns', async (excludeGlob) => {
    expect(await run(toBody({ excludeGlob }))).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });

  it.each([5, true, {}, ['a']])('%j is no path', async (path) => {
    expect(await run(toBody({ path }))).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });

  it('half a surrogate pair is refused, as no name holds it', async () => {
    expect(await run(toBody({ pattern: '\ud800' }))).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
  });
});

describe('values of a read', () => {
  const FORMS: [name: string, toBody: (fields: Fields) => unknown][] = [
    ['a skill', (fields) => ({ action: 'read_file', properties: listOf({ fileName: 'notes.txt', ...fields }) })],
    ['an operation', (fields) => ({ action: 'read', input: { path: 'notes.txt', ...fields } })],
  ];

  it.each(FORMS)('may be text in %s', async (_, toBody) => {
    const { result } = await run(toBody({ startLine: '2', endLine: '3', maxBytes: null, encoding: null }));
    expect(result.content).toBe('2\n3\n');
  });

  it.each(FORMS)('that are no numbers are refused by name in %s', async (_, toBody) => {
    expect(await run(toBody({ startLine: 'two' }))).toMatchObject({
      status: 400,
      errors: [{ pointer: expect.stringMatching(/\/startLine$/) }],
    });
  });
});

describe('a path in bytes', () => {
  it.each(['', null])('is taken beside a path that is %j, which is none', async (path) => {
    const { result } = await run({ action: 'ls', input: { path, pathBytes: Buffer.from('/d').toString('base64') } });
    expect(result.path).toBe('/d/');
  });
});

describe('values of fs_search', () => {
  it.each([
    ['empty', { mode: '', path: '', pattern: '' }],
    ['null', { mode: null, path: null, pattern: null }],
  ])('that are %s mean a listing of the root', async (_, body) => {
    const { payload, result } = await run(body);
    expect([payload.operation, result.path]).toEqual(['ls', '/']);
  });
});

function listOf(fields: Fields): { name: string; value: unknown }[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}
