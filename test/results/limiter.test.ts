import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Limiter, type Limits } from '../../src/results/limiter.ts';

const RUNS = { numRuns: 1000 };

interface Match {
  path: string;
  line: number;
}

/** What a limiter lets through of batches, and how it ends. */
function pass<R>(limits: Limits, batches: readonly R[][]) {
  const limiter = new Limiter(limits);
  const taken = batches.flatMap((batch) => limiter.take(batch));
  return { taken, count: limiter.count, truncatedBy: limiter.truncatedBy };
}

const batches = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 6 });
const limit = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });
const given = (limits: { [name in keyof Limits]: number | undefined }): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));

describe('a limiter', () => {
  test('lets the first records through, and says exactly when there were more, and by whose limit', () => {
    fc.assert(
      fc.property(batches, limit, limit, (all, maxResults, cap) => {
        const records = all.flat();
        const room = Math.min(maxResults ?? Number.POSITIVE_INFINITY, cap ?? Number.POSITIVE_INFINITY);
        const by = maxResults === room ? 'maxResults' : 'limit';

        expect(pass(given({ maxResults, cap }), all)).toEqual({
          taken: records.slice(0, room),
          count: Math.min(records.length, room),
          truncatedBy: records.length > room ? by : undefined,
        });
      }),
      RUNS,
    );
  });

  test('lets all records of the first files through', () => {
    const match = fc.record({ path: fc.constantFrom('/a', '/b', '/c', '/d'), line: fc.nat(9) });
    const files = fc
      .array(match, { maxLength: 12 })
      .map((list) => list.toSorted((a, b) => a.path.localeCompare(b.path)));
    fc.assert(
      fc.property(
        files,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        limit,
        (matches, size, maxFiles, maxResults) => {
          const all: Match[][] = [];
          for (let at = 0; at < matches.length; at += size) all.push(matches.slice(at, at + size));
          const first = [...new Set(matches.map(({ path }) => path))].slice(0, maxFiles);
          const expected = matches.filter(({ path }) => first.includes(path)).slice(0, maxResults);

          expect(pass(given({ maxFiles, maxResults }), all)).toEqual({
            taken: expected,
            count: expected.length,
            truncatedBy: expected.length < matches.length ? 'maxResults' : undefined,
          });
        },
      ),
      RUNS,
    );
  });

  test('tells files that are shown alike by their bytes', () => {
    const alike = [
      { path: '/\ufffd', path_bytes: 'L+g=' },
      { path: '/\ufffd', path_bytes: 'L+k=' },
    ];

    expect(pass({ maxFiles: 1 }, [alike])).toMatchObject({ count: 1, truncatedBy: 'maxResults' });
  });

  test('lets through what its characters are enough for, and says when there was more', () => {
    const batch = ['four', 'five5', 'six'];
    const taken = (maxCharacters: number) => pass({ maxCharacters }, [batch.slice(0, 1), batch.slice(1)]);
    expect([taken(12), taken(13), taken(17), taken(18)]).toEqual([
      { taken: ['four'], count: 1, truncatedBy: 'limit' },
      { taken: ['four', 'five5'], count: 2, truncatedBy: 'limit' },
      { taken: ['four', 'five5'], count: 2, truncatedBy: 'limit' },
      { taken: batch, count: 3, truncatedBy: undefined },
    ]);
  });

  test('without limits lets everything through', () => {
    expect(pass({}, [[1, 2], [], [3]])).toEqual({ taken: [1, 2, 3], count: 3, truncatedBy: undefined });
  });

  test('gives a batch that it lets through as it is', () => {
    const batch = [1, 2];

    expect(new Limiter({ maxResults: 2 }).take(batch)).toBe(batch);
  });

  test('does not say that there was more before it has seen more', () => {
    const limiter = new Limiter({ maxResults: 2 });
    limiter.take([1, 2]);
    expect(limiter.truncatedBy).toBeUndefined();

    limiter.take([]);
    expect(limiter.truncatedBy).toBeUndefined();

    limiter.take([3]);
    expect(limiter.truncatedBy).toBe('maxResults');
  });

  test('that was stopped lets nothing through, and keeps the first reason', () => {
    const limiter = new Limiter({ maxResults: 9 });
    limiter.take([1]);
    limiter.stop('timeout');
    limiter.stop('limit');

    expect([limiter.take([2]), limiter.count, limiter.truncatedBy]).toEqual([[], 1, 'timeout']);
  });

  test('that was full keeps its reason when it is stopped', () => {
    const limiter = new Limiter({ maxResults: 1 });
    limiter.take([1, 2]);
    limiter.stop('timeout');

    expect(limiter.truncatedBy).toBe('maxResults');
  });
});
