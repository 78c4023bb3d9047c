import type { Inputs, TaskName } from '../tasks.ts';

/** Does a task and returns how to count its results, which is not part of it. */
export type Act = () => Promise<() => number> | (() => number);

/** A library as its users call it, opened on a folder, in a process of its own. */
export interface Driver {
  acts: Partial<Record<TaskName, Act>>;
  notes?: Partial<Record<TaskName, string>>;
}

export type Open = (root: string, inputs: Inputs) => Promise<Driver>;

/**
 * Loads a peer's package. Its name is no literal, so that the project's types
 * can be checked where the peers are not installed; `T` says what is used of it.
 */
export async function load<T>(name: string): Promise<T> {
  return await import(name);
}
