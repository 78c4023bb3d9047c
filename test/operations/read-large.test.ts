import { describe, expect, test } from 'vitest';
import { runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { plantSparse } from '../helpers/sparse.ts';

const MIB = 1024 * 1024;
const LINES = 3000;

/** A file of 3,000 lines and then one long one of NULs, which end no line. */
function readerOf(size: number, { maxReadBytes = MIB } = {}) {
  const root = plantSparse({ big: 'line\n'.repeat(LINES) }, { big: size });
  return runnerOf(workspaceAt(root, { maxReadBytes })).read;
}

describe('a file over 64 MiB', () => {
  const size = 64 * MIB + 1;

  test('is read without its lines being counted', async () => {
    expect(await readerOf(size)({ path: 'big', startLine: 2, endLine: 3 })).toMatchObject({
      content: 'line\nline\n',
      start_line: 2,
      end_line: 3,
      total_lines: null,
      size,
      truncated: false,
      next: { startLine: 4 },
    });
  });

  test('has a number of lines when its last one was asked for', async () => {
    const reply = await readerOf(size, { maxReadBytes: 128 * MIB })({ path: 'big', startLine: LINES + 1 });

    expect([reply.content.length, reply.total_lines, reply.truncated]).toEqual([size - 5 * LINES, LINES + 1, false]);
  });

  test('has no number of lines when the last one was cut', async () => {
    expect(await readerOf(size)({ path: 'big', startLine: LINES + 1, maxBytes: 10 })).toMatchObject({
      total_lines: null,
      truncated: true,
      truncated_by: 'maxBytes',
      next: { startLine: LINES + 1, startColumn: 11 },
    });
  });

  test('that has no such line is read to its end to tell so', async () => {
    await expect(readerOf(size)({ path: 'big', startLine: LINES + 2 })).rejects.toMatchObject({
      code: 'RANGE_PAST_END',
      members: { total_lines: LINES + 1 },
    });
  });
});

test('files that are read at the same time do not get into each other', async () => {
  const files = ['a', 'b', 'c', 'd'];
  const lineOf = (name: string) => `${name.repeat(99)}\n`;
  const { read } = runnerOn(Object.fromEntries(files.map((name) => [name, lineOf(name).repeat(30_000)])));
  const replies = await Promise.all(files.map((path) => read({ path, startLine: 25_000, endLine: 25_001 })));

  expect(replies.map(({ content }) => content)).toEqual(files.map((name) => lineOf(name).repeat(2)));
});

test('a file of 64 MiB has its lines counted', async () => {
  expect(await readerOf(64 * MIB)({ path: 'big', endLine: 1 })).toMatchObject({
    content: 'line\n',
    total_lines: LINES + 1,
  });
});

test('a file of 16 GiB is read from the start, and by bytes from anywhere', async () => {
  const read = readerOf(16 * 1024 * MIB);

  expect((await read({ path: 'big', endLine: 1 })).content).toBe('line\n');
  expect(await read({ path: 'big', as: 'base64', startByte: 16 * 1024 * MIB - 3 })).toMatchObject({
    content: 'AAAA',
    truncated: false,
  });
});
