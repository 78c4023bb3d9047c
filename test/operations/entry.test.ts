import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timestamp } from '../../src/operations/entry.ts';

it('writes times as Date does, without fractions', () => {
  const time = fc.oneof(
    fc.double({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.UTC(9999, 11, 31, 23, 59, 59), noNaN: true }),
    fc.integer({ min: -200_000_000, max: 200_000_000 }),
    fc.double({ min: -5000, max: 5000, noNaN: true }),
  );
  fc.assert(
    fc.property(time, (milliseconds) => {
      expect(timestamp(milliseconds)).toBe(`${new Date(milliseconds).toISOString().slice(0, 19)}Z`);
    }),
    { numRuns: 1000 },
  );
});

it('knows no times that RFC 3339 cannot express', () => {
  for (const milliseconds of [Date.UTC(10_000, 0), Date.parse('0000-01-01T00:00:00Z') - 1, Number.NaN, 8.64e15 + 1])
    expect(timestamp(milliseconds)).toBeUndefined();
});
