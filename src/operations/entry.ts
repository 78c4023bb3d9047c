import { type Static, Type } from 'typebox';
import type { Kind } from '../workspace/listing.ts';
import { type Bytes, isFaithful } from '../workspace/names.ts';
import type { Details } from '../workspace/native.ts';
import type { Found } from '../workspace/walk.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { MAX_INTEGER } from './fields.ts';
import { oneOf } from './schema.ts';

export const pathBytes = Type.Optional(
  Type.String({
    description:
      'The path in base64, when it is not UTF-8 and `path` shows U+FFFD for a byte of it. Send it as `pathBytes`.',
  }),
);

/** An entry of a folder, as ls, find and glob show it. */
export const Entry = Type.Object(
  {
    path: Type.String({
      description: 'From the workspace root; a directory ends in a slash. Can be sent back as it is.',
      examples: ['/src/main.py'],
    }),
    path_bytes: pathBytes,
    is_dir: Type.Boolean({ description: 'Whether it is a directory. A link to one is not.' }),
    size: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_INTEGER,
        description:
          'Bytes of a file; 0 for directories, unless folder sizes were asked for, and for links. Absent without details, or when the entry is gone.',
        examples: [1284],
      }),
    ),
    modified_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When its content last changed, in UTC.',
        examples: ['2026-07-24T10:30:00Z'],
      }),
    ),
    type: oneOf(['file', 'directory', 'symlink', 'other'], {
      description: 'What it is; `other` is a FIFO, socket or device.',
      examples: ['file'],
    }),
    target: Type.Optional(
      Type.String({ description: 'Where a link leads, when all of its way lies inside the workspace and is allowed.' }),
    ),
  },
  { $id: 'Entry', additionalProperties: false, description: 'An entry of a directory.' },
);
export type Entry = Static<typeof Entry>;

/** A found entry as a record. */
export function toEntry(found: Found, workspace: Workspace): Entry {
  const { details, kind, path, text } = found;
  const isDirectory = kind === 'directory';
  // Most entries by far; made at once, they all have one shape, which the engine makes and writes faster.
  const entry: Entry =
    path === text
      ? { path: isDirectory ? `${text}/` : text, is_dir: isDirectory, type: kind }
      : { ...shownAs(found, isDirectory), is_dir: isDirectory, type: kind };
  if (details !== undefined) addDetails(entry, kind, details);
  if (kind === 'symlink') {
    const target = workspace.linkTarget(path);
    if (target !== undefined) entry.target = target;
  }
  return entry;
}

/** Links that are followed before others have the thread: each may be a long way. */
const LINKS_PER_BATCH = 8;

/** The found entries as records, in batches. */
export async function* toEntries(found: Iterable<Found[]>, workspace: Workspace): AsyncGenerator<Entry[], void> {
  for (const batch of found) {
    let entries: Entry[] = [];
    let links = 0;
    for (const one of batch) {
      entries.push(toEntry(one, workspace));
      if (one.kind === 'symlink') links += 1;
      if (links < LINKS_PER_BATCH) continue;
      yield entries;
      entries = [];
      links = 0;
    }
    yield entries;
  }
}

/** `path`, and `path_bytes` when the path does not show all its bytes. */
export function shownAs(
  { path, text }: { path: Bytes; text: string },
  isDirectory: boolean,
): { path: string; path_bytes?: string } {
  const slash = isDirectory ? '/' : '';
  if (isFaithful(path, text)) return { path: text + slash };
  return { path: text + slash, path_bytes: Buffer.from(path + slash, 'latin1').toString('base64') };
}

const LAST_YEAR_END = Date.UTC(10_000, 0);
const FIRST_YEAR_START = Date.parse('0000-01-01T00:00:00Z');

const DAY = 86_400_000;
const SECOND = 1000;

/** The last day that was written, since files of a tree often have theirs in common. */
let lastDay = Number.NaN;
let lastDayText = '';

/** RFC 3339, in whole seconds; undefined for times that it cannot express. */
export function timestamp(milliseconds: number): string | undefined {
  if (!(milliseconds >= FIRST_YEAR_START && milliseconds < LAST_YEAR_END)) return undefined;
  const whole = Math.trunc(milliseconds);
  const day = Math.floor(whole / DAY);
  if (day !== lastDay) {
    lastDayText = new Date(day * DAY).toISOString().slice(0, 11);
    lastDay = day;
  }
  const seconds = Math.floor((whole - day * DAY) / SECOND);
  return `${lastDayText}${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}Z`;
}

function twoDigits(value: number): string {
  const whole = Math.floor(value);
  return whole < 10 ? `0${whole}` : `${whole}`;
}

function addDetails(entry: Entry, kind: Kind, { mtimeMs, size }: Details): void {
  entry.size = kind === 'file' ? size : 0;
  const modified = timestamp(mtimeMs);
  if (modified !== undefined) entry.modified_at = modified;
}
