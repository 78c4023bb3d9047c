import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reply, runnerOn } from '../helpers/operations.ts';
import { planter } from '../helpers/planter.ts';

type Read = (fields: Record<string, unknown>) => Promise<Reply>;

/** Reads one file after the other in one workspace. */
function reader(): (content: string | Buffer) => Read {
  const { plantRun, read } = planter();
  return (content) => {
    const path = `${plantRun({ a: content })}/a`;
    return (fields) => read({ path, ...fields });
  };
}

/** The contents that following `next` gives, from `fields` on. */
async function chain(read: Read, fields: Record<string, unknown>): Promise<Reply[]> {
  const replies = [await read(fields)];
  for (let next = replies[0].next; next !== undefined; next = replies.at(-1)?.next) {
    expect(replies.at(-1)?.content).not.toBe('');
    replies.push(await read({ ...fields, ...next }));
  }
  return replies;
}

const joined = (replies: Reply[]) => replies.map(({ content }) => content).join('');

describe('maxBytes', () => {
  const content = 'aé漢😀\nb\n';

  test.each([
    [1, 'a', { startLine: 1, startColumn: 2 }],
    [2, 'a', { startLine: 1, startColumn: 2 }],
    [3, 'aé', { startLine: 1, startColumn: 3 }],
    [5, 'aé', { startLine: 1, startColumn: 3 }],
    [6, 'aé漢', { startLine: 1, startColumn: 4 }],
    [9, 'aé漢', { startLine: 1, startColumn: 4 }],
    [10, 'aé漢😀', { startLine: 1, startColumn: 5 }],
    [11, 'aé漢😀\n', { startLine: 2 }],
    [12, 'aé漢😀\nb', { startLine: 2, startColumn: 2 }],
  ])('%i cuts between characters', async (maxBytes, text, next) => {
    expect(await runnerOn({ a: content }).read({ path: 'a', maxBytes })).toMatchObject({
      content: text,
      truncated: true,
      truncated_by: 'maxBytes',
      next,
      total_lines: 2,
    });
  });

  test.each([13, 14, 1000])('%i that is enough cuts nothing', async (maxBytes) => {
    const reply = await runnerOn({ a: content }).read({ path: 'a', maxBytes });

    expect([reply.content, reply.truncated, 'next' in reply, 'truncated_by' in reply]).toEqual([
      content,
      false,
      false,
      false,
    ]);
  });

  test('that is exactly enough for a range leaves it whole', async () => {
    expect(await runnerOn({ a: content }).read({ path: 'a', endLine: 1, maxBytes: 11 })).toMatchObject({
      truncated: false,
      next: { startLine: 2 },
    });
  });

  test('counts bytes of UTF-8 whatever the encoding of the file', async () => {
    const { read } = runnerOn({ a: Buffer.from('\ufeff漢漢漢', 'utf16le') });

    expect((await read({ path: 'a', maxBytes: 8 })).content).toBe('漢漢');
  });

  test.each([
    [0, 'limit'],
    [5, 'maxBytes'],
    [20, 'limit'],
  ])("is at most the server's cap, which is told of when it cuts: %i", async (maxBytes, by) => {
    const { read } = runnerOn({ a: 'x'.repeat(50) }, { maxReadBytes: 10 });

    for (const as of ['text', 'base64']) {
      const reply = await read({ path: 'a', maxBytes, as });
      expect([as, reply.truncated, reply.truncated_by, reply.content.length <= 10]).toEqual([as, true, by, true]);
    }
  });
});

