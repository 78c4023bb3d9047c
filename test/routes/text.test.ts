import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

const TREE: Tree = {
  'a.txt': 'hit one\nmiss\nhit two\r\n',
  'd/b.txt': 'hit é\n',
  'd/e/c.txt': 'hit',
  'd/q:1:.txt': 'co:lon hit\n',
};

const TEXT = { accept: 'text/plain' };
const LAST_LINE_IN_BRACKETS = /(?:^|\n)\[[^\n]+\]\n?$/;

async function textOf(path: string, query: Record<string, string | string[]>, tree: Tree = TREE): Promise<string> {
  const { get } = await serviceOf(tree);
  return (await get(path, query, TEXT)).body;
}

describe('the text form', () => {
  it('is text in UTF-8', async () => {
    const { get } = await serviceOf(TREE);
    expect((await get('/ls', {}, TEXT)).headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([
    ['ls', {}, ['/a.txt', '/d/']],
    ['find', { pattern: '*.txt' }, ['/a.txt', '/d/b.txt', '/d/e/c.txt', '/d/q:1:.txt']],
    ['find', { pattern: 'e', type: 'directory' }, ['/d/e/']],
    ['glob', { pattern: 'd/**/*.txt' }, ['/d/b.txt', '/d/e/c.txt', '/d/q:1:.txt']],
    ['grep', { pattern: 'hit', output: 'files' }, ['/a.txt', '/d/b.txt', '/d/e/c.txt', '/d/q:1:.txt']],
    ['grep', { pattern: 'hit', output: 'count', path: 'a.txt' }, ['/a.txt:2']],
    [
      'grep',
      { pattern: 'hit' },
      ['/a.txt:1:hit one', '/a.txt:3:hit two', '/d/b.txt:1:hit é', '/d/e/c.txt:1:hit', '/d/q:1:.txt:1:co:lon hit'],
    ],
  ])('of %s %j is a result a line', async (name, query, lines) => {
    expect(await textOf(`/${name}`, query)).toBe(`${lines.join('\n')}\n`);
  });

  it('of grep with context shows the lines around a match with dashes, as grep does', async () => {
    const lines = await textOf('/grep', { pattern: 'b', context: '1' }, { 'x.txt': 'a\nb\nc\n' });
    expect(lines).toBe('/x.txt-1-a\n/x.txt:2:b\n/x.txt-3-c\n');
  });

  it("of read is the file's text, unchanged", async () => {
    expect(await textOf('/read', { path: 'a.txt' })).toBe('hit one\nmiss\nhit two\r\n');
  });

  it('of read without a last line feed adds none', async () => {
    expect(await textOf('/read', { path: 'd/e/c.txt' })).toBe('hit');
  });

  it('of an empty file is empty', async () => {
    expect(await textOf('/read', { path: 'empty' }, { empty: '' })).toBe('');
  });

  it('of a name with a line break stays on its line', async () => {
    expect(await textOf('/find', { pattern: '*' }, { 'two\nlines': '' })).toBe('"/two\\nlines"\n');
  });

  it('when nothing was found says so, and why where it can be told', async () => {
    const text = await textOf('/grep', { pattern: 'HIT' });
    expect(text).toMatch(/^\[[^\n]*caseSensitive=false[^\n]*\]\n$/);
  });
});

describe('the last line of the text form', () => {
  it.each([
    ['ls', { recursive: 'true' }],
    ['find', { pattern: '*.txt' }],
    ['glob', { pattern: '**/*.txt' }],
    ['grep', { pattern: 'hit' }],
  ])('of %s is in brackets when it is truncated, after as many lines as were asked for', async (name, query) => {
    const lines = (await textOf(`/${name}`, { ...query, maxResults: '2' })).trimEnd().split('\n');
    expect([lines.length, lines[2]]).toEqual([3, expect.stringMatching(/^\[.*maxResults.*\]$/)]);
  });

  it.each([
    ['ls', { recursive: 'true' }],
    ['find', { pattern: '*.txt', maxResults: '4' }],
    ['glob', { pattern: '**/*.txt' }],
    ['grep', { pattern: 'hit', maxResults: '5' }],
    ['read', { path: 'a.txt' }],
    ['read', { path: 'a.txt', startLine: '1', endLine: '1' }],
  ])('of %s %j is a result when all is there', async (name, query) => {
    expect(await textOf(`/${name}`, query)).not.toMatch(LAST_LINE_IN_BRACKETS);
  });

  it("tells the server's limit from the caller's", async () => {
    const { get } = await serviceOf(TREE, { maxResults: 1 });
    expect((await get('/find', { pattern: '*' }, TEXT)).body).toMatch(/^\/a\.txt\n\[[^\n]*server's limit[^\n]*\]\n$/);
  });

  it.each([
    ['after a whole line', { maxBytes: '8' }, 'hit one\n', /startLine=2\b(?!.*startColumn)/],
    ['inside a line', { maxBytes: '3' }, 'hit\n', /startLine=1\b.*startColumn=4\b/],
  ])('of a read that was cut %s says how to go on', async (_, query, text, note) => {
    const body = await textOf('/read', { path: 'a.txt', ...query });
    expect(body.slice(0, text.length)).toBe(text);
    expect(body.slice(text.length)).toMatch(/^\[[^\n]+\]\n$/);
    expect(body.slice(text.length)).toMatch(note);
  });

  it('of a read in base64 that was cut says at which byte to go on', async () => {
    expect(await textOf('/read', { path: 'a.txt', as: 'base64', maxBytes: '4' })).toMatch(/\[.*startByte=3\b.*\]\n$/);
  });
});
