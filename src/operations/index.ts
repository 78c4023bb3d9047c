import { find } from './find.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { ls } from './ls.ts';
import type { Operation } from './operation.ts';
import { read } from './read.ts';

/** All operations, in the order in which documents list them. */
export const operations: readonly Operation[] = [ls, find, glob, grep, read];

/** The operation of that name. */
export function operationOf(name: string): Operation | undefined {
  return operations.find((operation) => operation.name === name);
}
