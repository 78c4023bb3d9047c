import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/**
 * What the property tests' inputs grow from: the same in each run, so that a run that fails tells of the change it
 * tries; `TEST_SEED=random` looks further, and `TEST_SEED` with the number that a failure names repeats it.
 */
export const SEED = chosen(process.env['TEST_SEED'] ?? '1');

fc.configureGlobal({ seed: SEED });

function chosen(text: string): number {
  const seed = text === 'random' ? randomInt(2 ** 31) : Number(text);
  if (!Number.isInteger(seed)) throw new Error(`TEST_SEED is random or a whole number, not "${text}"`);
  return seed;
}
