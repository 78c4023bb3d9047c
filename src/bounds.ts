/**
 * What a request may be, and what answering it may cost: the operator's
 * settings, in one object that is handed to whatever keeps to them.
 */
export interface Bounds {
  /** Of the URL and all headers together. */
  headerBytes: number;
  bodyBytes: number;
  /** Until all headers have come. */
  headersMs: number;
  /** Until the whole request has come. */
  requestMs: number;
  /** Objects and arrays inside one another in a body, the outermost counted. */
  jsonDepth: number;
  /** Of a pattern, in characters. */
  patternLength: number;
  /** That the braces of a glob stand for; each is a pattern of its own. */
  alternatives: number;
  /** Of a line that grep shows, in characters. */
  lineLength: number;
  /** Of a regex of grep once it is compiled. */
  regexBytes: number;
  /** That ripgrep may print of one batch of files. */
  outputBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_BOUNDS: Bounds = {
  headerBytes: 16 * 1024,
  bodyBytes: 256 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  jsonDepth: 64,
  patternLength: 1024,
  alternatives: 1000,
  lineLength: 100_000,
  regexBytes: 10 * MIB,
  outputBytes: 1024 * MIB,
};
