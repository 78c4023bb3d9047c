import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Outlet } from '../../src/pool/outlet.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function outlet() {
  const sent: string[] = [];
  const out = new Outlet((bytes) => sent.push(Buffer.from(bytes).toString()));
  return { out, sent };
}

describe('what is written', () => {
  test('waits for the first flush, so that a failure before it has a status of its own', () => {
    const { out, sent } = outlet();
    out.write('begin');
    vi.advanceTimersByTime(60_000);

    expect([out.hasStarted, sent]).toEqual([false, []]);
  });

  test('after that goes out in a moment, though nothing follows it', () => {
    const { out, sent } = outlet();
    out.write('begin');
    out.flush();
    out.write('a');
    out.flushIfDue();
    vi.advanceTimersByTime(5);
    const early = [...sent];
    out.write('b');
    vi.advanceTimersByTime(15);

    expect([early, sent]).toEqual([['begin'], ['begin', 'ab']]);
  });

  test('does not go out once it is closed', () => {
    const { out, sent } = outlet();
    out.write('begin');
    out.flush();
    out.write('a');
    out.close();
    vi.advanceTimersByTime(60_000);

    expect(sent).toEqual(['begin']);
  });
});
