import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Document, documentOf } from '../helpers/documents.ts';
import { canBeUnprivileged, childrenOf, descriptorsOf, hasProc, peakMemoryOf, UNPRIVILEGED } from '../helpers/proc.ts';
import { firstRecordOf, start } from '../helpers/process.ts';
import { manyHits, RECORD_BYTES } from '../helpers/searches.ts';
import { serviceOf } from '../helpers/service.ts';
import { plant } from '../helpers/tree.ts';

const SECONDS = { timeout: 10_000, interval: 20 };

describe('C23: a pattern that backtracks for ever', () => {
  const pattern = encodeURIComponent('^(a+)+$');
  const tree = { 'x.txt': `${'a'.repeat(40)}!\n`, [`${'a'.repeat(60)}!`]: '' };

  it.each([`/grep?pattern=${pattern}&isRegex=true`, `/find?pattern=${pattern}&isRegex=true`])(
    '%s comes to an end',
    async (path) => {
      const service = await start(plant(tree));
      const answer = await service.ask(path);
      expect([answer.status, answer.json().count]).toEqual([200, 0]);
    },
  );

  it('that only a backtracking engine can run is refused by name when its time is out, and health is told meanwhile', async () => {
    const service = await start(plant(tree));
    const search = service.ask(`/find?isRegex=true&pattern=${encodeURIComponent('^(?=a)(a|aa)+(?<!a)$')}`);
    const healths = await Promise.all(['/healthz', '/healthz', '/readyz'].map((path) => service.ask(path)));
    expect(healths.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await search).json()).toMatchObject({ status: 400, code: 'PATTERN_INVALID' });
  });
});

describe('C62: a client that hangs up, or reads slowly', () => {
  it.skipIf(!hasProc)('fifty times after the first record leaves nothing behind (skipped without /proc)', async () => {
    const service = await start(manyHits(5_000));
    const hangUp = async () => {
      const reply = await service.open('/grep/stream?pattern=hit');
      await firstRecordOf(reply);
      reply.destroy();
    };
    await hangUp();
    await vi.waitUntil(() => childrenOf(service.pid).length === 0, SECONDS);
    const held = descriptorsOf(service.pid);
    for (let round = 0; round < 50; round += 1) await hangUp();
    await vi.waitFor(() => {
      expect(childrenOf(service.pid)).toEqual([]);
      expect(descriptorsOf(service.pid)).toBeLessThan(held + 10);
    }, SECONDS);
    expect(service.log.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it.skipIf(!hasProc)(
    'slowly takes no more memory than it reads (skipped without /proc)',
    { timeout: 120_000 },
    async () => {
      const records = 200_000;
      const service = await start(manyHits(records));
      const slow = await service.open('/grep/stream?pattern=hit');
      await firstRecordOf(slow);
      const before = peakMemoryOf(service.pid);
      // Others are served meanwhile, in all as much as the slow one would have been.
      for (let left = 4; left > 0; left -= 1) {
        const other = await service.ask(`/grep/stream?pattern=hit&maxResults=${records / 4}`);
        expect(other.body).toMatch(/"type":"end".*\n$/);
      }
      expect(peakMemoryOf(service.pid) - before).toBeLessThan((records * RECORD_BYTES) / 2);
      slow.destroy();
    },
  );
});

describe('C64: fields that may be null', () => {
  /** Every object in a tree, itself among them. */
  function* objectsIn(value: Document): Generator<Document> {
    if (typeof value !== 'object' || value === null) return;
    yield value;
    for (const inner of Object.values(value)) yield* objectsIn(inner);
  }

  async function document(): Promise<Document> {
    return documentOf((await serviceOf({})).app);
  }

  it('are told as the version of the document has it, and never as `nullable`', async () => {
    const all = [...objectsIn(await document())];
    expect(all.filter((object) => 'nullable' in object)).toEqual([]);
    expect((await document()).openapi).toMatch(/^3\.1\./);
  });

  it('are few: other members are absent instead', async () => {
    const { components } = await document();
    const nullable = Object.entries<Document>(components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries<Document>(properties)
        .filter(([, { type }]) => Array.isArray(type) && type.includes('null'))
        .map(([member]) => `${name}.${member}`),
    );
    expect(nullable.sort()).toEqual(['Envelope.prompt', 'ReadEnd.total_lines', 'ReadReply.total_lines']);
  });

  it('stand in operations that have names, each with one content type a response', async () => {
    const { paths } = await document();
    const all = Object.values<Document>(paths).flatMap((item) => Object.values<Document>(item));
    expect(all.filter(({ operationId }) => typeof operationId !== 'string')).toEqual([]);
    const types = all.flatMap(({ responses }) =>
      Object.values<Document>(responses).map(({ content = {} }) => Object.keys(content).length),
    );
    expect(Math.max(...types)).toBe(1);
  });
});

describe.skipIf(!canBeUnprivileged)('C66: a workspace of another user (skipped where nobody else can be)', () => {
  function unreadable(): string {
    const root = plant({ 'a.txt': 'a\n' });
    chmodSync(dirname(root), 0o755);
    chmodSync(root, 0);
    onTestFinished(() => chmodSync(root, 0o700));
    return root;
  }

  it('makes the service unready, with one clear line of why', async () => {
    const root = unreadable();
    const service = await start(root, { as: UNPRIVILEGED });
    const [ready, health] = [await service.ask('/readyz'), await service.ask('/healthz')];
    expect([ready.status, health.status, ready.json().status]).toEqual([503, 200, 'unready']);
    expect(ready.json().reason).toMatch(/^[^\n]*cannot be read[^\n]*uid \d+[^\n]*mode 0\b[^\n]*$/);
    expect(ready.body).not.toContain(root);
  });

  it('is told to the operator at the start', async () => {
    const service = await start(unreadable(), { as: UNPRIVILEGED });
    const line = await service.log.line(({ level }) => Number(level) >= 40);
    expect(line['msg']).toMatch(/cannot be read/);
  });

  it.each(['/ls', '/find?pattern=*', '/glob?pattern=*', '/grep?pattern=a'])(
    '%s is denied, and no empty list',
    async (path) => {
      const service = await start(unreadable(), { as: UNPRIVILEGED });
      const answer = await service.ask(path);
      expect([answer.status, answer.json().code]).toEqual([403, 'PERMISSION_DENIED']);
    },
  );

  it('is served to a user without a name, when it is readable', async () => {
    const root = plant({ 'a.txt': 'a\n' });
    chmodSync(dirname(root), 0o755);
    const service = await start(root, { as: UNPRIVILEGED });
    expect([(await service.ask('/readyz')).status, (await service.ask('/read?path=a.txt')).json().content]).toEqual([
      200,
      'a\n',
    ]);
  });
});