describe('following next', () => {
  const piece = fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', '\r', '\u2028', '\ufffd', '\t', 'word '.repeat(9));
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
  // The largest character has four bytes; with less there may be no room for one.
  const room = fc.integer({ min: 4, max: 90 });

  // Each run writes a file and reads it many times.
  const COSTLY = { numRuns: 100 };

  test('gives a text file back', async () => {
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(text, room, async (content, maxBytes) => {
        const replies = await chain(readerOf(content), { maxBytes });
        expect(joined(replies)).toBe(content);
        expect(replies.every((reply) => Buffer.byteLength(reply.content) <= maxBytes)).toBe(true);
      }),
      COSTLY,
    );
  });

  test.each([
    ['utf-16le', 'with a mark', (content: string) => Buffer.from(`\ufeff${content}`, 'utf16le'), 'utf-8'],
    ['utf-16le', 'without', (content: string) => Buffer.from(content, 'utf16le'), 'utf-16le'],
    ['utf-16be', 'without', (content: string) => Buffer.from(content, 'utf16le').swap16(), 'utf-16be'],
    ['utf-8', 'with a mark', (content: string) => Buffer.from(`\ufeff${content}`), 'utf-8'],
  ] as const)('gives a file in %s %s back', async (_, __, encode, encoding) => {
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(text, room, async (content, maxBytes) => {
        const read = readerOf(encode(content));
        expect(joined(await chain(read, { maxBytes, encoding }))).toBe(content);
      }),
      COSTLY,
    );
  });

  test('gives a file in GBK back', async () => {
    const characters = fc.constantFrom(
      ['a', '61'],
      ['\n', '0a'],
      ['你', 'c4e3'],
      ['好', 'bac3'],
      ['€', '80'],
      ['\r\n', '0d0a'],
    );
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(fc.array(characters, { maxLength: 60 }), room, async (pairs, maxBytes) => {
        const read = readerOf(Buffer.from(pairs.map(([, bytes]) => bytes).join(''), 'hex'));
        const replies = await chain(read, { maxBytes, encoding: 'gbk' });
        expect(joined(replies)).toBe(pairs.map(([char]) => char).join(''));
      }),
      COSTLY,
    );
  });

  test('gives any bytes back in base64', async () => {
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), room, async (bytes, maxBytes) => {
        const read = readerOf(Buffer.from(bytes));
        const replies = await chain(read, { maxBytes, as: 'base64' });
        expect(Buffer.concat(replies.map(({ content }) => Buffer.from(content, 'base64')))).toEqual(Buffer.from(bytes));
        expect(replies.every(({ content }) => content.length <= maxBytes)).toBe(true);
      }),
      COSTLY,
    );
  });

  test('gives a range of lines back', async () => {
    const start = fc.integer({ min: 1, max: 4 });
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(text, room, start, start, async (content, maxBytes, from, more) => {
        const lines = content.split(/(?<=\n)/);
        fc.pre(from <= lines.length && content !== '');
        const read = readerOf(content);
        const replies = [await read({ maxBytes, startLine: from, endLine: from + more })];
        while (replies.at(-1)?.truncated) {
          replies.push(await read({ maxBytes, endLine: from + more, ...replies.at(-1)?.next }));
        }
        expect(joined(replies)).toBe(lines.slice(from - 1, from + more).join(''));
      }),
      COSTLY,
    );
  });

  test('gives a file with line numbers back, once a line or part of one has its number', async () => {
    const readerOf = reader();
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 12, max: 90 }), async (content, maxBytes) => {
        const replies = await chain(readerOf(content), { maxBytes, lineNumbers: true });
        const parts = replies.flatMap((reply) => reply.content.split(/(?<=\n)/));
        expect(parts.map((part: string) => part.slice(7)).join('')).toBe(content);
        expect(parts.every((part: string) => part === '' || /^ {5}\d\t|^ {4}\d\d\t/.test(part))).toBe(true);
      }),
      COSTLY,
    );
  });

  test('gives a file back that is longer than a chunk, in lines that are, too', async () => {
    const content = `${'é😀'.repeat(60_000)}\n${'x'.repeat(70_000)}\n${'short\n'.repeat(20_000)}`;
    const { read } = runnerOn({ a: content });

    expect(joined(await chain(read, { path: 'a', maxBytes: 65_537 })) === content).toBe(true);
  });
});
