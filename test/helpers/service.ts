import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { type AppOptions, buildApp } from '../../src/app.ts';
import { type Bounds, DEFAULT_BOUNDS } from '../../src/bounds.ts';
import { Pool, type WorkerThread } from '../../src/pool/pool.ts';
import type { Setup } from '../../src/pool/protocol.ts';
import { serve } from '../../src/pool/serve.ts';
import { CONTAINMENT } from '../../src/workspace/handle.ts';
import { POLICY_SETS } from '../../src/workspace/policy.ts';
import { openRoot } from '../../src/workspace/root.ts';
import { plant, type Tree } from './tree.ts';

export interface ServiceSettings extends Partial<Omit<AppOptions, 'pool' | 'bounds'>> {
  policy?: readonly string[];
  maxReadBytes?: number;
  concurrency?: number;
  /** Those that are not the defaults. */
  bounds?: Partial<Bounds>;
}

/**
 * The service over a host path, not listening, to be closed by whoever opens
 * it. Its worker is the code of a real one behind a real message channel, on
 * this thread, so that coverage sees it.
 */
export async function openService(root: string, settings: ServiceSettings = {}) {
  const { concurrency = 8, maxReadBytes = 10 * 1024 * 1024, policy = POLICY_SETS.secrets, ...options } = settings;
  const bounds = { ...DEFAULT_BOUNDS, ...settings.bounds };
  const setup: Setup = { root: openRoot(root, false), policy, maxReadBytes, bounds, cacheBytes: 0 };
  return buildApp({
    token: undefined,
    allowHosts: [],
    allowOrigins: [],
    pool: new Pool({ start: () => threadOf(setup), workers: 1, concurrency, waiting: concurrency * 8 }),
    maxResults: 10_000,
    timeoutMs: 30_000,
    containment: CONTAINMENT,
    landlock: 'off',
    trouble: () => undefined,
    logger: false,
    ...options,
    bounds,
  });
}

/** The same, closed when the test is over, and ways to ask it. */
export async function serviceAt(root: string, settings: ServiceSettings = {}) {
  const app = await openService(root, settings);
  onTestFinished(() => app.close());
  const headers = { host: 'localhost' };
  return {
    app,
    root,
    get: (path: string, query: Record<string, string | string[]> = {}, more: Record<string, string> = {}) =>
      app.inject({ method: 'GET', url: path, query, headers: { ...headers, ...more } }),
    execute: (body: unknown, more: Record<string, string> = {}) =>
      app.inject({
        method: 'POST',
        url: '/execute',
        payload: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers, ...more },
      }),
  };
}

/** The service over a planted tree. */
export function serviceOf(tree: Tree, settings: ServiceSettings = {}) {
  return serviceAt(plant(tree), settings);
}

/** The lines of an NDJSON body. */
export function linesOf(body: string): { type: string; data: Record<string, unknown> }[] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function threadOf(setup: Setup): WorkerThread {
  const { port1, port2 } = new MessageChannel();
  serve(port2, setup);
  return Object.assign(port1, { terminate: async () => closeBoth(port1, port2) });
}

function closeBoth(...ports: MessagePort[]): void {
  for (const port of ports) port.close();
}
