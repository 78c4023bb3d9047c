import { closeSync, openSync, readFileSync } from 'node:fs';

const LIMIT = /^Max open files\s+(\d+)/m;

/** What searches may use: half of the descriptors that this process may hold; infinite when that is not known. */
export const descriptorsToSpare = softLimit() / 2;

/**
 * Whether half of the descriptors that the process may hold are in use, by all
 * of its threads: `opened` was opened last, and gets the lowest number that is
 * free (open(2)). The other half is for connections, folders and pipes.
 */
export function areDescriptorsShort(opened: number): boolean {
  return opened >= descriptorsToSpare;
}

/** Throws EMFILE or ENFILE unless as many descriptors are free; opens `file`, which can be read, to see. */
export function requireDescriptors(count: number, file: string): void {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync(file, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

function softLimit(): number {
  try {
    return Number(LIMIT.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
