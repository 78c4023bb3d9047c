import { Type } from 'typebox';
import type { Operation } from '../src/operations/operation.ts';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is at fault. `INPUT_INVALID`: a field is missing, unknown, of the wrong type or out of its bounds. `PATH_INVALID`: the path climbs (`..`), begins with `~`, holds a NUL or is a Windows path. `PATTERN_INVALID`: the pattern cannot be used. `ENCODING_UNKNOWN`: the encoding is no WHATWG label. Of POST /execute `BODY_INVALID`: the body holds no payload, more than one, or was cut off; `ACTION_UNKNOWN`: there is no such action.',
  401: '`UNAUTHORIZED`: the service has a token, and the request none or another.',
  403: '`PATH_BLOCKED`: the policy blocks the path, whether or not it exists. `PATH_OUTSIDE_ROOT`: a link on the path leaves the workspace. `PERMISSION_DENIED`: the file system denies it to the service. `HOST_FORBIDDEN`: without a token, the `Host` or the web page that the request comes from is not allowed.',
  404: '`NOT_FOUND`: there is no such file or directory; `suggestions` names some that may have been meant.',
  413: '`BODY_TOO_LARGE`: the body is larger than the service takes.',
  415: '`FILE_IS_BINARY`: it cannot be read as text; ask with `as=base64`, or GET /read/raw.',
  416: '`RANGE_PAST_END`: the range begins past the end of the file.',
  422: 'It is there, and of another kind. `NOT_A_FILE`: a directory or a special file. `NOT_A_DIRECTORY`: no directory. `SYMLINK_LOOP`: links without end.',
  500: '`INTERNAL`: the service failed; its log says why, under the id in `instance`.',
  503: '`BUSY`: too much is under way; `Retry-After` says in how many seconds to come back.',
};

const EVERYWHERE = [400, 401, 403, 404, 422, 500, 503];

/** The failures of an operation's routes, each with one content type. */
export function problems(operation: Operation): Record<number, object> {
  return problemsOf(operation.name === 'read' ? [...EVERYWHERE, 415, 416] : EVERYWHERE);
}

export function problemsOf(statuses: readonly number[]): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? '',
        content: { 'application/problem+json': { schema: Type.Ref('ErrorResponse') } },
      },
    ]),
  );
}
