import type { SearchBounds, SearchPattern } from '../search/argv.ts';

/** What a grep looks for, and how it shows what it finds. */
export interface GrepQuery {
  pattern: SearchPattern;
  /** The pattern's bytes, when it is text that can be looked for byte for byte. */
  literal: Buffer | undefined;
  /** Whether a line's match depends on nothing but its bytes, as UTF-8. */
  isByLine: boolean;
  /** Bytes that stand in every match, where some are known. */
  required: Buffer | undefined;
  bounds: SearchBounds;
  output: 'lines' | 'files' | 'count';
  before: number;
  after: number;
  hasContext: boolean;
  maxLineLength: number;
  outcome: {
    /** Whether the search was ended because ripgrep printed more than it may. */
    isCut: boolean;
    /** Whether the last record is of a file that may have more of them. */
    isInside: boolean;
  };
}

/** Under which a record knows where its line was cut: for the text form, and not for the wire. */
export const CUT = Symbol('cut');
