import type { Bounds } from '../bounds.ts';
import { toFieldsError } from '../operations/input.ts';
import type { Operation } from '../operations/operation.ts';
import type { EnvelopeMembers } from '../results/envelope.ts';
import type { Form, OperationJob } from './protocol.ts';

/** An operation to be answered in a form. */
export interface Asked {
  operation: Operation;
  /** Checked. */
  input: Record<string, unknown>;
  form: Form;
  /** In text, paths below the start of the search. */
  relativePaths?: boolean;
  envelope?: EnvelopeMembers;
  /** How much the caller takes in one reply: characters of results as JSON, or bytes of a file. */
  room?: number;
}

/** What the server allows a request at most. */
export interface ServerLimits {
  /** Results of a collected reply. */
  maxResults: number;
  /** Time to search, in milliseconds. */
  timeoutMs: number;
  bounds: Bounds;
}

/** The job that answers what was asked, within the server's limits. Throws INPUT_INVALID for what lies beyond them. */
export function toJob(asked: Asked, server: ServerLimits, requestId: string): OperationJob {
  const { envelope, form, operation, relativePaths = false, room } = asked;
  const input = withinBounds(asked.input, server.bounds);
  const { cap, timeoutMs, ...own } = effectiveLimits(input, server);
  const isList = operation.list !== undefined;
  const limits = room === undefined || !isList ? own : { ...own, maxCharacters: room };
  return {
    kind: 'operation',
    operation: operation.name,
    input,
    form,
    limits: form === 'ndjson' ? limits : { ...limits, cap },
    ...(room === undefined || isList ? {} : { maxReadBytes: room }),
    timeoutMs,
    requestId,
    relativePaths,
    ...(envelope === undefined ? {} : { envelope }),
  };
}

/** The fields that hold patterns. */
const PATTERNS = /^pattern$|Glob$/;

/** An input whose patterns are short enough, its lines cut to the server's length. Throws INPUT_INVALID. */
export function withinBounds(input: Record<string, unknown>, { lineLength, patternLength }: Bounds): Asked['input'] {
  const faults = Object.entries(input)
    .filter(([name, value]) => PATTERNS.test(name) && [value].flat().some((text) => isLonger(text, patternLength)))
    .map(([name]) => ({
      detail: `'${name}' must hold no pattern of more than ${patternLength} characters.`,
      pointer: `#/${name}`,
    }));
  if (faults.length > 0) throw toFieldsError(faults);
  const { maxLineLength } = input;
  return typeof maxLineLength === 'number' ? { ...input, maxLineLength: Math.min(maxLineLength, lineLength) } : input;
}

function isLonger(text: unknown, length: number): boolean {
  return typeof text === 'string' && Array.from(text.slice(0, 2 * length + 1)).length > length;
}

/** The limits that hold for an input: the caller's, and the server's. Throws INPUT_INVALID for more time than the server gives. */
export function effectiveLimits(input: Record<string, unknown>, server: ServerLimits) {
  const { maxFiles, maxResults, timeoutMs = server.timeoutMs } = input;
  if (Number(timeoutMs) > server.timeoutMs) {
    const detail = `'timeoutMs' must be a whole number from 1 to ${server.timeoutMs}, not ${timeoutMs}.`;
    throw toFieldsError([{ detail, pointer: '#/timeoutMs' }]);
  }
  return {
    ...(typeof maxResults === 'number' ? { maxResults } : {}),
    ...(typeof maxFiles === 'number' ? { maxFiles } : {}),
    cap: server.maxResults,
    timeoutMs: Number(timeoutMs),
  };
}
