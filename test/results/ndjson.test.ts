import { describe, expect, test } from 'vitest';
import { operationOf } from '../../src/operations/index.ts';
import { NdjsonSink, toErrorLine } from '../../src/results/ndjson.ts';

function streamOf(name: string) {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const out: string[] = [];
  return { sink: new NdjsonSink(operation, (text) => out.push(text)), out };
}

describe('a stream', () => {
  test('is a line of JSON for its beginning, each record and its end', () => {
    const { out, sink } = streamOf('grep');
    sink.begin({ path: '/', pattern: 'x' }, { maxResults: 5, timeoutMs: 100 });
    sink.write([
      { path: '/a', line: 1 },
      { path: '/b', line: 2 },
    ]);
    sink.end({ count: 2, truncated: false });

    const text = out.join('');
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'begin', data: { path: '/', pattern: 'x', limits: { maxResults: 5, timeoutMs: 100 } } },
      { type: 'match', data: { path: '/a', line: 1 } },
      { type: 'match', data: { path: '/b', line: 2 } },
      { type: 'end', data: { count: 2, truncated: false, elapsed_ms: expect.any(Number) } },
    ]);
  });

  test.each([
    ['ls', 'entry'],
    ['find', 'match'],
    ['glob', 'match'],
    ['grep', 'match'],
    ['read', 'text'],
  ])('of %s calls a record %s', (name, type) => {
    const { out, sink } = streamOf(name);
    sink.write([{ a: 1 }]);

    expect(out).toEqual([`{"type":"${type}","data":{"a":1}}\n`]);
  });

  test('gives each part out at once, and holds nothing', () => {
    const { out, sink } = streamOf('ls');
    sink.begin({ path: '/' }, { timeoutMs: 1 });
    expect(out.length).toBe(1);

    sink.write([{ path: '/a' }]);
    expect([out.length, sink.size]).toEqual([2, 0]);
  });

  test('gives nothing out for no records', () => {
    const { out, sink } = streamOf('ls');
    sink.write([]);

    expect(out).toEqual([]);
  });

  test('keeps a name with line breaks on its line', () => {
    const { out, sink } = streamOf('ls');
    sink.write([{ path: '/a\nb\r\u2028' }]);

    expect(out.join('').match(/\n/g)?.length).toBe(1);
    expect(JSON.parse(out.join(''))).toEqual({ type: 'entry', data: { path: '/a\nb\r\u2028' } });
  });

  test('tells the time that it took in whole milliseconds', () => {
    const { out, sink } = streamOf('ls');
    sink.end({ truncated: false });

    const { data } = JSON.parse(out.join(''));
    expect([Number.isInteger(data.elapsed_ms), data.elapsed_ms >= 0]).toEqual([true, true]);
  });

  test('that fails ends in a line with the problem', () => {
    const problem = { type: 't', title: 'T', status: 500, detail: 'd\n', code: 'INTERNAL', instance: 'i' };

    const line = toErrorLine(problem as never);

    expect([line.indexOf('\n'), JSON.parse(line)]).toEqual([line.length - 1, { type: 'error', data: problem }]);
  });
});
