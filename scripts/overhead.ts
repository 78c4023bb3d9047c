import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_BOUNDS } from '../src/bounds.ts';
import { operationOf } from '../src/operations/index.ts';
import { checkInput } from '../src/operations/input.ts';
import { toJob } from '../src/pool/asked.ts';
import { Pool } from '../src/pool/pool.ts';
import type { Setup } from '../src/pool/protocol.ts';
import { wholeOf } from '../src/pool/reply.ts';
import { landlockAbi, restrictThread } from '../src/workspace/landlock.ts';
import { POLICY_SETS, Policy } from '../src/workspace/policy.ts';
import { openRoot, toRoot } from '../src/workspace/root.ts';
import { Workspace } from '../src/workspace/workspace.ts';

/**
 * Measures what the walls cost, as ratios, and prints them as Markdown: what is
 * compared is measured in turns, and of all rounds the median counts. It starts
 * itself with `on` or `off` and a folder to measure opens behind Landlock, which
 * a process cannot come out of again, or not.
 */
const ROUNDS = 15;
/** Rounds of what is measured in processes of its own, which have rounds themselves. */
const PROCESSES = 5;
const OPENS = 2_000;
const FILES = 4_000;
const LINES = 60;
const DEPTHS = [1, 4, 12];
const PROGRAM = fileURLToPath(new URL('../..', import.meta.url));
const LIMITS = { maxResults: 10_000, timeoutMs: 30_000, bounds: DEFAULT_BOUNDS };

type Times = Record<string, number[]>;

const [mode, folder = ''] = process.argv.slice(2);
if (mode === undefined) await compare();
else process.stdout.write(String(await opensHere(folder, mode === 'on')));

async function compare(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'fs-sidecar-overhead-'));
  try {
    plant(root);
    const rows = [...(await compareOpens(root)), ...(await compareSearches(root))];
    process.stdout.write(`| Overhead | ratio |\n| --- | ---: |\n${rows.map((row) => `| ${row} |\n`).join('')}`);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function plant(root: string): void {
  for (const depth of DEPTHS) {
    mkdirSync(join(root, below(depth), '..'), { recursive: true });
    writeFileSync(join(root, below(depth)), 'x');
  }
  const line = 'a line as it may stand in some source file, with nothing in it\n'.repeat(LINES);
  for (let at = 0; at < FILES; at += 1) {
    const place = join(root, 'many', String(at % 100));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `f${at}.txt`), at % 20 === 0 ? `${line}needle\n` : line);
  }
}

/** A path of as many names. */
function below(depth: number): string {
  return [...Array.from({ length: depth - 1 }, (_, at) => `n${at}`), 'f'].join('/');
}

async function compareOpens(root: string): Promise<string[]> {
  const rows: string[] = [];
  for (const depth of DEPTHS) {
    const { contained, plain } = await inTurns(opensAt(root, depth));
    rows.push(`a contained open, ${depth} deep, to a plain one | ${ratio(contained, plain)}`);
  }
  if (landlockAbi() === 0) return rows;
  const taken = await inTurns(
    { off: () => opensElsewhere(root, 'off'), on: () => opensElsewhere(root, 'on') },
    PROCESSES,
  );
  return [...rows, `a contained open, 4 deep, with Landlock to one without | ${ratio(taken['on'], taken['off'])}`];
}

/** Opens in a process of its own, behind Landlock or not; gives what they took. */
function opensElsewhere(root: string, landlock: 'on' | 'off'): number {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), landlock, root], {
    encoding: 'utf8',
  });
  return Number(stdout);
}

async function opensHere(root: string, isConfined: boolean): Promise<number> {
  const { contained } = opensAt(root, 4);
  if (isConfined) restrictThread([{ at: root, access: ['read'] }]);
  const taken = await inTurns({ contained });
  return median(taken['contained'] ?? []);
}

function opensAt(root: string, depth: number): Record<'plain' | 'contained', () => void> {
  const workspace = Workspace.at(toRoot(openRoot(root, true)), Policy.of(POLICY_SETS.secrets), { maxReadBytes: 1024 });
  const path = below(depth);
  const hostPath = join(root, path);
  return {
    plain: () => times(OPENS, () => closeSync(openSync(hostPath, 'r'))),
    contained: () => times(OPENS, () => workspace.openFile({ path }).close()),
  };
}

async function compareSearches(root: string): Promise<string[]> {
  const workerData: Setup = {
    root: openRoot(root, true),
    policy: POLICY_SETS.secrets,
    maxReadBytes: 1024,
    bounds: DEFAULT_BOUNDS,
    cacheBytes: 0,
  };
  const start = (setup: Setup) => () =>
    new Worker(new URL('../src/pool/worker.js', import.meta.url), { workerData: setup, env: {} });
  const open = new Pool({ start: start(workerData), workers: 1, concurrency: 1, waiting: 1 });
  const walled = new Pool({
    start: start({ ...workerData, confinedTo: [PROGRAM] }),
    workers: 1,
    concurrency: 1,
    waiting: 1,
  });
  const hasLandlock = landlockAbi() > 0;
  const taken = await inTurns({
    plain: async () => void spawnSync(rgPath, ['--no-config', '--no-ignore', '--hidden', '-n', 'n[e]edle', root]),
    regex: () => grep(open, { pattern: 'n[e]edle', isRegex: true }),
    text: () => grep(open, { pattern: 'needle' }),
    ...(hasLandlock ? { walled: () => grep(walled, { pattern: 'n[e]edle', isRegex: true }) } : {}),
  });
  await Promise.all([open.close(), walled.close()]);
  return [
    `grep for a regex, ${FILES.toLocaleString('en')} files, to ripgrep alone | ${ratio(taken['regex'], taken['plain'])}`,
    `grep for a text, the same files, to ripgrep alone | ${ratio(taken['text'], taken['plain'])}`,
    ...(hasLandlock
      ? [`grep for a regex, with Landlock to one without | ${ratio(taken['walled'], taken['regex'])}`]
      : []),
  ];
}

async function grep(pool: Pool, given: Record<string, unknown>): Promise<void> {
  const operation = operationOf('grep');
  if (operation === undefined) throw new Error('there is no grep');
  const { input } = checkInput(operation.input, given, 'json');
  const reply = await pool.perform(
    toJob({ operation, input, form: 'json' }, LIMITS, 'overhead'),
    true,
    new AbortController().signal,
  );
  const { count } = JSON.parse(wholeOf(reply).toString('utf8'));
  if (count !== FILES / 20) throw new Error(`grep found ${count} lines`);
}

/** Runs each of `acts` in turn, as often as there are rounds; gives their times, or what they say they took. */
async function inTurns(acts: Record<string, () => unknown>, rounds = ROUNDS): Promise<Times> {
  const taken: Times = Object.fromEntries(Object.keys(acts).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, act] of Object.entries(acts)) {
      const start = performance.now();
      const told = await act();
      taken[name]?.push(typeof told === 'number' ? told : performance.now() - start);
    }
  }
  return taken;
}

function times(count: number, act: () => void): void {
  for (let left = count; left > 0; left -= 1) act();
}

function ratio(taken: readonly number[] = [], to: readonly number[] = []): string {
  return (median(taken) / median(to)).toFixed(2);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
