import { type Static, Type } from 'typebox';
import { compileFnmatch } from '../text/fnmatch.ts';
import type { NameMatcher } from '../text/name-matcher.ts';
import { compilePythonRegex } from '../text/python-regex/index.ts';
import type { Select } from '../workspace/walk.ts';
import { Entry, toEntries } from './entry.ts';
import { extent, globs, LEFT_OUT, NOISE, pattern, place, scope, type } from './fields.ts';
import { headOf } from './head.ts';
import { hintsOf, type Proposal } from './hints.ts';
import { type Context, defineOperation, type Run } from './operation.ts';
import { fnmatchRules, matchesAny } from './patterns.ts';
import { defaulted } from './schema.ts';

const Input = Type.Object(
  {
    pattern: pattern(
      'Matched against the name (the last segment) as Python fnmatch has it: `*`, `?`, `[seq]`, `[!seq]` and nothing else; the whole name must match, a slash never does, and braces are literal (send two requests, or use glob). With `isRegex`, a Python regular expression searched in the name.',
      ['*.py'],
    ),
    ...place,
    type: type('file'),
    recursive: defaulted(
      Type.Boolean({ default: true, description: 'Whether to look below the folder, too, and not in it alone.' }),
    ),
    isRegex: defaulted(
      Type.Boolean({ default: false, description: 'Whether `pattern` is a Python regular expression (`re.search`).' }),
    ),
    caseSensitive: defaulted(
      Type.Boolean({ default: false, description: 'Whether upper and lower case are different.' }),
    ),
    includeGlob: globs('Only names that match one of these, too, as Python fnmatch has it. Empty: all names.', []),
    excludeGlob: globs(
      'Not the names that match one of these, as Python fnmatch has it, nor what lies below them; counted in `skipped.excluded`. A list of your own replaces this one.',
      NOISE,
    ),
    ...scope,
    ...extent,
  },
  { additionalProperties: false },
);
type Input = Static<typeof Input>;

const REGEX_LIKE = /[\\^$+(|]|\.\*/;

export const find = defineOperation({
  name: 'find',
  summary: 'Find files or directories by name',
  description: `Finds files (or directories, with \`type\`) whose name matches a pattern, in any case unless \`caseSensitive\`. Use it when the name, or a part of it, is known and the place is not; use \`glob\` for a pattern over paths, \`grep\` for content, \`ls\` to see what is in one place. Hidden files are found. ${LEFT_OUT} When \`truncated\` is true, narrow \`path\` or \`pattern\`, or raise \`maxResults\`.`,
  input: Input,
  record: Entry,
  recordType: 'match',
  list: 'matches',
  isSearch: ({ recursive }) => recursive,
  isShareable: true,
  toText: ({ path }) => path,
  start: begin,
});

function begin(input: Input, context: Context): Run<Entry> {
  const { signal, skip, workspace } = context;
  const select = byName(input);
  const start = workspace.locateDirectory(input);
  const found = workspace.walk(
    start,
    {
      order: input.sort,
      depth: input.recursive ? Number.POSITIVE_INFINITY : 1,
      hidden: input.includeHidden,
      gitignore: input.gitignore,
      exclude: fnmatchRules(input.excludeGlob),
      type: input.type,
      details: true,
      select,
    },
    skip,
    signal,
  );
  return {
    head: headOf(start, input.pattern),
    records: toEntries(found, workspace),
    hints: () => hintsOf(begin, input, context, workspace.blocks([input.pattern]) ? [] : proposals(input)),
    close: () => start.handle.close(),
  };
}

/** What may have been meant when nothing has that name. */
function proposals(input: Input): Proposal[] {
  const { caseSensitive, isRegex, pattern, type } = input;
  const list: Proposal[] = [];
  if (caseSensitive) list.push({ change: { caseSensitive: false }, hint: 'It would match with caseSensitive=false.' });
  if (!isRegex && !pattern.startsWith('*') && !pattern.endsWith('*')) {
    const wider = `*${pattern}*`;
    list.push({ change: { pattern: wider }, hint: `The whole name must match: pattern=${wider} would match.` });
  }
  if (!isRegex && REGEX_LIKE.test(pattern)) {
    list.push({
      change: { isRegex: true },
      hint: 'The pattern looks like a regular expression: it would match with isRegex=true.',
    });
  }
  if (type !== 'any')
    list.push({ change: { type: 'any' }, hint: `Something else than a ${type} has that name: send type=any.` });
  return list;
}

function byName(input: Input): Select<true> {
  const matches = compilePattern(input);
  const included = matchesAny(input.includeGlob);
  return {
    start: true,
    wanted: (_, names) => {
      const matched = matches(names);
      return names.map((name, at) => matched[at] === true && included(name));
    },
    enter: () => true,
  };
}

function compilePattern({ pattern, isRegex, caseSensitive }: Input): NameMatcher {
  if (isRegex) return compilePythonRegex(pattern, { ignoreCase: !caseSensitive });
  const matches = compileFnmatch(pattern, { caseSensitive });
  return (names) => names.map(matches);
}
