import { setImmediate } from 'node:timers/promises';
import type { Context, Run } from './operation.ts';

/** How long one look for a hint may take, in milliseconds. */
const MAX_TIME = 500;

type Start<I> = (input: I, context: Context) => Run<unknown>;

/** A change of the input that might find something, and what to say when it does. */
export interface Proposal {
  change: Record<string, unknown>;
  hint: string;
}

/**
 * Says of each proposal that finds something that it does. A proposal that
 * finds nothing, or not soon enough, is not mentioned: no hint is a guess.
 */
export async function hintsOf<I extends object>(
  start: Start<I>,
  input: I,
  context: Context,
  proposals: readonly Proposal[],
): Promise<string[]> {
  const hints: string[] = [];
  for (const { change, hint } of proposals) {
    if (context.signal.aborted) break;
    if (await findsAny(start, { ...input, ...change }, context)) hints.push(hint);
  }
  return hints;
}

async function findsAny<I>(start: Start<I>, input: I, context: Context): Promise<boolean> {
  const deadline = performance.now() + MAX_TIME;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_TIME)]);
  try {
    const run = start(input, { workspace: context.workspace, signal, skip: () => {} });
    try {
      for await (const batch of run.records) {
        if (batch.length > 0) return true;
        if (performance.now() > deadline) return false;
        await setImmediate();
      }
    } finally {
      run.close();
    }
  } catch {
    // What is proposed may be no pattern at all; then there is nothing to say of it.
  }
  return false;
}
