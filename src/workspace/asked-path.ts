import { InputInvalid, PathInvalid } from '../errors.ts';
import { type Bytes, isFaithful, toBytes, toText } from './names.ts';

/** A caller's path, taken apart. Nothing in it has been looked up. */
export interface AskedPath {
  /** Names below the root, without `.` and empty ones. */
  segments: readonly Bytes[];
  /** Ends in a slash: only a folder will do. */
  directoryOnly: boolean;
}

const HOW = 'Send a path from the workspace root instead, such as src/main.ts.';
const DRIVE = /^[A-Za-z]:(?:[\\/]|$)/;
const UNC = /^\\\\/;
const TRAILING_SLASH = /\/\.?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SHOWN_LENGTH = 300;

/**
 * Takes a virtual path apart (POSIX pathname resolution, XBD 4.13, over the
 * root). Throws PATH_INVALID for what climbs or is no POSIX path.
 */
export function parsePath(text: string): AskedPath {
  if (text.includes('\0')) throw new PathInvalid(shorten(text), `it holds a NUL character. ${HOW}`);
  if (text.startsWith('~')) {
    throw new PathInvalid(
      shorten(text),
      `'~' is not expanded here. ${HOW} For a name that begins with '~', send ./~name.`,
    );
  }
  if (DRIVE.test(text) || UNC.test(text)) throw new PathInvalid(shorten(text), `it is a Windows path. ${HOW}`);
  return split(toBytes(text), text);
}

/** The same for a path in base64, as `path_bytes` gives it for names that are not UTF-8. */
export function parsePathBytes(base64: string): AskedPath {
  if (!BASE64.test(base64)) {
    throw new InputInvalid("'pathBytes' is not base64. Send the value of path_bytes as it was given.");
  }
  const bytes = Buffer.from(base64, 'base64').toString('latin1');
  const text = toText(bytes);
  return isFaithful(bytes, text) ? parsePath(text) : split(bytes, text);
}

/** The path as replies show it, without a trailing slash but for the root's. */
export function toVirtual(segments: readonly Bytes[]): Bytes {
  return `/${segments.join('/')}`;
}

/** A path as error texts quote it. */
export function shorten(path: string): string {
  return path.length <= SHOWN_LENGTH ? path : `${path.slice(0, SHOWN_LENGTH)}…`;
}

function split(bytes: Bytes, text: string): AskedPath {
  const segments = bytes.split('/').filter((segment) => segment !== '' && segment !== '.');
  for (const segment of segments) {
    if (segment === '..') throw new PathInvalid(shorten(text), `'..' segments are refused. ${HOW}`);
    if (segment === '~') throw new PathInvalid(shorten(text), `a '~' segment is refused. ${HOW}`);
    if (segment.includes('\0')) throw new PathInvalid(shorten(text), `it holds a NUL character. ${HOW}`);
  }
  return { segments, directoryOnly: TRAILING_SLASH.test(text) };
}
