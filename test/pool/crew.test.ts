import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Busy } from '../../src/errors.ts';
import { Pool, type WorkerThread } from '../../src/pool/pool.ts';
import type { OperationJob, Request, Response } from '../../src/pool/protocol.ts';
import type { Reply } from '../../src/pool/reply.ts';
import { toFailure } from '../../src/problem.ts';

const JOB: OperationJob = {
  kind: 'operation',
  operation: 'ls',
  input: { sort: 'none' },
  form: 'ndjson',
  limits: {},
  timeoutMs: 1000,
  requestId: 'x',
  relativePaths: false,
};
const PART = { start: { shown: [], real: [], dev: 1, ino: 1 }, folders: [['a']], agentignore: undefined };
const DONE = { records: 1, bytes: 2 };

/** A thread that notes what it is sent, and says what a test lets it say. */
class Thread extends EventEmitter implements WorkerThread {
  readonly received: Request[] = [];
  postMessage(message: Request): void {
    this.received.push(message);
  }
  async terminate(): Promise<void> {}

  says(response: Response): void {
    this.emit('message', response);
  }

  /** The last message of a type, when it has come. */
  async got<T extends Request['type']>(type: T): Promise<Extract<Request, { type: T }>> {
    return vi.waitUntil(() => this.received.findLast((one): one is Extract<Request, { type: T }> => one.type === type));
  }

  sendsText(id: number, line: string, isOpen = false): void {
    this.says({ type: 'chunk', id, bytes: new TextEncoder().encode(line), isOpen });
  }
}

/** A job that one thread leads and another may have a part of. */
async function shared(job: OperationJob = JOB) {
  const threads = [new Thread(), new Thread()] as const;
  const left: Thread[] = [...threads];
  const pool = new Pool({ start: () => left.shift() ?? new Thread(), workers: 2, concurrency: 2, waiting: 8 });
  onTestFinished(() => pool.close());
  for (const thread of threads) thread.says({ type: 'ready' });
  const reply = pool.perform(job, true, new AbortController().signal);
  const [lead, other] = threads;
  const { id } = await lead.got('job');
  return { reply, lead, other, id };
}

async function beforeItBegins() {
  const { reply, lead, other, id } = await shared();
  await lead.got('split');
  lead.says({ type: 'split', id, part: PART });
  return { reply, lead, other, id, part: await other.got('job') };
}

async function withPart() {
  const { reply, lead, id, ...rest } = await beforeItBegins();
  lead.sendsText(id, 'begin\n');
  return { ...rest, body: await streamOf(reply), lead, id };
}

/** The body of a reply that begins before it ends. */
async function streamOf(reply: Promise<Reply>): Promise<Readable> {
  const { body } = await reply;
  if (body instanceof Readable) return body;
  throw new Error('the reply is whole');
}

describe('a walk that threads share', () => {
  it('is one reply, which ends when all are done', async () => {
    const { body, id, lead, other, part } = await withPart();
    expect(part.job).toMatchObject({ part: PART });
    other.sendsText(part.id, 'b\n');
    lead.sendsText(id, 'a\n');
    lead.says({ type: 'waits', id });
    other.sendsText(part.id, 'c\n');
    expect(lead.received.filter(({ type }) => type === 'joined')).toEqual([]);
    other.says({ type: 'end', id: part.id, summary: DONE });
    expect((await lead.got('joined')).parts).toEqual([DONE]);
    lead.sendsText(id, 'end\n');
    lead.says({ type: 'end', id, summary: { records: 3, bytes: 9 } });
    expect(await text(body)).toBe('begin\nb\na\nc\nend\n');
  });

  it('tells each thread of its own chunks when they are taken', async () => {
    const { body, lead, other, part } = await withPart();
    other.sendsText(part.id, 'b\n');
    body.resume();
    await other.got('ack');
    expect(lead.received.filter(({ type }) => type === 'ack')).toHaveLength(1);
    expect(other.received.filter(({ type }) => type === 'ack')).toHaveLength(1);
  });

  it('lets the thread that leads help when it is done first', async () => {
    const { id, lead, other, part } = await withPart();
    lead.says({ type: 'waits', id });
    await other.got('split');
    other.says({ type: 'split', id: part.id, part: PART });
    await vi.waitUntil(() => lead.received.filter(({ type }) => type === 'job').length === 2);
  });

  it('fails as one, with one last line, and takes no more from the others', async () => {
    const { body, id, lead, other, part } = await withPart();
    other.says({ type: 'failure', id: part.id, failure: toFailure(new Error('broken')) });
    lead.sendsText(id, 'a\n');
    lead.says({ type: 'end', id, summary: DONE });
    const lines = (await text(body)).trimEnd().split('\n');
    expect([lines.length, lines[0], JSON.parse(lines[1] ?? '').type]).toEqual([2, 'begin', 'error']);
    await lead.got('cancel');
  });

  it('begins when another has something to add, and with its beginning', async () => {
    const { reply, id, lead, other, part } = await beforeItBegins();
    other.sendsText(part.id, 'b\n');
    await lead.got('begin');
    lead.sendsText(id, 'begin\n');
    lead.says({ type: 'end', id, summary: DONE });
    expect(await text(await streamOf(reply))).toBe('begin\nb\n');
  });

  it('lets nothing come between what may not be parted, and takes the rest when that has ended', async () => {
    const { body, id, lead, other, part } = await withPart();
    other.sendsText(part.id, 'b1\n', true);
    lead.sendsText(id, 'a1\n', true);
    other.sendsText(part.id, 'b2\n', true);
    lead.sendsText(id, 'a2\n');
    other.sendsText(part.id, '');
    other.sendsText(part.id, 'b3\n');
    lead.says({ type: 'end', id, summary: DONE });
    expect(await text(body)).toBe('begin\nb1\nb2\na1\na2\nb3\n');
  });

  it('fails with a status when it fails before it began', async () => {
    const { reply, other, part } = await beforeItBegins();
    other.says({ type: 'failure', id: part.id, failure: toFailure(new Busy('broken')) });
    await expect(reply).rejects.toThrow('broken');
  });

  it('is given up by all when its caller is gone', async () => {
    const { body, lead, other } = await withPart();
    body.destroy();
    const { id } = await lead.got('cancel');
    lead.says({ type: 'end', id, summary: DONE });
    await other.got('cancel');
  });

  it.each([
    ['in order', { ...JOB, input: { sort: 'path' } }],
    ['up to a number', { ...JOB, limits: { maxResults: 5 } }],
    ['of so many files', { ...JOB, operation: 'grep', limits: { maxFiles: 5 } }],
    ['as one JSON object', { ...JOB, form: 'json' as const }],
    ['of one file', { ...JOB, operation: 'read' }],
  ])('is not shared when it is asked for %s', async (_, job) => {
    const { lead } = await shared(job);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(lead.received.filter(({ type }) => type === 'split')).toEqual([]);
  });
});
