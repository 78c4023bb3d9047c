import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { childrenOf, descriptorsOf, hasProc } from '../helpers/proc.ts';
import { firstRecordOf, start } from '../helpers/process.ts';
import { ABSENT, HITS, manyHits, slowSearch } from '../helpers/searches.ts';
import { plant } from '../helpers/tree.ts';

/** With a concurrency of 1 one search runs and eight may wait. */
const ONE = { args: ['--concurrency', '1'] };
const WAITING = 8;
const SECONDS = { timeout: 10_000, interval: 20 };

describe('too many searches at once', () => {
  it('are told to come back later, when one more comes than may wait, and are served again afterwards', async () => {
    const service = await start(manyHits(200_000), ONE);
    const held = await service.open('/grep/stream?pattern=hit');
    await firstRecordOf(held);
    const searches = Array.from({ length: WAITING + 1 }, () => service.ask('/find?pattern=small.txt'));
    const refused = await Promise.race(searches);
    held.destroy();
    const served = (await Promise.all(searches)).filter((answer) => answer !== refused);
    expect([
      refused.status,
      refused.json().code,
      refused.headers['content-type'],
      refused.headers['retry-after'],
    ]).toEqual([503, 'BUSY', expect.stringMatching(/^application\/problem\+json\b/), expect.stringMatching(/^\d+$/)]);
    expect(served.map(({ status }) => status)).toEqual(Array.from({ length: WAITING }, () => 200));
    expect((await service.ask('/find?pattern=small.txt')).json().count).toBe(1);
  });

  it('may be let wait in another number, or not at all', async () => {
    const service = await start(manyHits(200_000), { args: ['--concurrency', '1', '--max-waiting', '0'] });
    const held = await service.open('/grep/stream?pattern=hit');
    await firstRecordOf(held);
    const refused = await service.ask('/find?pattern=small.txt');
    held.destroy();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  });

  it.each(['/find/stream?pattern=x', '/glob?pattern=x', '/ls?recursive=true'])(
    'leave no place for %s either, whatever its form',
    async (path) => {
      const service = await start(manyHits(200_000), ONE);
      const held = await service.open('/grep/stream?pattern=hit');
      await firstRecordOf(held);
      const searches = Array.from({ length: WAITING + 1 }, () => service.ask(path));
      expect((await Promise.race(searches)).status).toBe(503);
      held.destroy();
      await Promise.all(searches);
    },
  );

  it('do not keep what is no search from being answered', async () => {
    const service = await start(manyHits(200_000), ONE);
    const held = await service.open('/grep/stream?pattern=hit');
    await firstRecordOf(held);
    const waiting = Array.from({ length: WAITING + 1 }, () => service.ask('/find?pattern=x'));
    await Promise.race(waiting);
    const paths = ['/healthz', '/readyz', '/ls', '/read?path=small.txt', '/read/raw?path=small.txt', '/openapi.json'];
    const answers = await Promise.all([...paths, '/find?pattern=x&recursive=false'].map((path) => service.ask(path)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    held.destroy();
    await Promise.all(waiting);
  });
});

describe.each(Object.entries(ABSENT))('a search that takes long, by %s', (_, query) => {
  it('does not keep the health routes from being answered', async () => {
    const service = await start(slowSearch(), { args: ['--timeout-ms', '20000'] });
    const ended: string[] = [];
    const gone = new AbortController();
    const search = service
      .ask(`/grep?${query}`, { signal: gone.signal })
      .catch(() => undefined)
      .then(() => ended.push('search'));
    for (const path of ['/healthz', '/readyz', '/livez']) ended.push((await service.ask(path)).json().status);
    gone.abort();
    await search;
    expect(ended).toEqual(['ok', 'ready', 'ok', 'search']);
  });

  it('does not keep other callers from searching', async () => {
    const service = await start(slowSearch(), { args: ['--timeout-ms', '20000'] });
    const gone = new AbortController();
    let isUnderWay = true;
    const search = service
      .ask(`/grep?${query}`, { signal: gone.signal })
      .catch(() => undefined)
      .then(() => {
        isUnderWay = false;
      });
    const other = await service.ask('/grep?pattern=small&path=small.txt');
    expect([other.json().count, isUnderWay]).toEqual([1, true]);
    gone.abort();
    await search;
  });
});

describe.skipIf(!hasProc)('few descriptors (skipped without /proc)', () => {
  /** Files that the sieve lets pass. */
  const many = Object.fromEntries(Array.from({ length: 800 }, (_, at) => [`${at % 20}/${at}`, 'hit\n']));
  const REGEX = '/grep?pattern=h[i]t&isRegex=true&output=files';

  it('are enough for all searches at once', { timeout: 120_000 }, async () => {
    const service = await start(plant(many), { descriptors: 1024 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.ask(REGEX)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map((answer) => answer.json().count)).toEqual(answers.map(() => 800));
  });

  it('that are nearly all taken make a search come back later, and none is lost', { timeout: 60_000 }, async () => {
    const limit = 512;
    const service = await start(plant({ a: 'hit\n' }), { descriptors: limit });
    const ask = () => service.ask('/grep?path=a&pattern=h[i]t&isRegex=true');
    await ask();
    const idle = descriptorsOf(service.pid);
    const held: Socket[] = [];
    const statuses: number[] = [];
    // Connections are taken in their order: when a request is answered, those before it are held.
    for (let left = 24; left >= 6; left -= 1) {
      while (held.length < limit - idle - left) held.push(await service.connect());
      statuses.push((await ask()).status);
    }
    for (const socket of held) socket.destroy();
    await vi.waitUntil(() => descriptorsOf(service.pid) <= idle, SECONDS);
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    expect((await ask()).status).toBe(200);
  });
});

describe.skipIf(!hasProc)('a search whose process somebody kills (skipped without /proc)', () => {
  /** Kills each process that the service has started, as soon as there is one. */
  async function killSearchOf(pid: number): Promise<void> {
    const children = await vi.waitUntil(() => {
      const found = childrenOf(pid);
      return found.length === 0 ? undefined : found;
    }, SECONDS);
    for (const child of children) process.kill(child, 'SIGKILL');
  }

  it.each([
    ['JSON', 'application/json'],
    ['text', 'text/plain'],
    ['a stream without a record yet', 'application/x-ndjson'],
  ])('is a 503 in %s, and no short answer', async (_, accept) => {
    const service = await start(slowSearch(1));
    const search = service.ask(`/grep?${ABSENT.ripgrep}`, { headers: { accept } });
    await killSearchOf(service.pid);
    const answer = await search;
    expect([answer.status, answer.json().code, answer.headers['retry-after']]).toEqual([503, 'BUSY', '1']);
  });

  it('is an error as the last line of a stream that has begun, and no end', async () => {
    const service = await start(manyHits(200_000));
    const reply = await service.open(`/grep/stream?${HITS.ripgrep}`);
    await firstRecordOf(reply);
    await killSearchOf(service.pid);
    let rest = '';
    for await (const chunk of reply) rest += chunk;
    const last = JSON.parse(rest.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ type: 'error', data: { code: 'BUSY', status: 503 } });
  });

  it('is a 503 of /execute', async () => {
    const service = await start(slowSearch(1));
    const search = service.execute({ action: 'grep', input: { pattern: 'abs[e]nt', isRegex: true } });
    await killSearchOf(service.pid);
    expect((await search).json()).toMatchObject({ status: 503, code: 'BUSY' });
  });

  it('does not keep the next one from its answer', async () => {
    const service = await start(slowSearch(1));
    const search = service.ask(`/grep?${ABSENT.ripgrep}`);
    await killSearchOf(service.pid);
    await search;
    expect((await service.ask('/grep?pattern=small&path=small.txt')).json().count).toBe(1);
  });
});
