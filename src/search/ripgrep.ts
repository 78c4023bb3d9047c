import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { rgPath } from '@vscode/ripgrep';
import { Busy } from '../errors.ts';
import { requireDescriptors } from '../workspace/descriptors.ts';
import { type SearchBounds, type SearchPattern, toArguments } from './argv.ts';
import { announceChild } from './children.ts';
import { toPatternError } from './failure.ts';
import { OutputParser, type SearchEvent, STDIN } from './output.ts';

/**
 * What is searched: open files, in order, a text, or what is written to the
 * search, in which a word is found besides. ripgrep gets descriptors and never
 * a name: what stands under a file's name by now is not looked at.
 */
export type SearchTarget = { descriptors: readonly number[] } | { text: Buffer } | { word: string };

/** A search under way. */
export interface Searching {
  /** What is found, in batches. Throws PATTERN_INVALID, and BUSY when the child was ended by someone else. */
  events(): AsyncGenerator<SearchEvent[], void>;
  /** Whether it was ended because it printed more than it may; known when `events` is done. */
  readonly isCut: boolean;
  /** The places of the files that could not be read; known when `events` is done. */
  readonly unreadable: ReadonlySet<number>;
  stop(): void;
}

/** The child's first descriptor after its standard ones. */
const FIRST_DESCRIPTOR = 3;
/** Where a process finds its own descriptors as paths. */
const DESCRIPTORS = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';

/** Room for a line on each file of the largest batch, which names its descriptor up to twice. */
const MAX_STDERR = 256 * 1024;
/** How ripgrep tells of a file that fails: by its path, and in the end by the number that std::io::Error shows. */
const UNREADABLE = /^rg: \/\S*\/fd\/(\d+): .*\(os error \d+\)$/gm;

type Stdio = readonly ('ignore' | 'pipe' | number)[];
type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/**
 * One run of ripgrep over files that were chosen and opened before. It starts at once and
 * ends when all is searched, when `signal` aborts, or when `stop` is called.
 */
export class Search implements Searching {
  unreadable: ReadonlySet<number> = new Set();
  isCut = false;
  readonly #maxOutput: number;
  readonly #child: Child;
  readonly #closed: Promise<unknown[]>;
  readonly #parser: OutputParser;
  readonly #signal: AbortSignal;
  readonly #pattern: SearchPattern;
  /** Whether it ends by being stopped alone. */
  readonly #isEndless: boolean;
  #printed = 0;
  #stderr = '';
  #isStopped = false;

  /** Throws PATTERN_INVALID for a regex that is not whole, and BUSY without a descriptor for the child. */
  constructor(pattern: SearchPattern, target: SearchTarget, bounds: SearchBounds, signal: AbortSignal) {
    this.#signal = signal;
    this.#pattern = pattern;
    this.#isEndless = 'word' in target;
    this.#maxOutput = bounds.outputBytes ?? Number.POSITIVE_INFINITY;
    this.#parser = new OutputParser(
      'descriptors' in target ? pathsOf(target).map((path) => Buffer.from(path)) : [STDIN],
    );
    this.#child = start(toArguments(pattern, bounds, 'word' in target ? target.word : undefined), target);
    announceChild(this.#child);
    this.#closed = once(this.#child, 'close');
    // Awaited when the output has ended; until then a failure to start waits here.
    this.#closed.catch(() => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.#stderr.length < MAX_STDERR) this.#stderr += text;
    });
    // Without a listener Node throws away what a child printed when it ends before it is read.
    this.#child.stdout.on('readable', () => {});
    signal.addEventListener('abort', this.stop, { once: true });
    if (signal.aborted) this.stop();
  }

  async *events(): AsyncGenerator<SearchEvent[], void> {
    try {
      for await (const chunk of this.#child.stdout) {
        this.#printed += chunk.length;
        this.isCut = this.#printed > this.#maxOutput;
        if (this.isCut) return;
        yield this.#parser.push(chunk);
      }
      const [code] = await this.#closed;
      if (!this.#isStopped) this.#conclude(code);
    } catch (error) {
      if (!this.#isStopped) throw toSearchError(error);
    } finally {
      this.stop();
    }
  }

  /** Goes on with more text; the bytes are to stay as they are until something behind them is found. */
  write(text: Buffer): void {
    this.#child.stdin?.write(text);
  }

  /** Lets it print as much as it may once more. */
  countAnew(): void {
    this.#printed = 0;
  }

  readonly stop = (): void => {
    this.#isStopped = true;
    this.#signal.removeEventListener('abort', this.stop);
    this.#child.kill('SIGKILL');
    this.#child.stdout.destroy();
  };

  #conclude(code: unknown): void {
    if ((code === 0 || code === 1) && !this.#isEndless) return;
    const patternError = toPatternError(this.#stderr, this.#pattern);
    if (patternError !== undefined) throw patternError;
    if (code !== 2 || this.#isEndless)
      throw new Busy('The search was ended by the system. Try again, or search a smaller part of the tree.');
    this.unreadable = new Set(
      [...this.#stderr.matchAll(UNREADABLE)].map(([, descriptor]) => Number(descriptor) - FIRST_DESCRIPTOR),
    );
  }
}

function start(options: readonly string[], target: SearchTarget): Child {
  if ('descriptors' in target) {
    return spawned([...options, ...pathsOf(target)], ['ignore', 'pipe', 'pipe', ...target.descriptors]);
  }
  const child = spawned([...options, '-'], ['pipe', 'pipe', 'pipe']);
  // A child that ends before it has read all says why by its exit code.
  child.stdin?.on('error', () => {});
  if ('text' in target) child.stdin?.end(target.text);
  return child;
}

function spawned(list: readonly string[], stdio: Stdio): Child {
  const child = tryToSpawn(list, stdio);
  // Without a descriptor left for it, a child has no pipes.
  if (hasPipes(child)) return child;
  child.on('error', () => {});
  throw new Busy(TOO_MANY);
}

function tryToSpawn(list: readonly string[], stdio: Stdio): ChildProcess {
  try {
    // Of a child whose start fails for want of the last ones, Node never closes the pipes (libuv, uv_spawn).
    requireDescriptors(2 * stdio.filter((one) => one === 'pipe').length + 2, rgPath);
    return spawn(rgPath, list, { env: {}, stdio: [...stdio] });
  } catch (error) {
    throw toSearchError(error);
  }
}

function hasPipes(child: ChildProcess): child is Child {
  return (child.stdout ?? undefined) !== undefined && (child.stderr ?? undefined) !== undefined;
}

function pathsOf({ descriptors }: { descriptors: readonly number[] }): string[] {
  return descriptors.map((_, at) => `${DESCRIPTORS}/${FIRST_DESCRIPTOR + at}`);
}

/** Throws PATTERN_INVALID for a pattern that ripgrep cannot use. */
export async function checkPattern(pattern: SearchPattern, signal: AbortSignal, bounds: SearchBounds): Promise<void> {
  const search = new Search(pattern, { text: Buffer.alloc(0) }, bounds, signal);
  for await (const _ of search.events());
}

const TOO_MANY = 'The service cannot start another search now. Try again in a moment.';

/** No process, no descriptor or no memory for the child: the request can be sent again. */
function toSearchError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(code)) return error;
  return new Busy(TOO_MANY, { cause: error });
}
