import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { descriptorsOf, hasProc, peakMemoryOf } from '../helpers/proc.ts';
import { type Service, start } from '../helpers/process.ts';
import { plantSparse } from '../helpers/sparse.ts';
import { plant } from '../helpers/tree.ts';

const TERABYTE = 2 ** 40;
const MIB = 1024 * 1024;

/** A root with what is no regular file, and links to devices. */
async function plantSpecial(): Promise<string> {
  const root = plant({
    'a.txt': 'needle\n',
    'd/fifo': { fifo: true },
    null: { linkTo: '/dev/null' },
    zero: { linkTo: '/dev/zero' },
    tty: { linkTo: '/dev/tty' },
    'to-fifo': { linkTo: 'd/fifo' },
  });
  const server = createServer();
  await new Promise<void>((listening) => server.listen(join(root, 'd/socket'), listening));
  onTestFinished(() => {
    server.close();
  });
  return root;
}

describe('fifty reads at once', () => {
  const paths = ['d/fifo', 'd/socket', 'null', 'zero', 'tty', 'to-fifo', 'd'];
  const asked = ['/read', '/read/raw', '/read/stream', '/grep'].flatMap((route) =>
    paths.map((path) => ({
      route,
      url: `${route}?path=${path}${route === '/grep' ? '&pattern=x&includeGlob=fifo' : ''}`,
    })),
  );

  it('of what is no file are refused at once, and the service goes on with nothing left open', async () => {
    const service = await start(await plantSpecial(), { args: ['--timeout-ms', '5000'] });
    const before = await settled(service);
    const round = Array.from({ length: 50 }, (_, at) => asked[at % asked.length]?.url ?? '');
    const answers = await Promise.all(round.map((url) => service.ask(url)));
    const codes = new Set(answers.map(({ status, json }) => (status === 200 ? 'searched' : json().code)));
    expect([...codes].sort()).toEqual(['NOT_A_FILE', 'PATH_OUTSIDE_ROOT', 'searched']);
    const found = await service.ask('/grep?pattern=needle');
    expect(found.json()).toMatchObject({ count: 1, matches: [{ path: '/a.txt' }] });
    if (hasProc) await vi.waitUntil(() => descriptorsOf(service.pid) <= before, { timeout: 5000 });
  });
});

describe('a file of a terabyte that is all holes', () => {
  it('is read up to the most that a read gives, listed, and not searched, in little memory', async () => {
    const root = plantSparse({ 'a.txt': 'needle\n', huge: '' }, { huge: TERABYTE });
    const service = await start(root, { args: ['--max-read-bytes', String(MIB)] });
    const replies = [
      await service.ask('/read?path=huge&as=base64'),
      await service.ask('/read?path=huge&encoding=utf-16le'),
      await service.ask('/read?path=huge'),
      await service.ask('/grep?pattern=needle'),
      await service.ask('/grep?pattern=n[e]edle&isRegex=true'),
      await service.ask('/ls'),
    ].map((answer) => answer.json());
    expect(replies).toMatchObject([
      { truncated: true, truncated_by: 'limit', size: TERABYTE },
      { truncated: true, truncated_by: 'limit', size: TERABYTE, total_lines: null },
      { code: 'FILE_IS_BINARY' },
      { count: 1, skipped: { too_large: 1 } },
      { count: 1, skipped: { too_large: 1 } },
      { count: 2 },
    ]);
    if (hasProc) expect(peakMemoryOf(service.pid)).toBeLessThan(512 * MIB);
  });

  it('gives its last bytes, raw, without what lies before them', async () => {
    const service = await start(plantSparse({ huge: '' }, { huge: TERABYTE }));
    const reply = await service.ask('/read/raw?path=huge', { headers: { range: 'bytes=-3' } });
    expect([reply.status, reply.body, reply.headers['content-range']]).toEqual([
      206,
      '\0\0\0',
      `bytes ${TERABYTE - 3}-${TERABYTE - 1}/${TERABYTE}`,
    ]);
  });

  it('ends to be sent when its caller goes away', async () => {
    const service = await start(plantSparse({ huge: '' }, { huge: TERABYTE }));
    const before = await settled(service);
    const reply = await service.open('/read/raw?path=huge');
    reply.destroy();
    if (hasProc) await vi.waitUntil(() => descriptorsOf(service.pid) <= before, { timeout: 5000 });
    expect((await service.ask('/ls')).status).toBe(200);
  });
});

/** The descriptors of a service that has answered once and has nothing more to do. */
async function settled(service: Service): Promise<number> {
  await service.ask('/ls');
  await service.ask('/grep?pattern=none');
  return hasProc ? descriptorsOf(service.pid) : 0;
}
