import { operationOf } from '../../src/operations/index.ts';
import { checkInput } from '../../src/operations/input.ts';
import { Outlet } from '../../src/pool/outlet.ts';
import { perform } from '../../src/pool/perform.ts';
import type { OperationJob } from '../../src/pool/protocol.ts';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';
import { openRoot, toRoot } from '../../src/workspace/root.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { plant, type Tree } from './tree.ts';

export interface WorkspaceSettings {
  policy?: readonly string[];
  maxReadBytes?: number;
}

/** A workspace over a host path. */
export function workspaceAt(root: string, { maxReadBytes = 1024 * 1024, policy }: WorkspaceSettings = {}): Workspace {
  return Workspace.at(toRoot(openRoot(root, false)), Policy.of(policy ?? POLICY_SETS.secrets), { maxReadBytes });
}

/** A workspace over a planted tree. */
export function workspaceOf(tree: Tree, settings: WorkspaceSettings = {}): Workspace {
  return workspaceAt(plant(tree), settings);
}

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
export type Reply = any;

/** Runs operations on a workspace, without pool and HTTP, and gives their JSON replies. */
export function runnerOf(workspace: Workspace) {
  const run = async (operation: string, given: Record<string, unknown> = {}, more: Partial<OperationJob> = {}) => {
    const found = operationOf(operation);
    if (found === undefined) throw new Error(`no operation ${operation}`);
    const { input } = checkInput(found.input, given, 'json');
    const chunks: Uint8Array[] = [];
    const outlet: Outlet = new Outlet((bytes) => {
      chunks.push(bytes);
      outlet.acknowledge();
    });
    const { maxFiles, maxResults } = input;
    const job: OperationJob = {
      kind: 'operation',
      operation,
      input,
      form: 'json',
      limits: {
        ...(typeof maxResults === 'number' ? { maxResults } : {}),
        ...(typeof maxFiles === 'number' ? { maxFiles } : {}),
      },
      timeoutMs: 30_000,
      requestId: 'test',
      relativePaths: false,
      ...more,
    };
    await perform(job, workspace, outlet, new AbortController().signal);
    return Buffer.concat(chunks).toString('utf8');
  };
  const json = async (operation: string, given: Record<string, unknown> = {}): Promise<Reply> =>
    JSON.parse(await run(operation, given));
  return {
    /** The reply as text, in the form that `more` names. */
    run,
    ls: (given?: Record<string, unknown>) => json('ls', given),
    find: (given: Record<string, unknown>) => json('find', given),
    glob: (given: Record<string, unknown>) => json('glob', given),
    grep: (given: Record<string, unknown>) => json('grep', given),
    read: (given: Record<string, unknown>) => json('read', given),
  };
}

/** Runs operations on a planted tree. */
export function runnerOn(tree: Tree, settings: WorkspaceSettings = {}) {
  return runnerOf(workspaceOf(tree, settings));
}

/** The paths of a listing. */
export function pathsOf(reply: Reply): string[] {
  return (reply.entries ?? reply.matches).map((record: { path: string }) => record.path);
}
