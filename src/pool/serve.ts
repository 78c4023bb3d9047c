import { toFailure } from '../problem.ts';
import { watchChildren } from '../search/children.ts';
import { Policy } from '../workspace/policy.ts';
import { toRoot } from '../workspace/root.ts';
import { TreeCache } from '../workspace/tree-cache.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { Job, Peer, Request, Response, Setup } from './protocol.ts';
import { Running } from './running.ts';

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
    else act(running.get(request.id), request);
  });
  watchChildren((pid, isRunning) => peer.postMessage({ type: 'child', pid, isRunning }));
  peer.postMessage({ type: 'ready' });

  async function start(id: number, job: Job): Promise<void> {
    try {
      const task = new Running(id, job, workspaceFor(job), (response, transfer) =>
        peer.postMessage(response, transfer),
      );
      running.set(id, task);
      await task.run();
    } catch (error) {
      peer.postMessage({ type: 'failure', id, failure: toFailure(error) });
    } finally {
      running.delete(id);
    }
  }

  function workspaceFor(job: Job): Workspace {
    const { maxReadBytes = Number.POSITIVE_INFINITY, part } = job.kind === 'operation' ? job : {};
    return Workspace.at(root, policy, {
      maxReadBytes: Math.min(setup.maxReadBytes, maxReadBytes),
      bounds: setup.bounds,
      cache,
      warn,
      part,
    });
  }
}

/** Passes on what is asked of a job; one that has ended has nothing to do. */
function act(task: Running | undefined, request: Exclude<Request, { type: 'job' }>): void {
  if (request.type === 'ack') task?.outlet.acknowledge();
  else if (request.type === 'split') task?.split();
  else if (request.type === 'begin') task?.outlet.flush();
  else if (request.type === 'joined') task?.joined(request.parts);
  else task?.cancel();
}
