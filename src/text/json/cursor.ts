import type { Repair } from './repairs.ts';

export type Closer = '}' | ']';

/** Where the reading of one object stands, and what it has met. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** The closers of what is open, outermost first. */
  readonly due: Closer[];
  /** How many may be open. */
  readonly maxDepth: number;
  readonly repairs: Set<Repair>;
  /** The object begins on a line of a Markdown block quote, so that its other lines begin with `>` too. */
  readonly blockQuoted: boolean;
  /** A string held a raw line break: the quote that ended it may have been the next string's first. */
  brokenLine: boolean;
}

/** The text that `pattern`, which must be sticky, matches at `at`; empty when it does not. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
