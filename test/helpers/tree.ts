import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What stands under a name: a file's content, a folder (`null`), a link, a FIFO, or a file with more to it. */
export type Plant =
  | string
  | Buffer
  | null
  | { linkTo: string }
  | { fifo: true }
  | { content: string | Buffer; mode?: number; mtime?: Date };

/** A tree by paths; folders on the way are made. */
export type Tree = Record<string, Plant>;

/** A fresh folder that is removed when the test is over. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Plants a tree in a fresh folder's `ws`, so that its neighbours can be outside; gives the root's host path. */
export function plant(tree: Tree, folder = scratch()): string {
  const root = join(folder, 'ws');
  mkdirSync(root, { recursive: true });
  for (const [path, what] of Object.entries(tree)) put(join(root, path), what);
  return root;
}

function put(path: string, what: Plant): void {
  if (what === null) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (typeof what === 'string' || Buffer.isBuffer(what)) writeFileSync(path, what);
  else if ('linkTo' in what) symlinkSync(what.linkTo, path);
  else if ('fifo' in what) execFileSync('mkfifo', [path]);
  else {
    writeFileSync(path, what.content);
    if (what.mtime !== undefined) utimesSync(path, what.mtime, what.mtime);
    if (what.mode !== undefined) chmodSync(path, what.mode);
  }
}
