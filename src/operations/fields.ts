import { Type } from 'typebox';
import { DEFAULT_BOUNDS } from '../bounds.ts';
import { defaulted, oneOf } from './schema.ts';

/** Left out of searches unless asked for: what tools put into a workspace and no one wants to read. */
export const NOISE = ['.git', 'node_modules', '__pycache__', '.venv', 'dist', 'build'];

/** The same, for the model that is to know what it will not see. */
export const LEFT_OUT = `Folders that are left out unless \`path\` lies in them or \`excludeGlob\` is a list of your own: ${NOISE.join(', ')}.`;

/** The largest integer that JSON carries exactly between all clients (RFC 8259, section 6). */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
export const MAX_PATTERN = DEFAULT_BOUNDS.patternLength;
const MAX_LIST = 100;

const path = defaulted(
  Type.String({
    default: '/',
    description:
      'Where to start: a path from the workspace root, with forward slashes. Never a pattern: `app/[id]` is a folder of that name. Absolute paths are taken from the workspace root; `..` and `~` are refused.',
    examples: ['src'],
  }),
);

const pathBytes = Type.Optional(
  Type.String({
    description:
      'The path in base64, instead of `path`: the value of a `path_bytes`, for names that are not UTF-8. `c3Jj` is `src`.',
    maxLength: 65_536,
  }),
);

/** Where an operation starts. */
export const place = { path, pathBytes };

/** The one file that an operation reads. */
export const placeOfFile = {
  path: defaulted(
    Type.String({
      default: '/',
      description:
        'The file: a path from the workspace root, with forward slashes. Never a pattern: `app/[id].ts` is a file of that name. Absolute paths are taken from the workspace root; `..` and `~` are refused.',
      examples: ['src/main.py'],
    }),
  ),
  pathBytes,
};

const maxResults = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_INTEGER,
    description:
      "At most this many results; `truncated` says whether there were more. Without it: the server's cap in JSON and text, no limit in a stream.",
    examples: [100],
  }),
);

const timeoutMs = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_INTEGER,
    description:
      "Milliseconds after which the search ends with what it has found, `truncated_by` being `timeout`. At most the server's limit (30000 unless its operator set another), which also holds without it.",
  }),
);

const sort = defaulted(
  oneOf(['path', 'none'], {
    default: 'path',
    description:
      '`path`: in code-point order of the path, folder by folder; the same request on the same tree gives the same bytes. `none`: as found, which is faster; the default in a stream.',
  }),
);

/** How much is answered, and in which order. */
export const extent = { maxResults, timeoutMs, sort };

const includeHidden = defaulted(
  Type.Boolean({ default: true, description: 'Whether names that begin with a dot are among the results.' }),
);

const gitignore = defaulted(
  Type.Boolean({
    default: false,
    description: "Whether to leave out what the tree's `.gitignore` files ignore; counted in `skipped.ignored`.",
  }),
);

/** Which parts of the tree are looked at. */
export const scope = { includeHidden, gitignore };

/** A list of patterns in the syntax that `description` names. */
export function globs(description: string, list: string[]) {
  return defaulted(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATTERN }), {
      default: list,
      maxItems: MAX_LIST,
      description: `${description} Given as a list, or as one string with commas.`,
    }),
  );
}

export const type = (fallback: 'any' | 'file') =>
  defaulted(
    oneOf(['any', 'file', 'directory'], {
      default: fallback,
      description: 'Which entries: files, directories, or any; links and special files show with `any` alone.',
    }),
  );

export const showDetails = defaulted(
  Type.Boolean({ default: true, description: 'Whether entries carry `size` and `modified_at`.' }),
);

export const pattern = (description: string, examples: string[]) =>
  Type.String({ minLength: 1, maxLength: MAX_PATTERN, description, examples });
