import { type Static, Type } from 'typebox';
import { type Bounds, DEFAULT_BOUNDS } from '../bounds.ts';
import { PatternInvalid } from '../errors.ts';
import type { SearchPattern } from '../search/argv.ts';
import { toLineRegex } from '../search/crlf.ts';
import { mayBeEmpty } from '../search/empty.ts';
import { type Cut, maxBytesOf } from '../search/excerpt.ts';
import { requiredText } from '../search/required.ts';
import { toEncoding } from '../text/encoding.ts';
import type { Rules, RulesState } from '../text/rules.ts';
import { toVirtual } from '../workspace/asked-path.ts';
import { toText } from '../workspace/names.ts';
import { openFile } from '../workspace/open.ts';
import type { Located } from '../workspace/resolve.ts';
import type { Select } from '../workspace/walk.ts';
import { pathBytes } from './entry.ts';
import { extent, globs, LEFT_OUT, MAX_INTEGER, NOISE, pattern, place, scope } from './fields.ts';
import { CUT, type GrepQuery } from './grep-query.ts';
import { searchFile, searchFound } from './grep-run.ts';
import { headOf } from './head.ts';
import { hintsOf, type Proposal } from './hints.ts';
import { type Context, defineOperation, type Run } from './operation.ts';
import { globRules } from './patterns.ts';
import { defaulted, oneOf } from './schema.ts';

const MAX_CONTEXT = 20;

const flag = (description: string, value = false) => defaulted(Type.Boolean({ default: value, description }));
const contextLines = (description: string) =>
  defaulted(Type.Integer({ minimum: 0, maximum: MAX_CONTEXT, default: 0, description }));

const Input = Type.Object(
  {
    pattern: pattern(
      'The text to search for, or with `isRegex` a regular expression of the Rust regex crate: linear-time, without look-around and back-references. Each line is searched by itself.',
      ['def main'],
    ),
    ...place,
    recursive: flag('Whether to search below the folder, too, and not in it alone.', true),
    isRegex: flag('Whether `pattern` is a regular expression; otherwise it is literal text.'),
    caseSensitive: flag('Whether upper and lower case are different.', true),
    wordRegexp: flag('Whether a match must be whole words.'),
    multiline: flag(
      'Whether a match may span lines; a record is then the line on which it starts. A regex must then take at least one character, and a CR before a line feed is a character like any other, but for `$`, which stands before both.',
    ),
    before: contextLines('Lines of context before each match.'),
    after: contextLines('Lines of context after each match.'),
    context: contextLines('Lines of context on both sides, where `before` and `after` are 0.'),
    output: defaulted(
      oneOf(['lines', 'files', 'count'], {
        default: 'lines',
        description:
          '`lines`: each matching line. `files`: each file with a match. `count`: its number of matching lines.',
      }),
    ),
    includeGlob: globs(
      'Only files that match one of these globs: without a slash names at any depth, with one paths below `path`. It brings nothing back that is hidden, excluded or ignored. Empty: all files.',
      [],
    ),
    excludeGlob: globs(
      'Not what matches one of these globs, nor what lies below: without a slash names at any depth, with one paths below `path`; counted in `skipped.excluded`. A list of your own replaces this one.',
      NOISE,
    ),
    ...scope,
    maxMatchesPerFile: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_INTEGER, description: 'At most this many matching lines of one file.' }),
    ),
    maxFiles: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_INTEGER, description: 'Matches of at most this many files.' }),
    ),
    maxLineLength: defaulted(
      Type.Integer({
        minimum: 1,
        maximum: DEFAULT_BOUNDS.lineLength,
        default: 500,
        description: 'A longer line, in characters, is cut to a window around the match.',
      }),
    ),
    encoding: defaulted(
      Type.String({
        default: 'auto',
        maxLength: 64,
        description:
          'The encoding of the files, as a WHATWG label. `auto`: UTF-8, and UTF-16 where a byte order mark says so.',
      }),
    ),
    ...extent,
  },
  { additionalProperties: false },
);
export type GrepInput = Static<typeof Input>;

