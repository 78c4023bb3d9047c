import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { plant, type Tree } from './tree.ts';

/** Plants a tree and makes some of its files as long as `sizes` says, with NULs that take no room on the disk; gives the root. */
export function plantSparse(tree: Tree, sizes: Record<string, number>): string {
  const root = plant(tree);
  for (const [path, size] of Object.entries(sizes)) truncateSync(join(root, path), size);
  return root;
}
