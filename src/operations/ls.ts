import { Type } from 'typebox';
import type { Found, Select } from '../workspace/walk.ts';
import { Entry, toEntries, toEntry } from './entry.ts';
import { extent, globs, MAX_INTEGER, place, scope, showDetails, type } from './fields.ts';
import { headOf } from './head.ts';
import { type Context, defineOperation } from './operation.ts';
import { fnmatchRules, matchesAny } from './patterns.ts';
import { defaulted } from './schema.ts';

const Input = Type.Object(
  {
    ...place,
    recursive: defaulted(Type.Boolean({ default: false, description: 'Whether to list everything below, too.' })),
    depth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INTEGER,
        description: 'How many levels to list. 1 without `recursive`, no limit with it.',
      }),
    ),
    type: type('any'),
    ...scope,
    includeGlob: globs('Only names that match one of these, as Python fnmatch has it. Empty: all names.', []),
    excludeGlob: globs(
      'Not the names that match one of these, as Python fnmatch has it, nor what lies below them.',
      [],
    ),
    folderSizes: defaulted(
      Type.Boolean({
        default: false,
        description: "Whether a directory's `size` is the bytes of all regular files below it; otherwise it is 0.",
      }),
    ),
    showDetails,
    ...extent,
  },
  { additionalProperties: false },
);

export const ls = defineOperation({
  name: 'ls',
  summary: 'List a directory',
  description:
    'Lists the entries of a directory, or of the whole tree below it with `recursive`. Use it to see what is there; use `find` when the name is known, `glob` for a pattern over paths. Nothing is left out by default, hidden entries and node_modules neither: with `recursive` send an `excludeGlob`. When `truncated` is true, list a directory further down, or raise `maxResults`.',
  input: Input,
  record: Entry,
  recordType: 'entry',
  list: 'entries',
  isSearch: ({ recursive, folderSizes, depth }) => recursive || folderSizes || (depth ?? 1) > 1,
  isShareable: true,
  toText: ({ path }) => path,
  start(input, context) {
    const start = context.workspace.locateDirectory(input);
    const found = context.workspace.walk(
      start,
      {
        order: input.sort,
        depth: input.depth ?? (input.recursive ? Number.POSITIVE_INFINITY : 1),
        hidden: input.includeHidden,
        gitignore: input.gitignore,
        exclude: fnmatchRules(input.excludeGlob),
        type: input.type,
        details: input.showDetails,
        select: byNames(input.includeGlob),
      },
      context.skip,
      context.signal,
    );
    return {
      head: headOf(start),
      records: input.folderSizes && input.showDetails ? withSizes(found, context) : toEntries(found, context.workspace),
      close: () => start.handle.close(),
    };
  },
});

function byNames(includeGlob: readonly string[]): Select<true> {
  const matches = matchesAny(includeGlob);
  return { start: true, wanted: (_, names) => names.map(matches), enter: () => true };
}

async function* withSizes(found: Iterable<Found[]>, { workspace, signal }: Context): AsyncGenerator<Entry[], void> {
  for (const batch of found) {
    const entries: Entry[] = [];
    for (const one of batch) {
      const entry = toEntry(one, workspace);
      entries.push(entry.is_dir ? sized(entry, await workspace.folderSize(one.path, signal)) : entry);
    }
    yield entries;
  }
}

function sized({ size: _, ...entry }: Entry, size: number | undefined): Entry {
  return size === undefined ? entry : { ...entry, size };
}
