import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

/** The layers, top first, by the beginnings of their files' paths; a layer may import itself and those below. */
const LAYERS: readonly (readonly string[])[] = [
  ['src/server.ts'],
  ['src/app.ts'],
  ['plugins/', 'routes/'],
  ['src/mcp/'],
  ['src/pool/'],
  ['src/skills/', 'src/results/'],
  ['src/operations/', 'src/problem.ts'],
  ['src/workspace/', 'src/search/'],
  ['src/config.ts', 'src/confine.ts', 'src/log.ts', 'src/version.ts'],
  ['src/settings.ts'],
  ['src/text/'],
  ['src/errors.ts', 'src/bounds.ts'],
];

/** Imports that go against the layers, each for a reason. */
const EXCEPTIONS = new Set([
  // The settings name the policy's sets.
  'src/config.ts → src/workspace/policy.ts',
  'src/settings.ts → src/workspace/policy.ts',
  // The program denies itself what it does not need.
  'src/confine.ts → src/workspace/landlock.ts',
  'src/confine.ts → src/workspace/root.ts',
]);

const SOURCES = ['src', 'plugins', 'routes'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

function importsOf(file: string, what: 'all' | 'values' = 'all'): string[] {
  if (!SOURCES.includes(file)) return [];
  const found = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\b(?<type> type\b)?[^;]*?from '(?<path>[^']+)';/gms,
  );
  return [...found]
    .filter(({ groups }) => what === 'all' || groups?.['type'] === undefined)
    .map(({ groups }) => groups?.['path'] ?? '');
}

function layerOf(file: string): number {
  return LAYERS.findIndex((places) => places.some((place) => file.startsWith(place)));
}

const EDGES = SOURCES.flatMap((file) =>
  importsOf(file)
    .filter((path) => path.startsWith('.'))
    .map((path) => ({ file, imported: normalize(join(dirname(file), path)) })),
);

it('every source file has its place in the table', () => {
  expect(SOURCES.filter((file) => layerOf(file) === -1)).toEqual([]);
});

it('imports go down the layers', () => {
  const upward = EDGES.filter(({ file, imported }) => layerOf(imported) < layerOf(file))
    .map(({ file, imported }) => `${file} → ${imported}`)
    .filter((edge) => !EXCEPTIONS.has(edge));
  expect(upward).toEqual([]);
});

it('nothing imports routes or plugins but the app, and neither imports the other', () => {
  const isFace = (file: string) => file.startsWith('plugins/') || file.startsWith('routes/');
  const crossing = EDGES.filter(
    ({ file, imported }) => isFace(imported) && file !== 'src/app.ts' && dirname(file) !== dirname(imported),
  );
  expect(crossing).toEqual([]);
});

it('operations do not import each other', () => {
  const names = ['ls', 'find', 'glob', 'grep', 'read'].map((name) => `src/operations/${name}.ts`);
  const between = EDGES.filter(({ file, imported }) => names.includes(file) && names.includes(imported));
  expect(between).toEqual([]);
});

it('only the workspace, and the program for its own files, touches the file system', () => {
  const allowed = (file: string) =>
    file.startsWith('src/workspace/') || ['src/config.ts', 'src/server.ts'].includes(file);
  const touching = SOURCES.filter((file) => importsOf(file).some((path) => /^(node:)?fs(\/promises)?$/.test(path)));
  expect(touching.filter((file) => !allowed(file))).toEqual([]);
});

it('only the search starts processes', () => {
  const starting = SOURCES.filter((file) => importsOf(file).some((path) => /^(node:)?child_process$/.test(path)));
  expect(starting.filter((file) => !file.startsWith('src/search/'))).toEqual([]);
});

it('only the app, under src, knows Fastify', () => {
  const knowing = SOURCES.filter(
    (file) => file.startsWith('src/') && importsOf(file).some((path) => path === 'fastify'),
  );
  expect(knowing.sort()).toEqual(['src/app.ts', 'src/server.ts']);
});

it('Model Context Protocol is loaded only when it is spoken', () => {
  const atStart = new Set<string>();
  const load = (file: string): void => {
    if (atStart.has(file)) return;
    atStart.add(file);
    for (const path of importsOf(file, 'values')) {
      load(path.startsWith('.') ? normalize(join(dirname(file), path)) : path);
    }
  };
  for (const file of ['src/server.ts', 'src/app.ts']) load(file);
  expect(atStart).toContain('plugins/mcp.ts');
  expect([...atStart].filter((name) => name.startsWith('@modelcontextprotocol/'))).toEqual([]);
});
