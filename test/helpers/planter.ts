import { join } from 'node:path';
import { runnerOf, type WorkspaceSettings, workspaceAt } from './operations.ts';
import { plant, type Tree } from './tree.ts';

/**
 * One workspace in which each run of a property plants a tree of its own. (A
 * workspace for each run would hold a descriptor for each.)
 */
export function planter(settings: WorkspaceSettings = {}) {
  const root = plant({});
  let runs = 0;
  return {
    ...runnerOf(workspaceAt(root, settings)),
    root,
    /** Plants a tree and gives the virtual path of its top, without a slash at the end. */
    plantRun(tree: Tree): string {
      const folder = String(runs);
      runs += 1;
      plant(tree, join(root, folder));
      return `/${folder}/ws`;
    },
  };
}
