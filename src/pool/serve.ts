import { toFailure } from '../problem.ts';
import { watchChildren } from '../search/children.ts';
import { Policy } from '../workspace/policy.ts';
import { toRoot } from '../workspace/root.ts';
import { TreeCache } from '../workspace/tree-cache.ts';
import { Workspace } from '../workspace/workspace.ts';
import { Outlet } from './outlet.ts';
import { perform } from './perform.ts';
import type { Job, Peer, Request, Response, Setup, Summary } from './protocol.ts';
import { sendRaw } from './raw.ts';

interface Running {
  outlet: Outlet;
  cancel: AbortController;
}

/**
 * Serves the jobs that come through `peer`, several at a time: each has the
 * thread for a slice and then lets the others go on. Runs in a worker thread;
 * nothing here knows of HTTP.
 */
export function serve(peer: Peer<Response, Request>, setup: Setup): void {
  const root = toRoot(setup.root);
  const policy = Policy.of(setup.policy);
  const cache = setup.cacheBytes === 0 ? undefined : new TreeCache(setup.cacheBytes);
  const running = new Map<number, Running>();
  const warn = (text: string) => peer.postMessage({ type: 'warning', text });

  peer.on('message', (request) => {
    if (request.type === 'job') void start(request.id, request.job);
    else if (request.type === 'ack') running.get(request.id)?.outlet.acknowledge();
    else running.get(request.id)?.cancel.abort();
  });
  watchChildren((pid, isRunning) => peer.postMessage({ type: 'child', pid, isRunning }));
  peer.postMessage({ type: 'ready' });

  async function start(id: number, job: Job): Promise<void> {
    const outlet = new Outlet((bytes) => peer.postMessage({ type: 'chunk', id, bytes }, [bytes.buffer]));
    const cancel = new AbortController();
    running.set(id, { outlet, cancel });
    try {
      const summary = await run(id, job, outlet, cancel.signal);
      peer.postMessage({ type: 'end', id, summary });
    } catch (error) {
      peer.postMessage({ type: 'failure', id, failure: toFailure(error) });
    } finally {
      running.delete(id);
    }
  }

  function run(id: number, job: Job, outlet: Outlet, cancelled: AbortSignal): Promise<Summary> {
    const wanted = job.kind === 'operation' ? job.maxReadBytes : undefined;
    const maxReadBytes = Math.min(setup.maxReadBytes, wanted ?? Number.POSITIVE_INFINITY);
    const workspace = Workspace.at(root, policy, { maxReadBytes, bounds: setup.bounds, cache, warn });
    if (job.kind === 'operation') return perform(job, workspace, outlet, cancelled);
    return sendRaw(job, workspace, outlet, cancelled, (head) => peer.postMessage({ type: 'head', id, head }));
  }
}
