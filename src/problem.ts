import { type CatalogueError, CODES, Internal, type Members } from './errors.ts';

/** A failure as it is sent: RFC 9457's members and ours. */
export interface Problem extends Members {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  instance: string;
}

/** A failure of the catalogue on its way between threads; `cause` is for the log alone. */
export interface Failure {
  code: string;
  status: number;
  detail: string;
  members: Members;
  cause?: string;
}

/** Nobody is there any more to be told of a failure; no fault of anybody. */
export class CallerGone extends Error {
  constructor() {
    super('the caller went away');
  }
}

/** RFC 4151; the service has no address of its own that a type could be looked up at. */
const TAG = 'tag:fs-sidecar,2026';

/** The same failure for a known error; INTERNAL, with the error as its cause, for any other. */
export function toFailure(error: unknown): Failure {
  if (isCatalogued(error)) {
    const { code, statusCode, message, members, cause } = error;
    return {
      code,
      status: statusCode ?? 500,
      detail: message,
      members: members ?? {},
      ...(cause === undefined ? {} : { cause: describe(cause) }),
    };
  }
  const internal = new Internal();
  return { code: internal.code, status: 500, detail: internal.message, members: {}, cause: describe(error) };
}

/** An error that fails as `failure` does. */
export function toError({ code, status, detail, members, cause }: Failure): CatalogueError {
  return Object.assign(new Error(detail, { cause }), { code, statusCode: status, members });
}

export function toProblem(error: unknown, requestId: string): Problem {
  const { code, status, detail, members } = toFailure(error);
  return {
    type: `${TAG}:problem/${code}`,
    title: titleOf(code),
    status,
    detail,
    code,
    instance: `${TAG}:request/${requestId}`,
    ...members,
  };
}

/** `NOT_FOUND` → `Not found`. */
function titleOf(code: string): string {
  return code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');
}

function isCatalogued(error: unknown): error is CatalogueError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && CODES.has(error.code);
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
