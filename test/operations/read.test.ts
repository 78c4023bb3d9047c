import { describe, expect, test } from 'vitest';
import { runnerOn } from '../helpers/operations.ts';

const MODIFIED = new Date('2026-07-24T10:30:00Z');
const three = { a: 'one\ntwo\r\nthree\n' };

describe('the reply', () => {
  test('of a whole file holds its text and what there is to know of it', async () => {
    const { read } = runnerOn({ 'd/a': { content: 'été\n', mtime: MODIFIED } });

    expect(await read({ path: 'd/a' })).toEqual({
      path: '/d/a',
      content: 'été\n',
      encoding: 'utf-8',
      start_line: 1,
      end_line: 1,
      total_lines: 1,
      size: 6,
      modified_at: '2026-07-24T10:30:00Z',
      truncated: false,
    });
  });

  test('of an empty file is a success', async () => {
    expect(await runnerOn({ a: { content: '', mtime: MODIFIED } }).read({ path: 'a' })).toEqual({
      path: '/a',
      content: '',
      encoding: 'utf-8',
      start_line: 0,
      end_line: 0,
      total_lines: 0,
      size: 0,
      modified_at: '2026-07-24T10:30:00Z',
      truncated: false,
    });
  });
});

describe('content', () => {
  test.each([
    ['line feeds', 'a\nb\n', 2],
    ['no final line feed', 'a\nb', 2],
    ['CRLF', 'a\r\nb\r\n', 2],
    ['lone CRs, form feeds and U+2028, which end no line', 'a\rb\fc\u2028d\u0085e\n', 1],
    ['blank lines at its ends', '\n\na\n\n', 4],
    ['a line feed alone', '\n', 1],
    ['a NUL beyond the first 8 KiB', `${'x'.repeat(8192)}\0\n`, 1],
    ['a U+FEFF inside', 'a\ufeffb\n\ufeff', 2],
    ['astral characters', '😀\n𝒳', 2],
  ])('is what the file holds, unchanged: %s', async (_, content, lines) => {
    expect(await runnerOn({ a: content }).read({ path: 'a' })).toMatchObject({
      content,
      total_lines: lines,
      end_line: lines,
      truncated: false,
    });
  });

  test('is that of a file of many chunks', async () => {
    const content = Array.from({ length: 30_000 }, (_, at) => `line ${at} é😀\n`).join('');

    expect((await runnerOn({ a: content }).read({ path: 'a' })).content === content).toBe(true);
  });
});

