import type { Answers } from './answers.ts';
import { createClient } from './generated/hey-api/client/index.ts';
import type { GrepLine } from './generated/hey-api/index.ts';
import * as sidecar from './generated/hey-api/index.ts';

/** Asks with the functions that @hey-api/openapi-ts made. */
export async function askWithHeyApi(baseUrl: string, token: string): Promise<Answers> {
  const options = { client: createClient({ baseUrl, auth: token }), throwOnError: true } as const;
  const ls = await sidecar.ls(options);
  const find = await sidecar.find({ ...options, query: { pattern: 'MAIN.*' } });
  const glob = await sidecar.glob({ ...options, query: { pattern: 'src/**/*.py' } });
  const grep = await sidecar.grep({
    ...options,
    query: { pattern: '^def ', isRegex: true, includeGlob: ['*.py', '*.js'] },
  });
  const read = await sidecar.read({ ...options, query: { path: 'src/main.py', startLine: 3, endLine: 3 } });
  const execute = await sidecar.execute({
    ...options,
    body: { action: 'find_file', properties: [{ name: 'pattern', value: 'main.*' }] },
  });
  const stream = await sidecar.grepStream({ ...options, query: { pattern: 'def ', sort: 'path' }, parseAs: 'text' });
  const missing = await sidecar.read({ ...options, throwOnError: false, query: { path: 'src/mian.py' } });
  if (missing.error === undefined) throw new Error('no error');
  const { status, code, suggestions } = missing.error;
  return {
    ls: ls.data.entries.map(({ path, size }) => ({ path, size })),
    find: find.data.matches.map(({ path }) => path),
    glob: glob.data.matches.map(({ path }) => path),
    grep: grep.data.matches.map(({ path, line, text }) => ({ path, line, text })),
    read: { content: read.data.content, total_lines: read.data.total_lines },
    execute: { content: execute.data.content, count: execute.data.result['count'] },
    stream: toStreamAnswer(stream.data),
    error: { status, code, suggestions },
  };
}

/** Of a stream that is read as one text, as it may be where it is short. */
function toStreamAnswer(body: string): Answers['stream'] {
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line): GrepLine => JSON.parse(line));
  return {
    types: lines.map(({ type }) => type),
    paths: lines.flatMap((line) => (line.type === 'match' ? [line.data.path] : [])),
  };
}
