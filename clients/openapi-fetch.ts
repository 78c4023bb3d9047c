import createClient from 'openapi-fetch';
import type { Answers } from './answers.ts';
import type { components, paths } from './generated/openapi-fetch/schema.ts';
import { linesOf } from './lines.ts';

type Line = components['schemas']['GrepLine'];

/** Asks with openapi-fetch and the types that openapi-typescript made. */
export async function askWithOpenapiFetch(baseUrl: string, token: string): Promise<Answers> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const ls = await client.GET('/ls');
  const find = await client.GET('/find', { params: { query: { pattern: 'MAIN.*' } } });
  const glob = await client.GET('/glob', { params: { query: { pattern: 'src/**/*.py' } } });
  const grep = await client.GET('/grep', {
    params: { query: { pattern: '^def ', isRegex: true, includeGlob: ['*.py', '*.js'] } },
  });
  const read = await client.GET('/read', { params: { query: { path: 'src/main.py', startLine: 3, endLine: 3 } } });
  const execute = await client.POST('/execute', {
    body: { action: 'find_file', properties: [{ name: 'pattern', value: 'main.*' }] },
  });
  const stream = await client.GET('/grep/stream', {
    params: { query: { pattern: 'def ', sort: 'path' } },
    parseAs: 'stream',
  });
  const missing = await client.GET('/read', { params: { query: { path: 'src/mian.py' } } });
  return {
    ls: there(ls).entries.map(({ path, size }) => ({ path, size })),
    find: there(find).matches.map(({ path }) => path),
    glob: there(glob).matches.map(({ path }) => path),
    grep: there(grep).matches.map(({ path, line, text }) => ({ path, line, text })),
    read: { content: there(read).content, total_lines: there(read).total_lines },
    execute: { content: there(execute).content, count: there(execute).result['count'] },
    stream: await toStreamAnswer(there(stream)),
    error: toError(missing.error),
  };
}

async function toStreamAnswer(body: ReadableStream<Uint8Array> | null): Promise<Answers['stream']> {
  const answer: Answers['stream'] = { types: [], paths: [] };
  for await (const { data, type } of linesOf<Line>(there({ data: body ?? undefined }))) {
    answer.types.push(type);
    if (type === 'match') answer.paths.push(data.path);
  }
  return answer;
}

function there<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(`no data, but ${JSON.stringify(error)}`);
  return data;
}

function toError(error: { status: number; code: string; suggestions?: string[] } | undefined): Answers['error'] {
  if (error === undefined) throw new Error('no error');
  return { status: error.status, code: error.code, suggestions: error.suggestions };
}
