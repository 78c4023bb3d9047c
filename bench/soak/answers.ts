import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** What came of a request, its body as far as it came. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the reply ended as HTTP has it end, and was not broken off. */
  isWhole: boolean;
}

export interface Asking {
  agent?: Agent | false;
  /** Sent as JSON. */
  body?: unknown;
}

/** Sends a request; resolves with the beginning of its reply, rejects when there is none. */
export function opened(url: string, { agent = false, body }: Asking = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { agent, method, headers });
    sent.on('response', resolve).on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export async function ask(url: string, asking: Asking = {}): Promise<Answer> {
  return rest(await opened(url, asking), []);
}

/** Reads what is left of a reply at full speed. */
export async function rest(reply: IncomingMessage, before: readonly Buffer[]): Promise<Answer> {
  const chunks = [...before];
  try {
    for await (const chunk of reply) chunks.push(chunk);
  } catch {
    // Broken off: `complete` tells.
  }
  const { complete, headers, statusCode = 0 } = reply;
  return { status: statusCode, headers, body: Buffer.concat(chunks), isWhole: complete };
}

/** How a request ended; only `fault` is what the service may not do. */
export type Ending =
  | { kind: 'whole' | 'cut' | 'broken off' }
  | { kind: 'refused' | 'failed'; code: string; detail?: string | undefined }
  | { kind: 'fault'; why: string };

/** What is known of the right answer. */
export interface Known {
  /** How many results it has. */
  count?: number;
}

const OK = 200;
const SERVER_ERROR = 500;

/** Judges a reply: whole and right, told to be cut or to have failed, visibly broken off, or a fault. */
export function judge({ body, headers, isWhole, status }: Answer, known: Known = {}): Ending {
  if (!isWhole) return { kind: 'broken off' };
  const type = headers['content-type'] ?? '';
  if (status !== OK) return refusal(status, body);
  if (type.startsWith('application/x-ndjson')) return judgeStream(body.toString(), known);
  if (type.startsWith('application/json')) return judgeList(parsed(body.toString()), known);
  return { kind: 'whole' };
}

function refusal(status: number, body: Buffer): Ending {
  const { code, detail } = parsed(body.toString()) ?? {};
  if (typeof code !== 'string') return { kind: 'fault', why: `a ${status} without a code` };
  return { kind: status >= SERVER_ERROR ? 'failed' : 'refused', code, detail };
}

function judgeStream(text: string, known: Known): Ending {
  if (!text.endsWith('\n')) return { kind: 'fault', why: 'a stream that ends inside a line' };
  const lines = text.slice(0, -1).split('\n');
  const last = parsed(lines.at(-1) ?? '');
  if (last?.type === 'error') return { kind: 'failed', code: String(last.data?.code), detail: last.data?.detail };
  if (last?.type !== 'end') return { kind: 'fault', why: 'a stream without its last line' };
  const records = lines.length - 2;
  if (last.data?.count !== undefined && last.data.count !== records) {
    return { kind: 'fault', why: `a stream of ${records} records that says ${last.data.count}` };
  }
  return judgeList(last.data, known);
}

function judgeList(list: Parsed | undefined, { count }: Known): Ending {
  if (list === undefined) return { kind: 'fault', why: 'a reply that is no JSON' };
  if (list.truncated === true) return { kind: 'cut' };
  if (count === undefined || list.count === count) return { kind: 'whole' };
  const skipped = list.skipped?.unreadable ?? 0;
  if (skipped > 0) return { kind: 'cut' };
  return { kind: 'fault', why: `silently short: ${list.count} results of ${count}` };
}

/** As much of any reply as is looked at. */
interface Parsed {
  type?: string;
  code?: string;
  detail?: string;
  count?: number;
  truncated?: boolean;
  skipped?: { unreadable?: number };
  data?: Parsed;
}

function parsed(text: string): Parsed | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
