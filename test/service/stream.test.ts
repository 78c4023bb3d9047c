import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesReadBy, hasProc, peakMemoryOf } from '../helpers/proc.ts';
import { firstRecordOf, start } from '../helpers/process.ts';
import { HITS, manyHits, RECORD_BYTES } from '../helpers/searches.ts';
import { plant } from '../helpers/tree.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** For what is a lot to read. */
const TIMEOUT = 120_000;

describe('a stream', () => {
  it('gives its first record while the search goes on', async () => {
    const service = await start(manyHits(200_000));
    const reply = await service.open('/grep/stream?pattern=hit', { headers: { 'x-request-id': 'the-stream' } });
    const begun = await firstRecordOf(reply);
    expect(begun).toMatch(/^\{"type":"begin".*\n\{"type":"match"/);
    expect(begun).not.toContain('"type":"end"');
    expect(service.log.lines.filter(({ reqId }) => reqId === 'the-stream')).toEqual([]);
    reply.destroy();
  });

  it('has no cap', async () => {
    const service = await start(manyHits(30_000), { args: ['--max-results', '100'] });
    const { data, type } = await lastLineOf(await service.open('/grep/stream?pattern=hit'));
    expect([type, data['count'], data['truncated']]).toEqual(['end', 30_000, false]);
  });

  it('in any order holds what one in order does, and ends the same', async () => {
    const folders = Array.from({ length: 400 }, (_, at) => [`d${at % 20}/e${at}/a.ts`, `d${at % 20}/e${at}/dist/b`]);
    const service = await start(plant(Object.fromEntries(folders.flat().map((path) => [path, '']))));
    const linesOf = async (sort: string) => {
      const { body } = await service.ask(`/glob/stream?pattern=**/*.ts&sort=${sort}`);
      const [begin, ...rest] = body.trimEnd().split('\n');
      return [begin, ...rest.slice(0, -1).sort(), rest.at(-1)?.replace(/"elapsed_ms":\d+/, '')];
    };
    expect(await linesOf('none')).toEqual(await linesOf('path'));
  });

  it('in any order keeps the lines of a file together, whole and in order', { timeout: TIMEOUT }, async () => {
    const lines = Array.from({ length: 150 }, (_, at) => `needle ${at} ${'漢'.repeat(300)}`).join('\n');
    const paths = Array.from({ length: 300 }, (_, at) => `d${at}/f`);
    const service = await start(plant(Object.fromEntries(paths.map((path) => [path, lines]))));
    const { body } = await service.ask('/grep/stream?pattern=needle&sort=none');
    const records = body.trimEnd().split('\n').slice(1, -1);
    const places = records.map((line) => JSON.parse(line).data).map((data) => [data.path, data.line]);
    const expected = [...new Set(places.map(([path]) => path))].flatMap((path) =>
      Array.from({ length: 150 }, (_, at) => [path, at + 1]),
    );
    expect(places.length).toBe(300 * 150);
    expect(places).toEqual(expected);
  });

  it('that is read slower than its time allows ends with what was found and says so', async () => {
    const service = await start(manyHits(400_000));
    const reply = await service.open('/grep/stream?pattern=hit&timeoutMs=300');
    const { data, type } = await lastLineOf(reply);
    expect([type, data['truncated'], data['truncated_by']]).toEqual(['end', true, 'timeout']);
    expect(data['count']).toBeGreaterThan(0);
  });

  // Another caller reads all of the same search meanwhile: by then the first one's would have been made, too.
  it.skipIf(!hasProc).each(Object.entries(HITS))(
    'that nobody reads is not made, and takes no memory, by %s (skipped without /proc)',
    async (_, query) => {
      const records = 200_000;
      const service = await start(manyHits(records));
      await lastLineOf(await service.open(`/grep/stream?${query}&maxResults=10`));
      const before = peakMemoryOf(service.pid);
      const unread = await service.open(`/grep/stream?${query}`);
      await firstRecordOf(unread);
      const { data } = await lastLineOf(await service.open(`/grep/stream?${query}`));
      expect(data['count']).toBe(records);
      expect(peakMemoryOf(service.pid) - before).toBeLessThan((records * RECORD_BYTES) / 2);
      unread.destroy();
    },
    TIMEOUT,
  );
});

describe.skipIf(!hasProc)('a file of a gigabyte (skipped without /proc)', () => {
  /** Some lines, and then a hole up to a gigabyte. */
  function large(): string {
    const root = plant({});
    const file = openSync(join(root, 'large.txt'), 'w');
    writeSync(
      file,
      Array.from({ length: 100 }, (_, at) => `line ${at + 1}\n`)
        .join('')
        .padEnd(16 * 1024, 'x'),
    );
    ftruncateSync(file, GIB);
    closeSync(file);
    return root;
  }

  it.each(['application/json', 'text/plain', 'application/x-ndjson'])(
    'gives lines 10 to 40 for the price of those lines, as %s',
    async (accept) => {
      const service = await start(large());
      await service.ask('/read?path=large.txt&startLine=1&endLine=1', { headers: { accept } });
      const before = bytesReadBy(service.pid);
      const answer = await service.ask('/read?path=large.txt&startLine=10&endLine=40', { headers: { accept } });
      expect(answer.body.match(/line \d+/g)).toEqual(Array.from({ length: 31 }, (_, at) => `line ${at + 10}`));
      expect(bytesReadBy(service.pid) - before).toBeLessThan(4 * MIB);
    },
  );

  it('is not read through to count its lines', async () => {
    const service = await start(large());
    const answer = (await service.ask('/read?path=large.txt&startLine=10&endLine=40')).json();
    expect(answer).toMatchObject({ total_lines: null, size: GIB, next: { startLine: 41 }, truncated: false });
  });

  it('is sent as it is in flat memory', { timeout: TIMEOUT }, async () => {
    const service = await start(large());
    await service.ask('/read/raw?path=large.txt', { headers: { range: 'bytes=0-9' } });
    const before = peakMemoryOf(service.pid);
    const reply = await service.open('/read/raw?path=large.txt');
    let bytes = 0;
    reply.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(reply, 'end');
    expect(bytes).toBe(GIB);
    expect(peakMemoryOf(service.pid) - before).toBeLessThan(256 * MIB);
  });
});

/** Reads an NDJSON reply to its end, and keeps only its last line. */
async function lastLineOf(reply: IncomingMessage): Promise<{ type: string; data: Record<string, unknown> }> {
  let tail = '';
  for await (const chunk of reply) {
    const text: string = tail + chunk;
    tail = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  }
  return JSON.parse(tail);
}
