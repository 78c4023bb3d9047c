import { join } from 'node:path';
import { type TestContext, vi } from 'vitest';
import { CODES } from '../../src/errors.ts';
import { descriptorsOf } from './proc.ts';

/** What a kind of attack came to. */
export interface AttackRow {
  table: 'opens' | 'walks' | 'greps';
  kind: string;
  attempts: number;
  inside: number;
  refused: number;
  escapes: number;
  /** All attempts together. */
  milliseconds: number;
}

declare module 'vitest' {
  interface TaskMeta {
    /** For whoever makes a table of a run. */
    attack?: AttackRow;
  }
}

/** Attempts of each kind. A normal run makes few; the environment raises them. */
export const ATTEMPTS = {
  opens: fromEnvironment('ATTACK_OPENS', 2_000),
  walks: fromEnvironment('ATTACK_WALKS', 150),
  greps: fromEnvironment('ATTACK_GREPS', 100),
};

/** What files outside the root, and the names there, are marked with. */
export const OUTSIDE = 'OUTSIDE';

/** How long attempts may take, in milliseconds. */
export function patience(attempts: number, each: number): number {
  return 60_000 + attempts * each;
}

/** Whether a failure is one of the catalogue's, and not the service's own fault. */
export function isRefusal(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && CODES.has(String(error.code)) && error.code !== 'INTERNAL';
}

/** As many times more is tried on a machine that gives the other process no turn. */
const MOST_ROUNDS = 50;

interface Attack extends Pick<AttackRow, 'table' | 'kind'> {
  /** Gives what it was told, or is refused. */
  attempt: () => Told | Promise<Told>;
  /** All that may be told. */
  allowed: readonly string[];
  /** Whether the race was met; without it, whether two outcomes were seen. */
  isMet?: () => boolean;
}
type Told = string | readonly string[];

interface Outcome {
  /** What was told that may not be. */
  escaped: string[];
  /** The codes of the refusals. */
  refusals: Set<string>;
  /** Descriptors that are open and were not before. */
  leaked: number;
  isMet: boolean;
}

/** Makes attempts one after the other, until enough are made and the race was met. */
export async function attack(context: TestContext, given: Attack): Promise<Outcome> {
  const before = descriptorsOf(process.pid);
  const tally = new Tally(given.allowed);
  const isMet = given.isMet ?? (() => tally.outcomes.size > 1);
  const start = performance.now();
  for (let round = 0; round === 0 || (round < MOST_ROUNDS && !isMet()); round += 1) {
    for (let left = ATTEMPTS[given.table]; left > 0; left -= 1) await tally.count(given.attempt);
  }
  const milliseconds = performance.now() - start;
  const { table, kind } = given;
  context.task.meta.attack = { table, kind, ...tally.row, milliseconds };
  const { escaped, refusals } = tally;
  return { escaped: [...escaped], refusals, leaked: await leakedSince(before), isMet: isMet() };
}

/** Counts what attempts come to. */
class Tally {
  readonly row = { attempts: 0, inside: 0, refused: 0, escapes: 0 };
  readonly outcomes = new Set<string>();
  readonly escaped = new Set<string>();
  readonly refusals = new Set<string>();
  readonly #allowed: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  async count(attempt: Attack['attempt']): Promise<void> {
    this.row.attempts += 1;
    try {
      this.#take([await attempt()].flat());
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.row.refused += 1;
      this.refusals.add(error.code);
      this.outcomes.add(error.code);
    }
  }

  #take(told: readonly string[]): void {
    const escaped = told.filter((fact) => !this.#allowed.has(fact));
    for (const fact of escaped) this.escaped.add(fact);
    if (escaped.length > 0) this.row.escapes += 1;
    else this.row.inside += 1;
    this.outcomes.add(told.join(' '));
  }
}

/** The descriptors that are open beyond `before` once those on their way out are closed. */
async function leakedSince(before: number): Promise<number> {
  const leaked = () => descriptorsOf(process.pid) - before;
  await vi.waitUntil(() => leaked() <= 0, { timeout: 5_000 }).catch(() => {});
  return Math.max(0, leaked());
}

/** A path beside the root, where callers may not come. */
export function beside(root: string, name: string): string {
  return join(root, '..', name);
}

function fromEnvironment(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? '');
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
}