const REGEX_LIKE = /[\\^$|]|\.[*+?]|\(\?|\[[^\]]+\]/;

const lines = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Match = Type.Object(
  {
    path: Type.String({ description: 'The file, from the workspace root.', examples: ['/src/main.py'] }),
    path_bytes: pathBytes,
    line: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INTEGER,
        description:
          'The line, from 1: the one that `read` gives for it. Absent with `output=files` and `output=count`.',
        examples: [42],
      }),
    ),
    text: Type.Optional(
      Type.String({
        description: 'The line without its line ending, or a part of it around the match.',
        examples: ['def main():'],
      }),
    ),
    clipped: Type.Optional(Type.Boolean({ description: 'True when `text` is a part of the line.' })),
    column: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INTEGER,
        description: 'Where the match starts in the line, in characters from 1; given with `clipped`.',
      }),
    ),
    lossy: Type.Optional(Type.Boolean({ description: 'True when bytes were not UTF-8 and show as U+FFFD.' })),
    before: lines('The lines before it, as far as no earlier record shows them.'),
    after: lines('The lines after it, as far as no later record shows them.'),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INTEGER,
        description: 'Matching lines of the file, with `output=count`.',
      }),
    ),
  },
  { $id: 'Match', additionalProperties: false, description: 'A matching line, or a file with matches.' },
);
export type Match = Static<typeof Match> & { [CUT]?: Cut };

export const grep = defineOperation({
  name: 'grep',
  summary: 'Search the content of files',
  description: `Searches the content of files for a text, or with \`isRegex\` for a regular expression, and gives the matching lines. Use it to find where something is written; use \`find\` or \`glob\` for names, and \`read\` from the line it gives to see more than \`context\` shows. Literal and case-sensitive by default; hidden files are searched. ${LEFT_OUT} Binary files are not searched but counted in \`skipped.binary\`. To see only where, send \`output\` as \`files\`. When \`truncated\` is true, narrow \`path\`, \`includeGlob\` or \`pattern\`, or raise \`maxResults\`.`,
  input: Input,
  record: Match,
  recordType: 'match',
  list: 'matches',
  isSearch: () => true,
  isShareable: true,
  toText: toLines,
  start: begin,
});

function begin(input: GrepInput, context: Context): Run<Match> {
  const query = toQuery(input, context.workspace.bounds);
  const start = context.workspace.locate(input);
  try {
    return start.stats.isDirectory() ? inFolder(start, input, query, context) : inFile(start, input, query, context);
  } catch (error) {
    start.handle.close();
    throw error;
  }
}

function inFile(start: Located, input: GrepInput, query: GrepQuery, context: Context): Run<Match> {
  const file = openFile(start);
  start.handle.close();
  const path = toVirtual(start.shown);
  return {
    head: headOf(start, input.pattern),
    records: searchFile({ path, text: toText(path) }, file, query, context),
    cutBy: () => cutBy(query),
    isInside: () => query.outcome.isInside,
    hints: () => hintsOf(begin, input, context, proposals(input)),
    close: () => file.close(),
  };
}

function inFolder(start: Located, input: GrepInput, query: GrepQuery, context: Context): Run<Match> {
  const include = globRules(input.includeGlob, context.workspace.bounds);
  const found = context.workspace.walk(
    start,
    {
      order: input.sort,
      depth: input.recursive ? Number.POSITIVE_INFINITY : 1,
      hidden: input.includeHidden,
      gitignore: input.gitignore,
      exclude: globRules(input.excludeGlob, context.workspace.bounds),
      type: 'file',
      details: false,
      select: byRules(include),
    },
    context.skip,
    context.signal,
  );
  return {
    head: headOf(start, input.pattern),
    records: searchFound(start, found, query, context),
    cutBy: () => cutBy(query),
    isInside: () => query.outcome.isInside,
    hints: () => hintsOf(begin, input, context, proposals(input)),
    close: () => start.handle.close(),
  };
}

function cutBy({ outcome }: GrepQuery): 'limit' | undefined {
  return outcome.isCut ? 'limit' : undefined;
}

