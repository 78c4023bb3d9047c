import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SERVER } from './contenders/paths.ts';

const POLL_MS = 1;
const START_LIMIT_MS = 20_000;
const CHUNK = 64 * 1024;
const END_LIMIT_MS = 20_000;
const LISTENING = /"msg":"listening on (http:\/\/[^ ,"]+)/;

/** What came back from the service, and when. */
export interface Received {
  status: number;
  chunks: Buffer[];
  milliseconds: number;
  /** Until the first record of a stream was there. */
  firstMilliseconds?: number;
}

export interface Launch {
  args?: readonly string[];
  /** Options of Node itself. */
  node?: readonly string[];
  /** Where its log goes: a file, or a pipe that nobody reads once it listens. */
  log?: 'file' | 'unread pipe';
}

/** How the process ended, and how long that took. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  milliseconds: number;
}

/** The built service as a process of its own. */
export class Service {
  readonly pid: number;
  readonly address: string;
  /** From its start to its first answer that it is ready. */
  readonly readyMilliseconds: number;
  readonly #child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(child: ChildProcess, address: string, readyMilliseconds: number) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.address = address;
    this.readyMilliseconds = readyMilliseconds;
  }

  static async start(root: string, { args = [], log = 'file', node = [] }: Launch = {}): Promise<Service> {
    const started = performance.now();
    const launched = log === 'file' ? launchedWithFile : launchedWithPipe;
    const { child, readLog } = launched([...node, SERVER, '--root', root, '--port', '0', ...args]);
    const address = await poll(child, () => LISTENING.exec(readLog())?.[1]);
    await poll(child, async () => ((await statusOf(`${address}/readyz`)) === 200 ? true : undefined));
    return new Service(child, address, performance.now() - started);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Asks, and reads the whole reply; the clock stops at its last byte. */
  ask(path: string): Promise<Received> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = get(`${this.address}${path}`, { agent: this.#agent }, (reply) => {
        const chunks: Buffer[] = [];
        let firstMilliseconds: number | undefined;
        reply.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (firstMilliseconds === undefined && holdsRecord(chunks)) firstMilliseconds = performance.now() - started;
        });
        reply.on('error', reject);
        reply.on('end', () => {
          const milliseconds = performance.now() - started;
          const status = reply.statusCode ?? 0;
          resolve({ status, chunks, milliseconds, ...(firstMilliseconds === undefined ? {} : { firstMilliseconds }) });
        });
      });
      sent.on('error', reject);
    });
  }

  /** Memory that it has resident, in bytes. */
  residentBytes(): number {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) * 1024;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Tells it to end, and waits until it has; kills it when that takes too long. */
  async close(): Promise<Ended> {
    this.#agent.destroy();
    const started = performance.now();
    if (!this.hasEnded) {
      const ended = once(this.#child, 'exit');
      this.signal('SIGTERM');
      const late = globalThis.setTimeout(() => this.signal('SIGKILL'), END_LIMIT_MS);
      await ended;
      clearTimeout(late);
    }
    const { exitCode: code, signalCode: signal } = this.#child;
    return { code, signal, milliseconds: performance.now() - started };
  }
}

const ENV = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** The log goes to a file, as it would in production. */
function launchedWithFile(args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-bench-'));
  const file = join(folder, 'log');
  const out = openSync(file, 'w+');
  const child = spawn(process.execPath, args, { env: ENV, stdio: ['ignore', out, 'inherit'] });
  // The open file lives on for as long as the service writes to it.
  rmSync(folder, { recursive: true });
  child.once('exit', () => closeSync(out));
  return { child, readLog: () => readFileSync(`/proc/self/fd/${out}`, 'utf8') };
}

/** A FIFO is a pipe as a shell or a container's runtime makes one; between processes Node itself takes sockets. */
function launchedWithPipe(args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-bench-'));
  const fifo = join(folder, 'log');
  execFileSync('mkfifo', [fifo]);
  const end = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const out = openSync(fifo, constants.O_WRONLY);
  rmSync(folder, { recursive: true });
  const child = spawn(process.execPath, args, { env: ENV, stdio: ['ignore', out, 'inherit'] });
  closeSync(out);
  child.once('exit', () => closeSync(end));
  let said = '';
  return {
    child,
    readLog: () => {
      said += readNow(end);
      return said;
    },
  };
}

/** What can be read without waiting. */
function readNow(descriptor: number): string {
  const chunk = Buffer.alloc(CHUNK);
  try {
    return chunk.toString('utf8', 0, readSync(descriptor, chunk));
  } catch {
    return '';
  }
}

/** Whether the line `begin` and one more have come. */
function holdsRecord([first, second]: readonly Buffer[]): boolean {
  if (first === undefined) return false;
  return second !== undefined || first.indexOf('\n', first.indexOf('\n') + 1) !== -1;
}

async function poll<T>(child: ChildProcess, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`the service ended at its start with ${child.exitCode}`);
    if (performance.now() > deadline) throw new Error('the service did not become ready');
    await setTimeout(POLL_MS);
  }
}

/** 0 when nobody listens. */
export function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });
}
