import { describe, expect, test } from 'vitest';
import { operationOf } from '../../src/operations/index.ts';
import { JsonSink } from '../../src/results/json.ts';

function sinkOf(name: string) {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const out: string[] = [];
  return { sink: new JsonSink(operation, (text) => out.push(text)), out };
}

const listing = () => sinkOf('ls');
const reading = () => sinkOf('read');

describe('a JSON reply', () => {
  test('has its head, its records and its end, in this order', () => {
    const { out, sink } = listing();
    sink.begin({ path: '/d/' });
    sink.write([{ path: '/d/a' }]);
    sink.write([{ path: '/d/b' }]);
    sink.end({ count: 2, truncated: false });

    expect(out).toEqual(['{"path":"/d/","entries":[{"path":"/d/a"},{"path":"/d/b"}],"count":2,"truncated":false}']);
  });

  test('without records has an empty list', () => {
    const { out, sink } = listing();
    sink.begin({ path: '/' });
    sink.end({ count: 0, truncated: false });

    expect(out).toEqual(['{"path":"/","entries":[],"count":0,"truncated":false}']);
  });

  test('is given out when all is there, and not before', () => {
    const { out, sink } = listing();
    sink.begin({ path: '/' });
    sink.write([{ path: '/a' }]);

    expect(out).toEqual([]);
  });

  test('knows how much it holds', () => {
    const { sink } = listing();
    sink.begin({ path: '/' });
    expect(sink.size).toBe(0);

    sink.write([{ path: '/a' }, { path: '/b' }]);
    expect(sink.size).toBe(2 * '{"path":"/a"}'.length);
  });

  test('of a text knows how much it holds, too', () => {
    const { sink } = reading();
    sink.begin({ path: '/a' });
    sink.write([{ text: 'x'.repeat(100) }]);

    expect(sink.size).toBeGreaterThanOrEqual(100);
  });

  test('of a text has its pieces as one', () => {
    const { out, sink } = reading();
    sink.begin({ path: '/a' });
    sink.write([{ start_line: 1, text: 'one\n' }]);
    sink.write([{ start_line: 2, text: 'two "\u2028' }]);
    sink.end({ truncated: false, total_lines: 2 });

    expect(JSON.parse(out.join(''))).toEqual({
      path: '/a',
      content: 'one\ntwo "\u2028',
      truncated: false,
      total_lines: 2,
    });
  });

  test('of an empty text has an empty one', () => {
    const { out, sink } = reading();
    sink.begin({ path: '/a' });
    sink.end({ truncated: false });

    expect(out).toEqual(['{"path":"/a","content":"","truncated":false}']);
  });

  test('has odd names as JSON has them', () => {
    const { out, sink } = listing();
    const path = '/a\n"\\\u2028\ufffd😀';
    sink.begin({ path: '/', path_bytes: 'Lw==' });
    sink.write([{ path }]);
    sink.end({ truncated: false });

    expect(JSON.parse(out.join(''))).toEqual({ path: '/', path_bytes: 'Lw==', entries: [{ path }], truncated: false });
  });
});
