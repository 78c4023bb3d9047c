import type { SearchBounds, SearchPattern } from '../search/argv.ts';

/** What a grep looks for, and how it shows what it finds. */
export interface GrepQuery {
  pattern: SearchPattern;
  bounds: SearchBounds;
  output: 'lines' | 'files' | 'count';
  before: number;
  after: number;
  hasContext: boolean;
  maxLineLength: number;
}
