import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Corpus } from '../corpora/index.ts';
import type { FromHost, ToHost } from '../drivers/host.ts';
import { inputsOf, type TaskName, tasksOf } from '../tasks.ts';
import type { Contender, Done, Ready, Run } from './contender.ts';
import { NOT_INSTALLED, PATH, peerFile } from './paths.ts';

const HOST = fileURLToPath(new URL('../drivers/host.ts', import.meta.url));
/** Answers of millions of results are held in memory by some. */
const HEAP_MB = 8192;

/** A library, called in a process of its own so that its memory and its blocking are not ours. */
export function library(name: string, packageName: string, driver: string): Contender {
  return {
    name,
    missing: () => (peerFile(packageName) === undefined ? NOT_INSTALLED : undefined),
    start: async (corpus: Corpus): Promise<Ready> => {
      const home = mkdtempSync(join(tmpdir(), 'fs-sidecar-bench-home-'));
      const host = fork(HOST, {
        cwd: home,
        env: { PATH, HOME: home, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      const opened = await ask(host, {
        open: new URL(`../drivers/${driver}.ts`, import.meta.url).href,
        root: corpus.root,
        inputs: inputsOf(corpus),
      });
      if (!('opened' in opened)) throw new Error('error' in opened ? opened.error : 'no answer');
      const runs: Partial<Record<TaskName, Run>> = {};
      for (const task of tasksOf(corpus)) if (opened.opened.includes(task)) runs[task] = () => run(host, task);
      return { runs, notes: opened.notes, child: host, close: () => end(host, home) };
    },
  };
}

async function run(host: ChildProcess, task: TaskName): Promise<Done> {
  const reply = await ask(host, { task });
  if ('milliseconds' in reply) return reply;
  throw new Error('error' in reply ? reply.error : 'no answer');
}

async function ask(host: ChildProcess, message: ToHost): Promise<FromHost> {
  if (!host.connected) return { error: 'its process ended' };
  const gone = new AbortController();
  const { signal } = gone;
  try {
    const answered = once(host, 'message', { signal });
    const ended = once(host, 'exit', { signal }).then(([code, by]) => [{ error: `its process ended: ${by ?? code}` }]);
    host.send(message);
    const [reply]: FromHost[] = await Promise.race([answered, ended]);
    return reply ?? { error: 'no answer' };
  } finally {
    gone.abort();
  }
}

async function end(host: ChildProcess, home: string): Promise<void> {
  if (host.exitCode === null && host.signalCode === null) {
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
}
