import { type TSchema, Type } from 'typebox';
import type { Operation } from './operation.ts';

/** When each problem is sent, under its status. */
const PROBLEMS = {
  400: {
    INPUT_INVALID:
      'a field is missing, unknown, of the wrong type or out of its bounds, and `errors` names it; or the request has no `Host`, or none that can be taken.',
    PATH_INVALID: 'the path climbs (`..`), begins with `~`, holds a NUL or is a Windows path.',
    PATTERN_INVALID:
      'a pattern cannot be used: a glob that climbs, a faulty regular expression, or one that cannot be run.',
    ENCODING_UNKNOWN: 'the encoding is no WHATWG label.',
    BODY_INVALID: 'the body holds no payload, more than one, or was cut off.',
    ACTION_UNKNOWN: 'the action is empty, or no action and no operation has that name.',
  },
  401: {
    UNAUTHORIZED: 'the service has a token, and the request carries none or another.',
  },
  403: {
    PATH_BLOCKED: 'the policy blocks the path, whether or not it exists.',
    PATH_OUTSIDE_ROOT: 'a link on the path leaves the workspace.',
    PERMISSION_DENIED: 'the file system denies it to the service.',
    HOST_FORBIDDEN:
      'the service has no token, and the `Host`, or the web page that the request comes from, is not allowed.',
  },
  404: {
    NOT_FOUND: 'there is no such file or directory; `suggestions` names some that may have been meant.',
  },
  413: {
    BODY_TOO_LARGE: 'the body is larger than the service takes.',
  },
  415: {
    FILE_IS_BINARY: 'the file is no text: ask with `as=base64`, or for its bytes at GET /read/raw.',
  },
  416: {
    RANGE_PAST_END: 'the range begins past the end of the file.',
  },
  422: {
    NOT_A_FILE: 'it is a directory or a special file.',
    NOT_A_DIRECTORY: 'it is no directory.',
    SYMLINK_LOOP: 'the links behind the path have no end.',
  },
  500: {
    INTERNAL: 'the service failed; its log says why, under the id in `instance`.',
  },
  503: {
    BUSY: 'too much is under way, or a search was lost; `Retry-After` says when to come back.',
  },
} as const;

type Problems = typeof PROBLEMS;
export type Code = { [S in keyof Problems]: keyof Problems[S] }[keyof Problems];

/** What comes with every reply of a status. */
const HEADERS: Record<string, Record<string, TSchema>> = {
  401: { 'WWW-Authenticate': Type.String({ description: 'How to send the token: always `Bearer`.' }) },
  503: { 'Retry-After': Type.Integer({ minimum: 1, maximum: 60, description: 'In how many seconds to come back.' }) },
};

/** What any route answers, whatever it does, and whoever asks. */
export const TO_ANYONE = ['INPUT_INVALID', 'HOST_FORBIDDEN', 'INTERNAL'] as const satisfies Code[];

/** What any route answers that wants the token. */
export const ANYWHERE = [...TO_ANYONE, 'UNAUTHORIZED'] as const satisfies Code[];

/** What any route answers that takes a path. */
export const AT_PATH = [
  ...['PATH_INVALID', 'PATH_BLOCKED', 'PATH_OUTSIDE_ROOT', 'PERMISSION_DENIED'],
  ...['NOT_FOUND', 'NOT_A_DIRECTORY', 'SYMLINK_LOOP', 'BUSY'],
] as const satisfies Code[];

/** What reading a file as text adds. */
export const AS_TEXT = ['NOT_A_FILE', 'FILE_IS_BINARY', 'RANGE_PAST_END'] as const satisfies Code[];

/** The failures of an operation's routes. */
export function problems({ input, list }: Operation): Record<string, object> {
  return problemsOf([
    ...ANYWHERE,
    ...AT_PATH,
    ...('pattern' in input.properties ? (['PATTERN_INVALID'] as const) : []),
    ...('encoding' in input.properties ? (['ENCODING_UNKNOWN'] as const) : []),
    ...(list === undefined ? AS_TEXT : []),
  ]);
}

/** Failures as responses, each with one content type and every code that its status may have. */
export function problemsOf(codes: readonly Code[]): Record<string, object> {
  const statuses = Object.entries<Record<string, string>>(PROBLEMS).flatMap(([status, reasons]) => {
    const told = Object.entries(reasons).filter(([code]) => codes.some((one) => one === code));
    return told.length === 0 ? [] : [[status, problemOf(status, told)]];
  });
  return Object.fromEntries(statuses);
}

function problemOf(status: string, reasons: readonly [code: string, reason: string][]): object {
  const headers = HEADERS[status];
  return {
    description: reasons.map(([code, reason]) => `\`${code}\`: ${reason}`).join(' '),
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/problem+json': { schema: Type.Ref('ErrorResponse') } },
  };
}
