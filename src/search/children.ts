import type { ChildProcess } from 'node:child_process';

/** Is told of each child that starts, and when it has ended. */
export type ChildListener = (pid: number, isRunning: boolean) => void;

let listener: ChildListener = () => {};

/**
 * Names who is told of this thread's children. A thread that is ended leaves
 * its children running; whoever ends it has to know them.
 */
export function watchChildren(told: ChildListener): void {
  listener = told;
}

export function announceChild(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  listener(pid, true);
  child.once('exit', () => listener(pid, false));
}