/** What may have been meant when nothing matches. */
function proposals({ caseSensitive, isRegex, pattern, wordRegexp }: GrepInput): Proposal[] {
  const list: Proposal[] = [];
  if (caseSensitive && pattern.toLowerCase() !== pattern.toUpperCase()) {
    list.push({ change: { caseSensitive: false }, hint: 'It would match with caseSensitive=false.' });
  }
  if (!isRegex && REGEX_LIKE.test(pattern)) {
    list.push({
      change: { isRegex: true },
      hint: 'The pattern looks like a regular expression: it would match with isRegex=true.',
    });
  }
  if (wordRegexp) list.push({ change: { wordRegexp: false }, hint: 'It would match with wordRegexp=false.' });
  return list.map(({ change, hint }) => ({ change: { ...change, output: 'files', sort: 'none' }, hint }));
}

function byRules(include: Rules): Select<RulesState> {
  return {
    start: include.start,
    wanted: (state, names) => names.map((name) => include.isEmpty || include.verdict(state, name, false) === true),
    enter: (state, name) => include.enter(state, name),
  };
}

function toQuery(input: GrepInput, { outputBytes, regexBytes }: Bounds): GrepQuery {
  const before = input.before || input.context;
  const after = input.after || input.context;
  const pattern = toPattern(input);
  const required = isUtf8(input.encoding) ? requiredText(pattern) : undefined;
  return {
    pattern,
    isByLine: isUtf8(input.encoding) && !input.multiline,
    literal: isPlain(input) ? Buffer.from(input.pattern) : undefined,
    required: required === undefined ? undefined : Buffer.from(required),
    bounds: {
      maxColumns: maxBytesOf(input.maxLineLength),
      maxPerFile: input.output === 'files' ? 1 : (input.maxMatchesPerFile ?? 0),
      outputBytes,
      regexBytes,
    },
    output: input.output,
    before,
    after,
    hasContext: input.output === 'lines' && before + after > 0,
    maxLineLength: input.maxLineLength,
    outcome: { isCut: false, isInside: false },
  };
}

function toPattern(input: GrepInput): SearchPattern {
  const { caseSensitive, isRegex, multiline, wordRegexp } = input;
  const encoding = input.encoding.toLowerCase() === 'auto' ? 'auto' : toEncoding(input.encoding);
  return { text: checkedText(input), isRegex, caseSensitive, wordRegexp, multiline, encoding };
}

/** Whether the pattern can be looked for byte for byte. */
function isPlain({ caseSensitive, encoding, isRegex, multiline, wordRegexp }: GrepInput): boolean {
  return caseSensitive && isUtf8(encoding) && !isRegex && !multiline && !wordRegexp;
}

function isUtf8(encoding: string): boolean {
  return ['auto', 'utf-8', 'utf8'].includes(encoding.toLowerCase());
}

/** Throws PATTERN_INVALID. */
function checkedText({ isRegex, multiline, pattern }: GrepInput): string {
  if (pattern.includes('\0')) {
    throw new PatternInvalid('The pattern holds a NUL; files with one are binary and are not searched.');
  }
  if (!multiline && pattern.includes('\n')) {
    throw new PatternInvalid(
      'The pattern holds a line feed, but each line is searched by itself. Send multiline=true.',
    );
  }
  if (isRegex) toLineRegex(pattern, multiline);
  if (isRegex && multiline && mayBeEmpty(pattern)) {
    throw new PatternInvalid(
      'The pattern can match the empty text, and with multiline=true only a match of at least one character has a line on which it starts. Leave multiline out, or add what must stand there.',
    );
  }
  return pattern;
}

function toLines(match: Match): string {
  if (match.count !== undefined) return `${match.path}:${match.count}`;
  if (match.line === undefined) return match.path;
  const { before = [], line, after = [], path } = match;
  return [
    ...before.map((text, at) => `${path}-${line - before.length + at}-${text}`),
    `${path}:${line}:${match[CUT]?.start ? '…' : ''}${match.text}${match[CUT]?.end ? '…' : ''}`,
    ...after.map((text, at) => `${path}-${line + 1 + at}-${text}`),
  ].join('\n');
}
