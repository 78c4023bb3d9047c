import { setImmediate } from 'node:timers/promises';
import { operationOf } from '../operations/index.ts';
import type { Operation, Run } from '../operations/operation.ts';
import { toProblem } from '../problem.ts';
import { EnvelopeSink } from '../results/envelope.ts';
import { JsonSink } from '../results/json.ts';
import { Limiter } from '../results/limiter.ts';
import { NdjsonSink, toErrorLine } from '../results/ndjson.ts';
import type { EffectiveLimits, End, Out, Sink, Skipped } from '../results/sink.ts';
import { TextSink } from '../results/text.ts';
import { toText } from '../workspace/names.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Outlet } from './outlet.ts';
import type { OperationJob, PartSummary } from './protocol.ts';

/** How long a run may keep its thread to itself, in milliseconds. */
const SLICE = 8;
/** A collected reply is cut at this length, in characters, whatever its number of records. */
const MAX_COLLECTED = 64 * 1024 * 1024;
const NAMED_EXCLUDED = 5;

/**
 * Runs one operation in the form it was asked for: its records through the
 * limiter into the form's sink, until they end, the limit or the time is
 * reached, or the caller is gone. A failure before anything went out is thrown;
 * after that it is the last line.
 */
export async function perform(
  job: OperationJob,
  workspace: Workspace,
  outlet: Outlet,
  cancelled: AbortSignal,
  join: Join = async () => [],
): Promise<PartSummary> {
  const performed = new Performance(job, workspace, outlet, cancelled);
  try {
    return await performed.run(join);
  } catch (error) {
    // Of a part only the whole can say that it ended, and how.
    if (job.part !== undefined || !outlet.hasStarted || job.form !== 'ndjson') throw error;
    outlet.write(toErrorLine(toProblem(error, job.requestId)));
    outlet.end();
    return performed.summary;
  } finally {
    performed.close();
  }
}

/** Waits for those to whom part of a run's walk was given, and gives what they did. */
type Join = () => Promise<PartSummary[]>;

class Performance {
  readonly #job: OperationJob;
  readonly #operation: Operation;
  readonly #workspace: Workspace;
  readonly #outlet: Outlet;
  readonly #limiter: Limiter;
  readonly #sink: Sink;
  readonly #ending = new AbortController();
  readonly #cancelled: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #deadline: number;
  readonly #skipped: Skipped = { excluded: 0, ignored: 0, unreadable: 0, binary: 0, too_large: 0, undecodable: 0 };
  readonly #excluded: string[] = [];
  readonly #abort = (): void => this.#ending.abort();
  #run: Run<unknown> | undefined;
  #parts: PartSummary[] = [];

