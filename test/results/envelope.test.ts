import { describe, expect, test } from 'vitest';
import { operationOf } from '../../src/operations/index.ts';
import { EnvelopeSink } from '../../src/results/envelope.ts';
import type { End } from '../../src/results/sink.ts';

const MEMBERS = {
  before: { action: 'list_files', status: 'ok' },
  after: { sequential: true, prompt: null, payload: {} },
};

function envelopeOf(name: string, records: unknown[], end: End, relative = false) {
  const operation = operationOf(name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const out: string[] = [];
  const sink = new EnvelopeSink(operation, (text) => out.push(text), MEMBERS, { relative });
  sink.begin({ path: '/d/' });
  sink.write(records);
  const held = sink.size;
  sink.end(end);
  expect(out.length).toBe(1);
  return { held, text: out.join(''), envelope: JSON.parse(out.join('')) };
}

describe('an envelope', () => {
  test('holds the text form, the JSON form and what stands around them, in order', () => {
    const { envelope } = envelopeOf('ls', [{ path: '/d/a' }], { count: 1, truncated: false });

    expect(envelope).toEqual({
      action: 'list_files',
      status: 'ok',
      content: '/d/a\n',
      result: { path: '/d/', entries: [{ path: '/d/a' }], count: 1, truncated: false },
      sequential: true,
      prompt: null,
      payload: {},
    });
    expect(Object.keys(envelope)).toEqual(['action', 'status', 'content', 'result', 'sequential', 'prompt', 'payload']);
  });

  test('shows relative paths in the text alone', () => {
    const { envelope } = envelopeOf('ls', [{ path: '/d/a' }], { count: 1, truncated: false }, true);

    expect([envelope.content, envelope.result.entries[0].path]).toEqual(['a\n', '/d/a']);
  });

  test('says in both forms that there is more', () => {
    const { envelope } = envelopeOf('ls', [{ path: '/d/a' }], {
      count: 1,
      truncated: true,
      truncated_by: 'maxResults',
    });

    expect(envelope.content).toMatch(/^\/d\/a\n\[Truncated: .*\]\n$/);
    expect(envelope.result).toMatchObject({ truncated: true, truncated_by: 'maxResults' });
  });

  test('of a file holds its text twice, as it stands', () => {
    const { envelope } = envelopeOf('read', [{ text: 'a"\n\u2028' }, { text: '\ud83d\ude00' }], { truncated: false });

    expect([envelope.content, envelope.result.content]).toEqual(['a"\n\u2028😀', 'a"\n\u2028😀']);
  });

  test('counts what it holds in both forms', () => {
    const { held } = envelopeOf('ls', [{ path: '/d/a' }], { count: 1, truncated: false });

    expect(held).toBe('{"path":"/d/a"}'.length + '/d/a\n'.length);
  });
});
