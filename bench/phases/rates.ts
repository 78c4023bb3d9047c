import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { McpSession, mcpServer } from '../contenders/mcp-filesystem.ts';
import { end, opencode, startOpencode } from '../contenders/opencode.ts';
import { NOT_INSTALLED, peerFile } from '../contenders/paths.ts';
import type { Corpus } from '../corpora/index.ts';
import { toTable, toTime } from '../report.ts';
import type { Scale } from '../scale.ts';
import { Service } from '../service.ts';
import { quantile } from '../statistics.ts';

const CONNECTIONS = 10;
const TAIL = 0.99;
const SECOND = 1000;

export interface Rate {
  name: string;
  request: string;
  perSecond?: number;
  p99?: number;
  failures?: number;
  remark?: string;
}

/** What autocannon prints with `--json`, as far as it is read. */
interface Cannonade {
  requests: { average: number };
  latency: { p99: number };
  errors: number;
  non2xx: number;
}

/** Requests a second of a small `ls` and a small `read`, from ten connections. */
export async function rates(corpus: Corpus, { seconds }: Scale): Promise<{ text: string; samples: Rate[] }> {
  const { file, folder } = smallPlaces(corpus.root);
  const samples = [
    ...(await ofSidecar(corpus, file, folder, seconds)),
    ...(await ofOpencode(corpus, file, folder, seconds)),
    ...(await ofMcp(corpus, file, folder, seconds)),
  ];
  const rows = samples.map(({ failures, name, p99, perSecond, remark, request }) => [
    `${name}: ${request}`,
    perSecond === undefined ? '–' : Math.round(perSecond).toLocaleString('en'),
    p99 === undefined ? '–' : toTime(p99),
    String(failures ?? '–'),
    remark ?? '',
  ]);
  return { text: toTable(['', 'a second', 'p99', 'failed', 'remarks'], rows), samples };
}

/** The first folder with files in it, and the first of these, in order of names. */
function smallPlaces(root: string): { file: string; folder: string } {
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!statSync(join(root, name)).isFile()) continue;
    return { file: name, folder: name.slice(0, name.lastIndexOf('/')) };
  }
  throw new Error('the tree holds no file');
}

async function ofSidecar(corpus: Corpus, file: string, folder: string, seconds: number): Promise<Rate[]> {
  const service = await Service.start(corpus.root);
  const small = (route: string, path: string) => `${service.address}${route}?${new URLSearchParams({ path })}`;
  try {
    return [
      await cannonade('fs-sidecar', 'ls', small('/ls', folder), seconds),
      await cannonade('fs-sidecar', 'read', small('/read', file), seconds),
      await cannonade('fs-sidecar', 'health', `${service.address}/healthz`, seconds),
    ];
  } finally {
    await service.close();
  }
}

async function ofOpencode(corpus: Corpus, file: string, folder: string, seconds: number): Promise<Rate[]> {
  const missing = opencode.missing();
  if (missing !== undefined) return [{ name: opencode.name, request: 'ls, read', remark: missing }];
  const { address, child, home } = await startOpencode(corpus.root);
  const small = (route: string, path: string) => `${address}${route}?${new URLSearchParams({ path })}`;
  try {
    // It opens the folder with the first request.
    await (await fetch(small('/file', folder))).arrayBuffer();
    return [
      await cannonade(opencode.name, 'ls', small('/file', folder), seconds),
      await cannonade(opencode.name, 'read', small('/file/content', file), seconds),
    ];
  } finally {
    await end(child, home);
  }
}

async function cannonade(name: string, request: string, url: string, seconds: number): Promise<Rate> {
  const program = peerFile('autocannon', 'autocannon.js');
  if (program === undefined) return { name, request, remark: `autocannon is ${NOT_INSTALLED}` };
  const args = ['--json', '--connections', String(CONNECTIONS), '--duration', String(Math.ceil(seconds)), url];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const { errors, latency, non2xx, requests } = (await json(child.stdout)) as Cannonade;
  await ended;
  return { name, request, perSecond: requests.average, p99: latency.p99, failures: errors + non2xx };
}

async function ofMcp(corpus: Corpus, file: string, folder: string, seconds: number): Promise<Rate[]> {
  const name = 'MCP filesystem';
  const server = mcpServer();
  if (server === undefined) return [{ name, request: 'ls, read', remark: NOT_INSTALLED }];
  const session = new McpSession(server, corpus.root);
  await session.initialize();
  const path = (below: string) => ({ path: join(corpus.root, below) });
  try {
    return [
      await callsOf(name, 'ls', () => session.call('list_directory', path(folder)), seconds),
      await callsOf(name, 'read', () => session.call('read_text_file', path(file)), seconds),
    ];
  } finally {
    await session.close();
  }
}

/** As many callers as there are connections elsewhere, each with one call under way. */
async function callsOf(
  name: string,
  request: string,
  call: () => Promise<{ milliseconds: number }>,
  seconds: number,
): Promise<Rate> {
  const started = performance.now();
  const times: number[] = [];
  const caller = async () => {
    while (performance.now() - started < seconds * SECOND) times.push((await call()).milliseconds);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, caller));
  const perSecond = (times.length * SECOND) / (performance.now() - started);
  return { name, request, perSecond, p99: quantile(times, TAIL), failures: 0, remark: 'ten calls under way' };
}
