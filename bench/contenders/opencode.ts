import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Corpus } from '../corpora/index.ts';
import { inputsOf, type TaskName, tasksOf } from '../tasks.ts';
import type { Contender, Done, Ready, Run } from './contender.ts';
import { NOT_INSTALLED, PATH, peerFile } from './paths.ts';

const LISTENING = /listening on (http:\S+)/;
const START_LIMIT_MS = 60_000;
/** The most that it gives of a search for names. */
const MOST = 200;

/** The server of opencode, over HTTP on loopback. */
export const opencode: Contender = {
  name: 'opencode serve',
  missing: () => (program() === undefined ? NOT_INSTALLED : undefined),
  start: async (corpus: Corpus): Promise<Ready> => {
    const { address, child, home } = await startOpencode(corpus.root);
    const runs: Partial<Record<TaskName, Run>> = {};
    const paths = pathsFor(corpus);
    for (const task of tasksOf(corpus)) {
      const path = paths[task];
      if (path !== undefined) runs[task] = () => ask(`${address}${path}`);
    }
    const notes = { find: 'fuzzy, 200 results at most', list: 'by an empty fuzzy search, 200 results at most' };
    return { runs, notes, child, close: () => end(child, home) };
  },
};

/** The binary of this platform's package, which the launcher would start. */
function program(): string | undefined {
  return peerFile(`opencode-${process.platform}-${process.arch}`, 'bin', 'opencode');
}

export async function startOpencode(root: string) {
  const home = mkdtempSync(join(tmpdir(), 'fs-sidecar-bench-home-'));
  const child = spawn(program() ?? '', ['serve', '--pure', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: root,
    // Nothing that it would fetch is needed for looking at files.
    env: { PATH, HOME: home, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  let said = '';
  for (;;) {
    const [chunk] = await once(child.stdout, 'data', { signal: limit });
    said += chunk;
    const address = LISTENING.exec(said)?.[1];
    if (address === undefined) continue;
    child.stdout.resume();
    return { address, child, home };
  }
}

function pathsFor(corpus: Corpus): Partial<Record<TaskName, string>> {
  const { frequent, name, rare } = inputsOf(corpus);
  const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const limit = String(MOST);
  return {
    list: `/find/file?${query({ query: '', type: 'file', limit })}`,
    find: `/find/file?${query({ query: name, type: 'file', limit })}`,
    'grep-rare': `/find?${query({ pattern: rare.literal })}`,
    'grep-frequent': `/find?${query({ pattern: frequent.literal })}`,
    'regex-rare': `/find?${query({ pattern: rare.regex })}`,
    'regex-frequent': `/find?${query({ pattern: frequent.regex })}`,
    ls: `/file?${query({ path: '.' })}`,
  };
}

async function ask(url: string): Promise<Done> {
  const started = performance.now();
  const reply = await fetch(url);
  const body = await reply.arrayBuffer();
  const milliseconds = performance.now() - started;
  const text = Buffer.from(body).toString();
  if (!reply.ok) throw new Error(`${reply.status} ${text.slice(0, 100)}`);
  const answer: unknown = JSON.parse(text);
  return { milliseconds, count: Array.isArray(answer) ? answer.length : 0 };
}

export async function end(child: ChildProcess, home: string): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  rmSync(home, { recursive: true, force: true });
}
