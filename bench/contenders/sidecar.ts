import { existsSync } from 'node:fs';
import type { Corpus } from '../corpora/index.ts';
import { Service } from '../service.ts';
import { type Inputs, inputsOf, type TaskName, tasksOf } from '../tasks.ts';
import { linesIn } from './bytes.ts';
import type { Contender, Done, Ready, Run } from './contender.ts';
import { cpuOf } from './cpu.ts';
import { SERVER } from './paths.ts';

/** A stream's lines that are no records: `begin` and `end`. */
const FRAME_LINES = 2;
const NOTHING = /"truncated":(?:true|false)/;

/** The service, asked through HTTP on loopback over a connection that is kept. */
export function sidecar(name: string, args: readonly string[]): Contender {
  return {
    name,
    missing: () => (existsSync(SERVER) ? undefined : 'not built (`npm run build`)'),
    start: async (corpus: Corpus): Promise<Ready> => {
      const service = await Service.start(corpus.root, { args });
      const paths = pathsFor(inputsOf(corpus));
      const runs: Partial<Record<TaskName, Run>> = {};
      for (const task of tasksOf(corpus)) runs[task] = () => askFor(service, paths[task]);
      return { runs, notes: {}, close: () => service.close() };
    },
  };
}

async function askFor(service: Service, path: string): Promise<Done> {
  const cpuBefore = cpuOf(service.pid);
  const { chunks, firstMilliseconds, milliseconds, status } = await service.ask(path);
  const cpuMilliseconds = cpuOf(service.pid) - cpuBefore;
  if (status !== 200) throw new Error(`${path}: ${status} ${Buffer.concat(chunks).toString()}`);
  const count = path.includes('/stream') ? countOfStream(path, chunks) : countOfReply(Buffer.concat(chunks).toString());
  return { milliseconds, count, cpuMilliseconds, ...(firstMilliseconds === undefined ? {} : { firstMilliseconds }) };
}

function countOfStream(path: string, chunks: readonly Buffer[]): number {
  const end = lastLineOf(chunks);
  if (!end.startsWith('{"type":"end"')) throw new Error(`${path}: the last line is ${end}`);
  const { data } = JSON.parse(end);
  const count = linesIn(chunks) - FRAME_LINES;
  if (data.count !== count) throw new Error(`${path}: ${count} records, and the end says ${data.count}`);
  if (data.truncated && data.truncated_by !== 'maxResults') throw new Error(`${path}: cut by ${data.truncated_by}`);
  return count;
}

function lastLineOf(chunks: readonly Buffer[]): string {
  const tail = Buffer.concat(chunks.slice(-2)).toString().trimEnd();
  return tail.slice(tail.lastIndexOf('\n') + 1);
}

/** The results of a list, or the lines of what was read. */
function countOfReply(body: string): number {
  if (!NOTHING.test(body)) throw new Error(`no reply of the service: ${body.slice(0, 100)}`);
  const reply = JSON.parse(body);
  return typeof reply.content === 'string' ? linesIn([Buffer.from(reply.content)]) : reply.count;
}

/** The requests that the tasks are. */
export function pathsFor(inputs: Inputs): Record<TaskName, string> {
  const { cap, far, frequent, glob, line, log, name, near, rare } = inputs;
  const bare = { showDetails: 'false' };
  const regex = (pattern: string) => ({ pattern, isRegex: 'true' });
  const capped = { maxResults: String(cap) };
  return {
    list: toPath('/glob/stream', { pattern: '**', ...bare }),
    'list-details': toPath('/glob/stream', { pattern: '**' }),
    glob: toPath('/glob/stream', { pattern: glob, ...bare }),
    'glob-100': toPath('/glob', { pattern: glob, ...bare, ...capped }),
    find: toPath('/find/stream', { pattern: `${name}*`, caseSensitive: 'true' }),
    'grep-rare': toPath('/grep/stream', { pattern: rare.literal }),
    'grep-frequent': toPath('/grep/stream', { pattern: frequent.literal }),
    'grep-frequent-100': toPath('/grep', { pattern: frequent.literal, ...capped }),
    'grep-caseless': toPath('/grep/stream', { pattern: rare.literal, caseSensitive: 'false' }),
    'regex-rare': toPath('/grep/stream', regex(rare.regex)),
    'regex-frequent': toPath('/grep/stream', regex(frequent.regex)),
    'regex-frequent-100': toPath('/grep', { ...regex(frequent.regex), ...capped }),
    ls: toPath('/ls/stream', bare),
    'ls-details': toPath('/ls/stream', {}),
    'read-near': toPath('/read', { path: log, startLine: String(near.start), endLine: String(near.end) }),
    'read-far': toPath('/read', { path: log, startLine: String(far.start), endLine: String(far.end) }),
    'log-rare': toPath('/grep/stream', { pattern: rare.literal, path: log }),
    'line-rare': toPath('/grep/stream', { pattern: rare.literal, path: line }),
  };
}

function toPath(route: string, query: Record<string, string>): string {
  return `${route}?${new URLSearchParams(query)}`;
}
