import fresh from 'fresh';
import { lookup } from 'mime-types';
import { Busy, RangePastEnd } from '../errors.ts';
import { toText } from '../workspace/names.ts';
import type { LocatedFile } from '../workspace/open.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Outlet } from './outlet.ts';
import type { RawJob, ReplyHead, Summary } from './protocol.ts';

const CHUNK = 256 * 1024;
const MAX_ATTEMPTS = 8;

/** A part of a file: its first byte and the one after its last. */
interface Span {
  start: number;
  end: number;
}

/**
 * Sends a file's bytes, or the one range that was asked for (RFC 9110, section
 * 14), or that they have not changed (section 13). Several ranges, and units
 * other than bytes, are answered with the whole, as section 14.2 lets a server do.
 */
export async function sendRaw(
  { input, headers }: RawJob,
  workspace: Workspace,
  outlet: Outlet,
  cancelled: AbortSignal,
  begin: (head: ReplyHead) => void,
): Promise<Summary> {
  const { file, first, head, span } = openFirst(input, headers, workspace, begin);
  try {
    begin(head);
    let bytes = first;
    for (let position = span.start; position < span.end && !cancelled.aborted; ) {
      // What was announced cannot be kept, and the reply breaks off.
      if (bytes.length === 0) throw new Error('the file became shorter while it was sent');
      position += bytes.length;
      outlet.writeBytes(new Uint8Array(bytes), position >= span.end);
      await outlet.ready(cancelled);
      bytes = file.read(position, Math.min(CHUNK, span.end - position));
    }
    return { records: 0, bytes: outlet.bytes };
  } finally {
    file.close();
  }
}

/** An open file, what is announced of it, and the first bytes of that. */
interface First {
  file: LocatedFile;
  head: ReplyHead;
  span: Span;
  first: Buffer;
}

/** Opens the file, again if it was emptied meanwhile: what is announced shall be there. Throws BUSY, RANGE_PAST_END. */
function openFirst(
  input: RawJob['input'],
  headers: Record<string, string>,
  workspace: Workspace,
  begin: (head: ReplyHead) => void,
): First {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const file = workspace.openFile(input);
    try {
      const { head, span } = answer(file, headers, begin);
      const first = file.read(span.start, Math.min(CHUNK, span.end - span.start));
      if (first.length > 0 || span.start === span.end) return { file, head, span, first };
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
  }
  throw new Busy('The file became shorter each time it was read. Try again in a moment.');
}

function answer(
  file: LocatedFile,
  asked: Record<string, string>,
  begin: (head: ReplyHead) => void,
): { head: ReplyHead; span: Span } {
  const validators = { etag: entityTag(file), 'last-modified': file.stats.mtime.toUTCString() };
  // Before the range is looked at (RFC 9110, section 13.2.2).
  if (fresh(asked, validators)) return { head: { status: 304, headers: validators }, span: { start: 0, end: 0 } };
  const range = rangeOf(asked, file);
  if (range === 'unsatisfiable') {
    begin({ status: 416, headers: { 'content-range': `bytes */${file.size}` } });
    throw new RangePastEnd(`The range '${asked['range']}' begins past the end: the file has ${file.size} bytes.`);
  }
  const span = range ?? { start: 0, end: file.size };
  const headers = {
    ...validators,
    'accept-ranges': 'bytes',
    'content-type': contentType(file),
    'content-length': String(span.end - span.start),
    ...(range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end - 1}/${file.size}` }),
  };
  return { head: { status: range === undefined ? 200 : 206, headers }, span };
}

/** One range of bytes: from, to, or the last so many (RFC 9110, section 14.1.2). */
const RANGE = /^bytes=(\d*)-(\d*)$/i;

function rangeOf(asked: Record<string, string>, file: LocatedFile): Span | 'unsatisfiable' | undefined {
  if (asked['if-range'] !== undefined && asked['if-range'] !== entityTag(file)) return undefined;
  const [, from = '', to = ''] = RANGE.exec(asked['range'] ?? '') ?? [];
  if (from === '') return to === '' ? undefined : lastOf(Number(to), file.size);
  const end = to === '' ? Number.POSITIVE_INFINITY : Number(to) + 1;
  if (end <= Number(from)) return undefined;
  return Number(from) < file.size ? { start: Number(from), end: Math.min(end, file.size) } : 'unsatisfiable';
}

function lastOf(length: number, size: number): Span | 'unsatisfiable' {
  return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size };
}

/** Changes with any write: the times are the file system's, to the nanosecond where it keeps them so. */
function entityTag({ stats }: LocatedFile): string {
  return `"${[stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].map((part) => part.toString(36)).join('-')}"`;
}

/** Source code whose extensions the registry gives to something else. */
const SOURCE_CODE = /\.(?:[cm]?ts|tsx|rs)$/i;

function contentType({ shown }: LocatedFile): string {
  const name = toText(shown.at(-1) ?? '');
  const type = SOURCE_CODE.test(name) ? 'text/plain' : lookup(name);
  if (type === false) return 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
