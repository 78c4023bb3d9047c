import { type Static, Type } from 'typebox';
import { compileGlob, type Glob, type GlobState } from '../text/glob.ts';
import { toBytes, toText } from '../workspace/names.ts';
import type { Located } from '../workspace/resolve.ts';
import type { Select } from '../workspace/walk.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Entry, toEntries } from './entry.ts';
import { extent, globs, LEFT_OUT, NOISE, pattern, place, scope, showDetails, type } from './fields.ts';
import { headOf } from './head.ts';
import { hintsOf, type Proposal } from './hints.ts';
import { type Context, defineOperation, type Run } from './operation.ts';
import { globRules } from './patterns.ts';
import { defaulted } from './schema.ts';

const Input = Type.Object(
  {
    pattern: pattern(
      'Without a slash it matches the name at any depth; with one it is relative to `path`, and with a leading one to the workspace root. `**` is zero or more folders; `*`, `?`, `[…]`, `[!…]` and `{a,b}` are as in bash and match dots, too; parentheses, `+`, `@` and `!` are literal. A pattern that is exactly the path of an existing file means that file.',
      ['**/*.py'],
    ),
    ...place,
    caseSensitive: defaulted(
      Type.Boolean({ default: true, description: 'Whether upper and lower case are different.' }),
    ),
    type: type('file'),
    ...scope,
    excludeGlob: globs(
      'Not what matches one of these globs, nor what lies below: without a slash names at any depth, with one paths below `path`; counted in `skipped.excluded`. A folder that `pattern` or `path` spells out is searched all the same. A list of your own replaces this one.',
      NOISE,
    ),
    showDetails,
    ...extent,
  },
  { additionalProperties: false },
);
type Input = Static<typeof Input>;

export const glob = defineOperation({
  name: 'glob',
  summary: 'Find files by a pattern over paths',
  description: `Finds files (or directories, with \`type\`) whose path matches a glob such as \`**/*.ts\` or \`src/{app,lib}/*.py\`. Use it when folders matter, or for all files of a kind; use \`find\` for a name in any case, \`grep\` for content. Case matters by default, and hidden files are found. ${LEFT_OUT} Folders that the pattern spells out are searched, too. When \`truncated\` is true, narrow \`path\` or \`pattern\`, or raise \`maxResults\`.`,
  input: Input,
  record: Entry,
  recordType: 'match',
  list: 'matches',
  isSearch: () => true,
  isShareable: true,
  toText: ({ path }) => path,
  start: begin,
});

function begin(input: Input, context: Context): Run<Entry> {
  const { signal, skip, workspace } = context;
  const pattern = compileGlob(input.pattern, {
    caseSensitive: input.caseSensitive,
    maxAlternatives: workspace.bounds.alternatives,
  });
  const exclude = globRules(input.excludeGlob, workspace.bounds);
  const start = workspace.locateDirectory(input);
  const exact = existingFile(input.pattern, pattern, start, workspace);
  const walkBy = <S>(select: Select<S>, isExempt: (names: readonly string[]) => boolean) =>
    workspace.walk(
      start,
      {
        order: input.sort,
        depth: Number.POSITIVE_INFINITY,
        hidden: input.includeHidden,
        gitignore: input.gitignore,
        exclude,
        isExempt,
        type: pattern.directoryOnly ? 'directory' : input.type,
        details: input.showDetails,
        select,
      },
      skip,
      signal,
    );
  const found =
    exact === undefined
      ? walkBy(byGlob(pattern, start), spelledOut(pattern, input, start))
      : walkBy(byPath(exact), (names) => startsWith(exact.slice(0, -1), names));
  return {
    head: headOf(start, input.pattern),
    records: toEntries(found, workspace),
    hints: () => hintsOf(begin, input, context, proposals(input, pattern)),
    close: () => start.handle.close(),
  };
}

/** What may have been meant when nothing matches. */
function proposals({ caseSensitive, pattern, type }: Input, { anchored, nameOnly }: Glob): Proposal[] {
  const list: Proposal[] = [];
  if (caseSensitive) list.push({ change: { caseSensitive: false }, hint: 'It would match with caseSensitive=false.' });
  if (!nameOnly && !pattern.startsWith('**/')) {
    const wider = `**/${anchored ? pattern.slice(1) : pattern}`;
    list.push({ change: { pattern: wider }, hint: `It would match deeper down: send pattern=${wider}.` });
  }
  if (type !== 'any')
    list.push({ change: { type: 'any' }, hint: `Something else than a ${type} matches: send type=any.` });
  return list;
}

/** Begins where the glob's state in the start folder is already known: an anchored glob has come some way there. */
function byGlob(glob: Glob, start: Located): Select<GlobState | undefined> {
  return {
    start: glob.anchored ? stateAt(glob, start) : glob.start,
    wanted: (state, names, kinds) =>
      names.map((name, at) => {
        const after = state === undefined ? undefined : glob.step(state, name);
        return after !== undefined && glob.accepts(after, kinds[at] === 'directory');
      }),
    enter: (state, name) => {
      const after = state === undefined ? undefined : glob.step(state, name);
      return after !== undefined && glob.descends(after) ? after : undefined;
    },
  };
}

/** A walk to one file, by the names that lead to it. */
function byPath(names: readonly string[]): Select<number> {
  return {
    start: 0,
    wanted: (depth, entries) => entries.map((name) => depth === names.length - 1 && name === names[depth]),
    enter: (depth, name) => (depth < names.length - 1 && name === names[depth] ? depth + 1 : undefined),
  };
}

/** What an anchored glob knows in the start folder; undefined when nothing below it can match. */
function stateAt(glob: Glob, { shown }: Located): GlobState | undefined {
  return shown.reduce<GlobState | undefined>(
    (state, name) => (state === undefined ? undefined : glob.step(state, toText(name))),
    glob.start,
  );
}

/** Tells the folders below the start that the pattern spells out. */
function spelledOut(
  { anchored, literalFolders }: Glob,
  { caseSensitive }: Input,
  { shown }: Located,
): (names: readonly string[]) => boolean {
  const above = anchored ? shown.map(toText) : [];
  return (names) => {
    const path = [...above, ...names].map((name) => (caseSensitive ? name : name.toLowerCase()));
    return literalFolders.some((folders) => startsWith(folders, path));
  };
}

function startsWith(names: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((name, at) => names[at] === name);
}

/**
 * The names below the start that lead to the regular file whose path the
 * pattern is, letter for letter, when the pattern as a glob means something
 * else: `app/[id]/page.tsx`. A name that the glob matches, too, hides nothing
 * else from it, so a file called `**` does no harm.
 */
function existingFile(pattern: string, glob: Glob, start: Located, workspace: Workspace): string[] | undefined {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  const above = start.shown.map(toText);
  if (glob.anchored && !startsWith(names, above)) return undefined;
  const below = glob.anchored ? names.slice(above.length) : names;
  if (below.length === 0 || matchesPath(glob, names)) return undefined;
  return workspace.isFile([...start.shown, ...below.map(toBytes)]) ? below : undefined;
}

function matchesPath(glob: Glob, names: readonly string[]): boolean {
  const after = names.reduce<GlobState | undefined>(
    (state, name) => (state === undefined ? undefined : glob.step(state, name)),
    glob.start,
  );
  return after !== undefined && glob.accepts(after, false);
}
