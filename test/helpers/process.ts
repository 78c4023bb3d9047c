import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { KeptLog } from './log.ts';
import { childrenOf, hasProc } from './proc.ts';

/** The built service: `npm run build` makes it. */
export const SERVER = fileURLToPath(new URL('../../dist/src/server.js', import.meta.url));

const LISTENING = /^listening on (\S+), /;

export interface Launch {
  /** What is run; the built service, without one. */
  program?: string;
  args?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  /** Who runs it; whoever runs the tests, without one. */
  as?: { uid?: number; gid?: number };
  /** The descriptors that it may hold. */
  descriptors?: number;
  /** A command that runs it, with its arguments. */
  through?: readonly string[];
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** An HTTP reply, read whole. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
  json: () => any;
}

export interface Asking extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  body?: string;
}

/** Runs the service until it ends by itself. */
export async function run(launch: Launch): Promise<Ended & { stdout: string; stderr: string }> {
  const child = launched(launch);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [stdout, stderr, ended] = await Promise.all([text(child.stdout), text(child.stderr), endOf(child)]);
  return { ...ended, stdout, stderr };
}

/** Starts the service on a free port, or where `args` say, and waits until it listens. It is gone when the test is over. */
export async function start(root: string, { args = [], ...launch }: Launch = {}) {
  const place = args.some((arg) => arg.startsWith('--socket')) ? [] : ['--port', '0'];
  const child = launched({ ...launch, args: ['--root', root, ...place, ...args] });
  const log = new KeptLog();
  child.stdout.pipe(log);
  const ended = endOf(child);
  onTestFinished(async () => {
    const children = hasProc ? childrenOf(child.pid ?? 0) : [];
    child.kill('SIGKILL');
    // Nobody ends a search whose service was killed.
    for (const pid of children) killIfThere(pid);
    await ended;
  });
  const stderr = text(child.stderr);
  const listening = log.line(({ msg }) => LISTENING.test(String(msg)));
  const first = await Promise.race([listening, ended.then(() => undefined)]);
  if (first === undefined) throw new Error(`the service ended at its start: ${await stderr}`);
  return new Service(child, LISTENING.exec(String(first['msg']))?.[1] ?? '', log, ended);
}

/** A service under way. */
export class Service {
  readonly pid: number;
  readonly address: string;
  readonly log: KeptLog;
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, address: string, log: KeptLog, ended: Promise<Ended>) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.address = address;
    this.log = log;
    this.ended = ended;
  }

  /** Reads its log no further, which gets stuck in a full pipe, and gives how the process ends. */
  async stopReading(): Promise<Ended> {
    this.#child.stdout?.unpipe(this.log).pause();
    const [code, signal] = await once(this.#child, 'exit');
    return { code, signal };
  }

  /** Sends it a signal. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks, and reads the whole reply. */
  async ask(path: string, asking: Asking = {}): Promise<Answer> {
    const reply = await this.open(path, asking);
    const body = await text(reply);
    return { status: reply.statusCode ?? 0, headers: reply.headers, body, json: () => JSON.parse(body) };
  }

  /** Asks on a connection of its own, and reads nothing of the reply's body. */
  async open(path: string, { body, method = 'GET', headers = {}, signal }: Asking = {}): Promise<IncomingMessage> {
    const sent = request({
      ...this.#place,
      path,
      method,
      headers: { host: 'localhost', ...headers },
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    });
    sent.end(body);
    const [reply] = await once(sent, 'response');
    // A reply that the test breaks off says so as an error, which nobody waits for.
    reply.on('error', () => {});
    return reply;
  }

  /** Connects, and asks for nothing. */
  async connect(): Promise<Socket> {
    const { host, port, socketPath } = this.#place;
    const socket = socketPath ? connect(socketPath) : connect(Number(port), `${host}`);
    await once(socket, 'connect');
    socket.on('error', () => {});
    return socket;
  }

  /** Sends a body to `/execute`. */
  execute(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('/execute', { method: 'POST', body: JSON.stringify(body), headers });
  }

  get #place(): RequestOptions {
    if (!this.address.startsWith('http')) return { socketPath: this.address };
    const { hostname, port } = new URL(this.address);
    return { host: hostname.replace(/^\[|\]$/g, ''), port };
  }
}

/** Reads an NDJSON reply up to its first record, and no further. */
export async function firstRecordOf(reply: IncomingMessage): Promise<string> {
  let read = '';
  while (read.split('\n').length < 3) {
    const chunk = reply.read();
    if (chunk === null) await once(reply, 'readable');
    else read += chunk;
  }
  return read;
}

/** A shell that takes on a limit and then becomes what is named behind it. */
const LIMITED = ['sh', '-c', 'ulimit -n "$0" && exec "$@"'];

function launched({ args = [], as = {}, cwd, descriptors, env = {}, program = SERVER, through = [] }: Launch) {
  const limited = descriptors === undefined ? [] : [...LIMITED, String(descriptors)];
  const [command = '', ...list] = [...limited, ...through, process.execPath, program, ...args];
  return spawn(command, list, {
    ...as,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...(process.env['PATH'] === undefined ? {} : { PATH: process.env['PATH'] }), HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [code, signal] = await once(child, 'close');
  return { code, signal };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
