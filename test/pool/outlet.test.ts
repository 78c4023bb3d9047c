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
  const out = new Outlet((bytes, isOpen, isLast) =>
    sent.push(`${Buffer.from(bytes)}${isOpen ? '…' : ''}${isLast ? '.' : ''}`),
  );
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

test('a flush is one piece, however much it is: nothing of others comes into a line', () => {
  const { out, sent } = outlet();
  const text = `${'漢'.repeat(100_000)}\ud800${'a'.repeat(300_000)}`;
  out.write(text);
  out.flush();

  expect(sent).toEqual([Buffer.from(text).toString()]);
});

describe('what may not be parted from what comes next', () => {
  test('is told so, and its end at once where others wait for it', () => {
    const { out, sent } = outlet();
    out.share();
    out.write('a');
    out.isOpen = true;
    out.flush();
    out.write('b');
    out.isOpen = false;
    out.write('c');
    out.isOpen = true;
    out.flush();
    out.isOpen = false;
    out.isOpen = false;

    expect(sent).toEqual(['a…', 'b', 'c…', '']);
  });

  test('is not told where there are no others, until there are', () => {
    const { out, sent } = outlet();
    out.write('a');
    out.isOpen = true;
    out.flush();
    out.isOpen = false;
    expect(sent).toEqual(['a…']);
    out.share();
    expect(sent).toEqual(['a…', '']);
  });
});

describe('what is left at the end', () => {
  test('is the last of a reply', () => {
    const { out, sent } = outlet();
    out.write('a');
    out.flush();
    out.write('b');
    out.end();

    expect(sent).toEqual(['a', 'b.']);
  });

  test('is not where others add to the same reply', () => {
    const { out, sent } = outlet();
    out.share();
    out.write('a');
    out.end();

    expect(sent).toEqual(['a']);
  });
});
