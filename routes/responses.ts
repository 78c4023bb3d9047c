import { Type } from 'typebox';
import type { Operation } from '../src/operations/operation.ts';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is at fault: a field, a path, a pattern, an encoding or the body.',
  401: 'The token is missing or wrong.',
  403: 'The path is blocked, leads outside or may not be read; or the request comes from a place that is not allowed.',
  404: 'There is no such file or directory.',
  413: 'The body is too large.',
  415: 'The file is binary.',
  416: 'The range begins past the end of the file.',
  422: 'It is there, and of another kind: no file, no directory, or a link without end.',
  500: 'The service failed.',
  503: 'Too much is under way; Retry-After says when to come back.',
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
