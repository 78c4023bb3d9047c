import createError, { type FastifyError } from '@fastify/error';

/** One fault of an input. `pointer` is a JSON Pointer (RFC 6901) as a URI fragment: `#/pattern`. */
export interface FieldFault {
  detail: string;
  pointer: string;
}

/** What a problem carries beside RFC 9457's standard members. */
export interface Members {
  errors?: FieldFault[];
  /** Existing, allowed paths that the caller may have meant; at most three. */
  suggestions?: string[];
  /** Lines of the file that was asked for. */
  total_lines?: number;
  /** Where a pattern is at fault: a 0-based offset in characters. */
  position?: number;
}

export type CatalogueError = FastifyError & { members?: Members };

const codes = new Set<string>();

/** Every code that a problem can have. */
export const CODES: ReadonlySet<string> = codes;

function define<A extends unknown[]>(code: string, message: string, status: number) {
  codes.add(code);
  return createError<A>(code, message, status);
}

type Detail = [detail: string, options?: ErrorOptions];
type PathDetail = [path: string, options?: ErrorOptions];
type PathReason = [path: string, reason: string, options?: ErrorOptions];

// Input
export const InputInvalid = define<Detail>('INPUT_INVALID', '%s', 400);
export const PathInvalid = define<PathReason>('PATH_INVALID', "The path '%s' is not accepted: %s", 400);
export const PatternInvalid = define<Detail>('PATTERN_INVALID', '%s', 400);
export const EncodingUnknown = define<Detail>(
  'ENCODING_UNKNOWN',
  "No such encoding: '%s'. Send a WHATWG label such as utf-8, utf-16le, windows-1252, gbk or shift_jis, or auto.",
  400,
);
export const BodyInvalid = define<Detail>('BODY_INVALID', '%s', 400);
export const ActionUnknown = define<Detail>('ACTION_UNKNOWN', '%s', 400);
export const BodyTooLarge = define<Detail>('BODY_TOO_LARGE', 'The body is larger than %s.', 413);
export const HeadersTooLarge = define<[]>(
  'HEADERS_TOO_LARGE',
  'The URL and the headers together are longer than this service takes. Send shorter ones, or the same as a body to /execute.',
  431,
);
export const RequestTimeout = define<[]>(
  'REQUEST_TIMEOUT',
  'The request did not come whole in the time that there is for it. Send it again.',
  408,
);
export const MethodNotAllowed = define<[method: string, allowed: string]>(
  'METHOD_NOT_ALLOWED',
  'This path does not take %s. Send %s instead.',
  405,
);

// Access
export const Unauthorized = define<[]>(
  'UNAUTHORIZED',
  "This service wants a token: send it as 'Authorization: Bearer <token>'.",
  401,
);
export const HostForbidden = define<Detail>('HOST_FORBIDDEN', '%s', 403);
export const PathOutsideRoot = define<PathDetail>(
  'PATH_OUTSIDE_ROOT',
  "The path '%s' leads outside the workspace through a link. Only what lies inside can be read.",
  403,
);
export const PathBlocked = define<PathDetail>(
  'PATH_BLOCKED',
  "The path '%s' is blocked by the operator's policy, whether it exists or not. Go on without it.",
  403,
);
export const PermissionDenied = define<PathDetail>(
  'PERMISSION_DENIED',
  "The service may not read '%s': the file system denies it.",
  403,
);

// Files
export const NotFound = define<PathDetail>(
  'NOT_FOUND',
  "There is no '%s' in the workspace. Look for its name with find, or list the folder it should be in with ls.",
  404,
);
export const RouteNotFound = define<Detail>(
  'NOT_FOUND',
  'There is no route %s. The operations are GET /ls, /find, /glob, /grep, /read and POST /execute; /openapi.json describes them.',
  404,
);
export const NotAFile = define<PathReason>(
  'NOT_A_FILE',
  "'%s' is %s, not a regular file. Send the path of one; ls lists those of a folder.",
  422,
);
export const NotADirectory = define<PathDetail>('NOT_A_DIRECTORY', "'%s' is not a directory.", 422);
export const SymlinkLoop = define<PathDetail>('SYMLINK_LOOP', "The links behind '%s' never end.", 422);
export const FileIsBinary = define<PathDetail>(
  'FILE_IS_BINARY',
  "'%s' is a binary file. Ask for it with as=base64, or for its bytes at /read/raw.",
  415,
);
export const RangePastEnd = define<Detail>('RANGE_PAST_END', '%s', 416);

// Service
export const Busy = define<Detail>('BUSY', '%s', 503);
export const Internal = define<[options?: ErrorOptions]>(
  'INTERNAL',
  'The service failed. The fault is logged under this instance.',
  500,
);

/** Attaches what a problem carries beside its detail. */
export function withMembers(error: FastifyError, members: Members): CatalogueError {
  return Object.assign(error, { members });
}
