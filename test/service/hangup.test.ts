import { describe, expect, it, vi } from 'vitest';
import { childrenOf, descriptorsOf, hasOpen, hasProc } from '../helpers/proc.ts';
import { firstRecordOf, type Service, start } from '../helpers/process.ts';
import { ABSENT, HITS, manyHits, slowSearch } from '../helpers/searches.ts';

const SECONDS = { timeout: 10_000, interval: 20 };
const ROUNDS = 10;

/** Whether a search through holes is under way: in the service itself, or in a child of it. */
const isSearching = ({ pid }: Service) => childrenOf(pid).length > 0 || hasOpen(pid, 'hole-0');

/** A caller that goes away before the reply begins, once the search is under way. */
async function leaveEarly(service: Service, path: string, body?: string): Promise<void> {
  const gone = new AbortController();
  const asking = body === undefined ? {} : { method: 'POST', body };
  const asked = service.ask(path, { ...asking, signal: gone.signal }).catch(() => 'gone');
  await vi.waitUntil(() => isSearching(service), SECONDS);
  gone.abort();
  await asked;
  await vi.waitUntil(() => !isSearching(service), SECONDS);
}

/**
 * Whether the service holds no more after callers went away, time and again,
 * than after the first one. A few descriptors more may be connections that end.
 */
async function expectFreed(service: Service, leave: () => Promise<void>): Promise<void> {
  await leave();
  await vi.waitUntil(() => !isSearching(service), SECONDS);
  const held = descriptorsOf(service.pid);
  for (let round = 0; round < ROUNDS; round += 1) await leave();
  await vi.waitFor(() => {
    expect(isSearching(service)).toBe(false);
    expect(descriptorsOf(service.pid)).toBeLessThan(held + ROUNDS / 2);
  }, SECONDS);
}

describe.skipIf(!hasProc)('a caller that goes away (skipped without /proc)', () => {
  it.each(Object.entries(HITS))('from a stream ends its search by %s, and frees what that held', async (_, query) => {
    const service = await start(manyHits(20_000));
    await expectFreed(service, async () => {
      const reply = await service.open(`/grep/stream?${query}`);
      await firstRecordOf(reply);
      reply.destroy();
    });
  });

  it.each([
    ['literal', `/grep?${ABSENT.literal}`],
    ['ripgrep', `/grep?${ABSENT.ripgrep}`],
    ['literal', `/grep/stream?${ABSENT.literal}`],
    ['ripgrep', `/grep/stream?${ABSENT.ripgrep}`],
  ])('before the reply begins ends its search by %s, and frees what that held: %s', async (_, path) => {
    const service = await start(slowSearch());
    await expectFreed(service, () => leaveEarly(service, path));
  });

  it.each([
    ['literal', { mode: 'grep', path: '.', pattern: 'absent' }],
    ['ripgrep', { action: 'grep_file', properties: { pattern: 'absent' } }],
  ])('before the reply of /execute ends its search by %s, and frees what that held', async (_, body) => {
    const service = await start(slowSearch());
    await expectFreed(service, () => leaveEarly(service, '/execute', JSON.stringify(body)));
  });

  it('from the bytes of a file closes it', async () => {
    const service = await start(slowSearch(1));
    await expectFreed(service, async () => {
      const reply = await service.open('/read/raw?path=hole-0');
      reply.destroy();
    });
  });

  it.each(Object.entries(ABSENT))('while it waits for a place does not get one, by %s', async (_, query) => {
    const service = await start(slowSearch(), { args: ['--concurrency', '1'] });
    const gone = Array.from({ length: 5 }, () => new AbortController());
    const asked = gone.map(({ signal }) => service.ask(`/grep?${query}`, { signal }).catch(() => 'gone'));
    await vi.waitUntil(() => isSearching(service), SECONDS);
    for (const controller of gone.reverse()) controller.abort();
    await Promise.all(asked);
    await vi.waitUntil(() => !isSearching(service), SECONDS);
    expect((await service.ask('/find?pattern=small.txt')).json().count).toBe(1);
  });
});

describe('a caller that goes away', () => {
  it('is logged as one, without an error', async () => {
    const service = await start(manyHits(200_000));
    const reply = await service.open(`/grep/stream?${HITS.ripgrep}`, { headers: { 'x-request-id': 'gone' } });
    await firstRecordOf(reply);
    reply.destroy();
    const line = await service.log.line(({ reqId }) => reqId === 'gone');
    expect(line).toMatchObject({ level: 30, msg: 'request', status: 200, aborted: true });
  });

  it.skipIf(!hasProc)('before its reply begins is logged as one, too (skipped without /proc)', async () => {
    const service = await start(slowSearch());
    await leaveEarly(service, `/grep?${ABSENT.ripgrep}`);
    const line = await service.log.line(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ level: 30, aborted: true });
    expect(line).not.toHaveProperty('code');
  });

  it.each(Object.entries(HITS))('in great number does no harm to searches by %s', async (_, query) => {
    const service = await start(manyHits(20_000));
    const gone = Array.from({ length: 40 }, () => new AbortController());
    const asked = gone.map(({ signal }) => service.ask(`/grep/stream?${query}`, { signal }).catch(() => 'gone'));
    for (const controller of gone) controller.abort();
    await Promise.all(asked);
    expect((await service.ask('/read?path=small.txt')).json().content).toBe('small\n');
    expect(service.log.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
