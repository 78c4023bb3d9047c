import { describe, expect, test } from 'vitest';
import { operationOf } from '../../src/operations/index.ts';
import type { End } from '../../src/results/sink.ts';
import { TextSink } from '../../src/results/text.ts';

interface Given {
  records?: unknown[];
  end?: End;
  head?: { path: string };
  relative?: boolean;
}

function textOf(
  name: string,
  { records = [], end = { count: records.length, truncated: false }, head = { path: '/' }, relative = false }: Given,
): string {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const out: string[] = [];
  const sink = new TextSink(operation, (text) => out.push(text), { relative });
  sink.begin(head);
  for (const record of records) sink.write([record]);
  sink.end(end);
  expect(out.length).toBe(1);
  return out.join('');
}

describe('as text', () => {
  test.each<[name: string, record: object, line: string]>([
    ['ls', { path: '/d/', is_dir: true }, '/d/'],
    ['find', { path: '/d/a' }, '/d/a'],
    ['glob', { path: '/d/a' }, '/d/a'],
    ['grep', { path: '/a', line: 7, text: 'x: y' }, '/a:7:x: y'],
    ['grep', { path: '/a' }, '/a'],
    ['grep', { path: '/a', count: 3 }, '/a:3'],
    ['grep', { path: '/a', line: 7, text: 'x', before: ['v', 'w'], after: ['y'] }, '/a-5-v\n/a-6-w\n/a:7:x\n/a-8-y'],
  ])('a record of %s is a line: %j', (name, record, line) => {
    expect(textOf(name, { records: [record, record] })).toBe(`${line}\n${line}\n`);
  });

  test('a file is as it stands', () => {
    expect(textOf('read', { records: [{ text: 'a\r\n' }, { text: 'b' }], end: { truncated: false } })).toBe('a\r\nb');
  });

  test('an empty file is nothing', () => {
    expect(textOf('read', { end: { truncated: false } })).toBe('');
  });

  test.each(['/a\nb', '/a\rb', '/\u001b[31m', '/a\u2028b', '/a\u2029b', '/\u007f', '/\0'])(
    'a name that would not stay on its line is JSON: %j',
    (path) => {
      expect(textOf('ls', { records: [{ path }] })).toBe(`${JSON.stringify(path)}\n`);
    },
  );

  test.each(['/a b', '/"a"', '/\\', '/é😀', '/a:1:x'])('another name is not: %j', (path) => {
    expect(textOf('ls', { records: [{ path }] })).toBe(`${path}\n`);
  });
});

describe('paths below the start', () => {
  test.each([
    ['/', '/d/a', 'd/a'],
    ['/d/', '/d/a', 'a'],
    ['/d/', '/d/e/', 'e/'],
  ])('from %s are shown relative to it: %s', (top, path, shown) => {
    expect(textOf('find', { records: [{ path }], head: { path: top }, relative: true })).toBe(`${shown}\n`);
  });

  test('are shown from the root otherwise', () => {
    expect(textOf('find', { records: [{ path: '/d/a' }], head: { path: '/d/' } })).toBe('/d/a\n');
  });
});

describe('the last line, in brackets,', () => {
  const one = [{ path: '/a' }];

  test.each<[End, RegExp]>([
    [{ count: 1, truncated: true, truncated_by: 'maxResults' }, /there is more\..*maxResults/],
    [{ count: 1, truncated: true, truncated_by: 'limit' }, /more than the server's limit/],
    [{ count: 1, truncated: true, truncated_by: 'timeout' }, /time ran out/],
  ])('says why there is more: %j', (end, note) => {
    const text = textOf('ls', { records: one, end });

    expect(text).toMatch(/^\/a\n\[Truncated: [^\n]*\]\n$/);
    expect(text).toMatch(note);
  });

  test.each<[End, string]>([
    [{ truncated: true, truncated_by: 'maxBytes', next: { startLine: 3 } }, 'Go on with startLine=3.'],
    [
      { truncated: true, truncated_by: 'limit', next: { startLine: 3, startColumn: 9 } },
      'Go on with startLine=3 and startColumn=9.',
    ],
    [{ truncated: true, truncated_by: 'maxBytes', next: { startByte: 6 } }, 'Go on with startByte=6.'],
  ])('says how to go on with a file: %j', (end, note) => {
    expect(textOf('read', { records: [{ text: 'half a line' }], end })).toBe(
      `half a line\n[Truncated: there is more. ${note}]\n`,
    );
  });

  test('stands on a line of its own, whether the text ends in one or not', () => {
    const end: End = { truncated: true, truncated_by: 'maxBytes', next: { startLine: 2 } };

    expect(textOf('read', { records: [{ text: 'a\n' }], end }).split('\n').length).toBe(3);
    expect(textOf('read', { records: [], end })).toMatch(/^\[Truncated/);
  });

  test('says that there is nothing, and why', () => {
    const end: End = { count: 0, truncated: false, hints: ['It would match.', 'Or so.'] };

    expect(textOf('find', { end })).toBe('[No results. It would match. Or so.]\n');
    expect(textOf('find', {})).toBe('[No results.]\n');
  });

  test('is absent when all is said', () => {
    expect(textOf('ls', { records: one })).not.toContain('[');
  });
});

test('a text knows how much it holds', () => {
  const operation = operationOf('ls');
  if (operation === undefined) throw new Error('no ls');
  const sink = new TextSink(operation, () => undefined, { relative: false });
  sink.begin({ path: '/' });
  sink.write([{ path: '/abc' }]);

  expect(sink.size).toBe(5);
});