describe('a range of lines', () => {
  test.each([
    [{}, 'one\ntwo\r\nthree\n', 1, 3, undefined],
    [{ startLine: 2 }, 'two\r\nthree\n', 2, 3, undefined],
    [{ startLine: 2, endLine: 2 }, 'two\r\n', 2, 2, { startLine: 3 }],
    [{ endLine: 1 }, 'one\n', 1, 1, { startLine: 2 }],
    [{ endLine: 3 }, 'one\ntwo\r\nthree\n', 1, 3, undefined],
    [{ endLine: 99 }, 'one\ntwo\r\nthree\n', 1, 3, undefined],
    [{ startLine: 3, endLine: 0 }, 'three\n', 3, 3, undefined],
    [{ startLine: 3, endLine: 99 }, 'three\n', 3, 3, undefined],
  ])('%j is from and to whole lines, and never truncated', async (range, content, startLine, endLine, next) => {
    const reply = await runnerOn(three).read({ path: 'a', ...range });

    expect(reply).toMatchObject({
      content,
      start_line: startLine,
      end_line: endLine,
      total_lines: 3,
      truncated: false,
    });
    expect(reply.next).toEqual(next);
  });

  test.each([
    ['a\nb\n', 3, 2],
    ['a\nb', 3, 2],
    ['a\nb\n', 99, 2],
    ['', 2, 0],
    ['\n', 2, 1],
    ['\ufeff', 2, 0],
  ])(
    'that begins past the end of %j is refused, at line %i, with the number of lines',
    async (content, startLine, lines) => {
      await expect(runnerOn({ a: content }).read({ path: 'a', startLine })).rejects.toMatchObject({
        code: 'RANGE_PAST_END',
        statusCode: 416,
        members: { total_lines: lines },
      });
    },
  );

  test('that ends before it begins is refused', async () => {
    await expect(runnerOn(three).read({ path: 'a', startLine: 3, endLine: 2 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      members: { errors: [{ pointer: '#/endLine' }] },
    });
  });

  test('far in is the same as from a slice', async () => {
    const lines = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\n`);

    const reply = await runnerOn({ a: lines.join('') }).read({ path: 'a', startLine: 299_990, endLine: 299_992 });

    expect([reply.content, reply.total_lines]).toEqual(['299990\n299991\n299992\n', 300_000]);
  });
});

describe('startColumn', () => {
  const lines = { a: 'aé😀b\nsecond\n' };

  test.each([
    [1, 'aé😀b\nsecond\n'],
    [2, 'é😀b\nsecond\n'],
    [3, '😀b\nsecond\n'],
    [4, 'b\nsecond\n'],
    [5, '\nsecond\n'],
  ])('%i begins at that character of the line', async (startColumn, content) => {
    expect((await runnerOn(lines).read({ path: 'a', startColumn })).content).toBe(content);
  });

  test('counts in startLine', async () => {
    const reply = await runnerOn(lines).read({ path: 'a', startLine: 2, startColumn: 4 });

    expect(reply).toMatchObject({ content: 'ond\n', start_line: 2, end_line: 2 });
  });

  test.each([
    [1, 6],
    [1, 99],
    [2, 8],
  ])('past the end of line %i, at %i, is refused', async (startLine, startColumn) => {
    await expect(runnerOn(lines).read({ path: 'a', startLine, startColumn })).rejects.toMatchObject({
      code: 'RANGE_PAST_END',
    });
  });

  test('reaches far into a line of many chunks', async () => {
    const { read } = runnerOn({ a: `${'é'.repeat(300_000)}end\n` });

    expect((await read({ path: 'a', startColumn: 300_001 })).content).toBe('end\n');
  });
});

describe('lineNumbers', () => {
  test('stand before each line, with a tab', async () => {
    expect((await runnerOn(three).read({ path: 'a', lineNumbers: true })).content).toBe(
      '     1\tone\n     2\ttwo\r\n     3\tthree\n',
    );
  });

  test('are those of the file, and count for maxBytes', async () => {
    const reply = await runnerOn(three).read({ path: 'a', startLine: 2, lineNumbers: true, maxBytes: 20 });

    expect(reply).toMatchObject({
      content: '     2\ttwo\r\n     3\tt',
      truncated: true,
      next: { startLine: 3, startColumn: 2 },
    });
  });

  test('do not make a last line longer than it is', async () => {
    expect((await runnerOn({ a: 'x\ny' }).read({ path: 'a', lineNumbers: true })).content).toBe('     1\tx\n     2\ty');
  });

  test('stand before a line once, however long it is', async () => {
    const { content } = await runnerOn({ a: `${'x'.repeat(200_000)}\ny\n` }).read({ path: 'a', lineNumbers: true });

    expect(content.match(/ *\d+\t/g)).toEqual(['     1\t', '     2\t']);
  });

  test('of an empty file are none', async () => {
    expect((await runnerOn({ a: '' }).read({ path: 'a', lineNumbers: true })).content).toBe('');
  });
});

describe('base64', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

  test('is the bytes of any file', async () => {
    const reply = await runnerOn({ a: { content: bytes, mtime: MODIFIED } }).read({ path: 'a', as: 'base64' });

    expect(reply).toEqual({
      path: '/a',
      content: bytes.toString('base64'),
      encoding: 'base64',
      size: 256,
      modified_at: '2026-07-24T10:30:00Z',
      truncated: false,
    });
  });

  test('keeps a byte order mark', async () => {
    expect((await runnerOn({ a: '\ufeffx' }).read({ path: 'a', as: 'base64' })).content).toBe('77u/eA==');
  });

  test('begins at startByte', async () => {
    const { content } = await runnerOn({ a: bytes }).read({ path: 'a', as: 'base64', startByte: 250 });

    expect(Buffer.from(content, 'base64')).toEqual(bytes.subarray(250));
  });

  test.each([
    [4, 3],
    [8, 6],
    [9, 6],
    [344, 256],
    [400, 256],
  ])('of at most %i characters is of %i bytes', async (maxBytes, count) => {
    const reply = await runnerOn({ a: bytes }).read({ path: 'a', as: 'base64', maxBytes });

    expect(Buffer.from(reply.content, 'base64')).toEqual(bytes.subarray(0, count));
    expect([reply.truncated, reply.truncated_by, reply.next]).toEqual(
      count === 256 ? [false, undefined, undefined] : [true, 'maxBytes', { startByte: count }],
    );
  });

  test.each([256, 999])('from byte %i of 256 is refused', async (startByte) => {
    await expect(runnerOn({ a: bytes }).read({ path: 'a', as: 'base64', startByte })).rejects.toMatchObject({
      code: 'RANGE_PAST_END',
    });
  });

  test('of an empty file is empty', async () => {
    expect(await runnerOn({ a: '' }).read({ path: 'a', as: 'base64' })).toMatchObject({
      content: '',
      truncated: false,
    });
  });

  test.each([
    [{ as: 'base64', startLine: 2 }, 'as'],
    [{ as: 'base64', endLine: 2 }, 'as'],
    [{ as: 'base64', startColumn: 2 }, 'as'],
    [{ startByte: 1 }, 'startByte'],
  ])('takes no lines, and text no bytes: %j', async (fields, field) => {
    await expect(runnerOn({ a: 'x' }).read({ path: 'a', ...fields })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      members: { errors: [{ pointer: `#/${field}` }] },
    });
  });
});

test('what is no regular file is refused at once', async () => {
  const { read } = runnerOn({ 'd/x': '', pipe: { fifo: true } });

  await expect(read({ path: 'd' })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  await expect(read({ path: 'pipe' })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});

test('as text, a file is what it holds, and a bracket when there is more', async () => {
  const { run } = runnerOn(three);

  expect(await run('read', { path: 'a' }, { form: 'text' })).toBe(three.a);
  expect(await run('read', { path: 'a', maxBytes: 6 }, { form: 'text' })).toBe(
    'one\ntw\n[Truncated: there is more. Go on with startLine=2 and startColumn=3.]\n',
  );
});