  constructor(job: OperationJob, workspace: Workspace, outlet: Outlet, cancelled: AbortSignal) {
    const operation = operationOf(job.operation);
    if (operation === undefined) throw new Error(`no operation is called '${job.operation}'`);
    this.#job = job;
    this.#operation = operation;
    this.#workspace = workspace;
    this.#outlet = outlet;
    this.#limiter = new Limiter(job.limits);
    this.#sink = toSink(job, operation, outlet.write);
    this.#deadline = now() + job.timeoutMs;
    this.#cancelled = cancelled;
    this.#timer = setTimeout(this.#abort, job.timeoutMs);
    cancelled.addEventListener('abort', this.#abort, { once: true });
  }

  get summary(): PartSummary {
    const { truncatedBy } = this.#limiter;
    return {
      records: this.#count,
      bytes: this.#parts.reduce((sum, { bytes }) => sum + bytes, this.#outlet.bytes),
      ...(truncatedBy === undefined ? {} : { truncatedBy }),
      ...(this.#job.part === undefined ? {} : { skipped: this.#skipped, excluded: this.#excluded }),
    };
  }

  async run(join: Join): Promise<PartSummary> {
    const context = { workspace: this.#workspace, signal: this.#ending.signal, skip: this.#skip };
    const run = this.#operation.start(this.#job.input, context);
    this.#run = run;
    if (this.#job.part === undefined) this.#sink.begin(run.head, this.#limits);
    await this.#drain(run.records);
    this.#outlet.isOpen = false;
    for (const part of await join()) this.#add(part);
    if (this.#cancelled.aborted) return this.summary;
    if (this.#ending.signal.aborted) this.#limiter.stop('timeout');
    const cutBy = run.cutBy?.();
    if (cutBy !== undefined) this.#limiter.stop(cutBy);
    if (this.#job.part === undefined) this.#sink.end(await this.#endOf(run));
    this.#outlet.end();
    return this.summary;
  }

  #add(part: PartSummary): void {
    this.#parts.push(part);
    const { excluded = [], skipped, truncatedBy } = part;
    if (truncatedBy !== undefined) this.#limiter.stop(truncatedBy);
    this.#excluded.push(...excluded.slice(0, NAMED_EXCLUDED - this.#excluded.length));
    for (const reason of Object.keys(this.#skipped) as (keyof Skipped)[])
      this.#skipped[reason] += skipped?.[reason] ?? 0;
  }

  get #count(): number {
    return this.#parts.reduce((sum, { records }) => sum + records, this.#limiter.count);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#cancelled.removeEventListener('abort', this.#abort);
    this.#outlet.close();
    this.#run?.close();
  }

  async #drain(records: AsyncGenerator<unknown[], void>): Promise<void> {
    let sliceEnd = now() + SLICE;
    for await (const batch of records) {
      this.#write(this.#limiter.take(batch));
      if (this.#limiter.truncatedBy !== undefined) return;
      await this.#outlet.ready(this.#ending.signal);
      if (now() < sliceEnd && !this.#ending.signal.aborted) continue;
      if (await this.#isOver()) return this.#takeLast(records);
      sliceEnd = now() + SLICE;
    }
  }

  /** Lets timers, cancellations and other requests of this thread have their turn; tells whether the time is up, or the caller gone. */
  async #isOver(): Promise<boolean> {
    await setImmediate();
    if (now() >= this.#deadline) this.#abort();
    return this.#ending.signal.aborted;
  }

  /** An operation that is told to end may hold records that it has not handed over. */
  async #takeLast(records: AsyncGenerator<unknown[], void>): Promise<void> {
    if (this.#cancelled.aborted) return;
    const { done, value } = await records.next();
    if (done !== true) this.#write(this.#limiter.take(value));
  }

  #write(records: readonly unknown[]): void {
    if (records.length > 0) this.#sink.write(records);
    this.#outlet.isOpen = this.#run?.isInside?.() === true;
    if (records.length === 0) return;
    if (this.#job.form === 'ndjson') this.#outlet.flushIfDue();
    else if (this.#sink.size > MAX_COLLECTED) this.#limiter.stop('limit');
  }

  readonly #skip = (reason: keyof Skipped, path?: string): void => {
    this.#skipped[reason] += 1;
    if (reason === 'excluded' && path !== undefined && this.#excluded.length < NAMED_EXCLUDED)
      this.#excluded.push(path);
  };

  get #limits(): EffectiveLimits {
    const { input, limits, timeoutMs } = this.#job;
    const cap = this.#job.form === 'ndjson' ? limits.maxResults : (limits.maxResults ?? limits.cap);
    const maxBytes = typeof input['maxBytes'] === 'number' ? input['maxBytes'] : undefined;
    return {
      ...(cap === undefined ? {} : { maxResults: cap }),
      ...(maxBytes === undefined
        ? {}
        : { maxBytes: Math.min(maxBytes || Number.POSITIVE_INFINITY, this.#workspace.maxReadBytes) }),
      timeoutMs,
    };
  }

  async #endOf(run: Run<unknown>): Promise<End> {
    const count = this.#count;
    const { truncatedBy } = this.#limiter;
    const cut = truncatedBy === undefined ? { truncated: false } : { truncated: true, truncated_by: truncatedBy };
    // A read ends itself, at a byte; its own word on that counts unless the time ran out.
    if (this.#operation.list === undefined) return { ...cut, ...run.end?.(), ...(cut.truncated ? cut : {}) };
    const hints = count === 0 && !cut.truncated ? await this.#hintsOf(run) : [];
    return { count, ...cut, skipped: this.#skipped, ...(hints.length === 0 ? {} : { hints }) };
  }

  async #hintsOf(run: Run<unknown>): Promise<string[]> {
    const hints = (await run.hints?.()) ?? [];
    const { excluded } = this.#skipped;
    if (excluded === 0) return hints;
    const names = this.#excluded.map(toText).join(', ');
    const rest = excluded > this.#excluded.length ? ` and ${excluded - this.#excluded.length} more` : '';
    return [
      ...hints,
      `Excluded and not searched: ${names}${rest}. Name one in path, or send an excludeGlob of your own.`,
    ];
  }
}

function toSink(job: OperationJob, operation: Operation, out: Out): Sink {
  const options = { relative: job.relativePaths };
  switch (job.form) {
    case 'ndjson':
      return new NdjsonSink(operation, out);
    case 'text':
      return new TextSink(operation, out, options);
    case 'envelope':
      return new EnvelopeSink(operation, out, job.envelope ?? { before: {}, after: {} }, options);
    default:
      return new JsonSink(operation, out);
  }
}

function now(): number {
  return performance.now();
}
