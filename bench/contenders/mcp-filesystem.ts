import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Corpus } from '../corpora/index.ts';
import { inputsOf, type TaskName, tasksOf } from '../tasks.ts';
import { linesIn } from './bytes.ts';
import type { Contender, Done, Ready, Run } from './contender.ts';
import { NOT_INSTALLED, peerFile } from './paths.ts';

const PACKAGE = '@modelcontextprotocol/server-filesystem';
const LINE_FEED = 10;

interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
}

/** A request without its answer. */
interface Waiting {
  resolve(message: Buffer): void;
  reject(error: Error): void;
}

/** One session with a server that speaks MCP on its standard input and output. */
export class McpSession {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Waiting>();
  #chunks: Buffer[] = [];
  #nextId = 1;

  constructor(file: string, root: string) {
    this.child = spawn(process.execPath, [file, root], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    this.child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('its process ended'));
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '0' };
    await this.#request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }

  /** Calls a tool; the clock stops when the whole answer has come. */
  async call(name: string, args: Record<string, unknown>): Promise<{ milliseconds: number; text: string }> {
    const started = performance.now();
    const message = await this.#request('tools/call', { name, arguments: args });
    const milliseconds = performance.now() - started;
    const { error, result }: { result?: ToolResult; error?: { message: string } } = JSON.parse(message.toString());
    const text = result?.content[0]?.text ?? '';
    if (result === undefined || result.isError) throw new Error((error?.message ?? text).slice(0, 200));
    return { milliseconds, text };
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  #request(method: string, params: object): Promise<Buffer> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answered = new Promise<Buffer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }

  /** One message a line. */
  #take(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      this.#deliver(Buffer.concat([...this.#chunks, chunk.subarray(start, at)]));
      this.#chunks = [];
      start = at + 1;
    }
    if (start < chunk.length) this.#chunks.push(chunk.subarray(start));
  }

  /** Answers come in the order of the requests but for notifications, which carry no id. */
  #deliver(message: Buffer): void {
    const id = Number(ID.exec(message.subarray(-ID_LENGTH).toString())?.[1] ?? JSON.parse(message.toString()).id);
    this.#waiting.get(id)?.resolve(message);
    this.#waiting.delete(id);
  }
}

/** The SDK writes the id last. */
const ID = /"id":(\d+)\}$/;
const ID_LENGTH = 32;

/** The reference server for files, over standard input and output as its clients start it. */
export const mcpFilesystem: Contender = {
  name: 'MCP filesystem',
  missing: () => (mcpServer() === undefined ? NOT_INSTALLED : undefined),
  start: async (corpus: Corpus): Promise<Ready> => {
    const session = new McpSession(mcpServer() ?? '', corpus.root);
    await session.initialize();
    const tasks = tasksFor(session, corpus);
    const runs: Partial<Record<TaskName, Run>> = {};
    for (const task of tasksOf(corpus)) {
      const run = tasks[task];
      if (run !== undefined) runs[task] = run;
    }
    return {
      runs,
      notes: { 'read-near': 'lines 1–40: it takes a head or a tail', list: 'folders, too' },
      child: session.child,
      close: () => session.close(),
    };
  },
};

export function mcpServer(): string | undefined {
  return peerFile(PACKAGE, 'dist', 'index.js');
}

function tasksFor(session: McpSession, corpus: Corpus): Partial<Record<TaskName, Run>> {
  const { glob, log, name, near } = inputsOf(corpus);
  const path = corpus.root;
  const call = async (tool: string, args: Record<string, unknown>, headings = 0): Promise<Done> => {
    const { milliseconds, text } = await session.call(tool, args);
    return { milliseconds, count: text === 'No matches found' ? 0 : linesIn([Buffer.from(text)]) - headings };
  };
  return {
    list: () => call('search_files', { path, pattern: '**/*' }),
    glob: () => call('search_files', { path, pattern: glob }),
    find: () => call('search_files', { path, pattern: `**/${name}*` }),
    ls: () => call('list_directory', { path }),
    // An empty line and two of sums.
    'ls-details': () => call('list_directory_with_sizes', { path }, 3),
    'read-near': () => call('read_text_file', { path: join(path, log), head: near.end }),
  };
}
