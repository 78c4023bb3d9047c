import { EVERY_CRLF, toLineRegex } from './crlf.ts';

/** What is searched for. `text` is taken literally, or as a regular expression of the Rust regex crate. */
export interface SearchPattern {
  text: string;
  isRegex: boolean;
  caseSensitive: boolean;
  wordRegexp: boolean;
  multiline: boolean;
  /** `auto`, an encoding's WHATWG name, or `none` for bytes as they are. */
  encoding: string;
}

export interface SearchBounds {
  /** Longer lines, in bytes without the line feed, are not printed; the caller reads what it shows of them. */
  maxColumns: number;
  /** A file may be left after as many matching lines; 0 is no limit. */
  maxPerFile: number;
  /** That it may print; no limit without. */
  outputBytes?: number;
  /** Of a compiled regex. */
  regexBytes: number;
  /** Whether each match is to come when it is found, and not when there are many. */
  isUnbuffered?: boolean;
}

/** What ripgrep is told to print for a match: the parser's other half. */
const FORMAT = [
  '--color=never',
  '--no-heading',
  '--with-filename',
  '--null',
  '--line-number',
  '--column',
  '--byte-offset',
  '--threads=1',
];

/**
 * No configuration file, no ignore files (an agent may leave a FIFO or a link
 * under those names), no memory maps (a file that shrinks under one is SIGBUS),
 * and bounds on what a regex may take: its automaton would grow to gigabytes.
 */
const SAFE = ['--no-config', '--no-ignore', '--hidden', '--no-mmap', '--no-ignore-messages', '--dfa-size-limit=16M'];

/** Lines up to this length are printed when they are to be looked at again without their CR. */
const MAX_DOUBTFUL = 1024 * 1024;

/** UTF-8 is what it takes a file for anyway; asked for it, it leaves out lines with bytes that are none. */
const DEFAULT_ENCODINGS = ['auto', 'utf-8'];

/**
 * ripgrep's arguments up to the paths. Nothing of a caller stands where an
 * option could: the pattern follows `-e`, paths follow `--`. `also` is a word
 * that is looked for besides. Throws PATTERN_INVALID.
 */
export function toArguments(pattern: SearchPattern, bounds: SearchBounds, also?: string): string[] {
  const { isUnbuffered, maxColumns, maxPerFile, regexBytes } = bounds;
  const isInDoubt = crIsInDoubt(pattern);
  return [
    ...SAFE,
    `--regex-size-limit=${regexBytes}`,
    ...FORMAT,
    // It counts the line feed as well.
    isUnbuffered === true ? '--line-buffered' : '--block-buffered',
    `--max-columns=${(isInDoubt ? Math.max(maxColumns, MAX_DOUBTFUL) : maxColumns) + 1}`,
    // Matches of a CR are sorted out later and must not fill the count.
    ...(maxPerFile > 0 && !isInDoubt ? [`--max-count=${maxPerFile}`] : []),
    ...(DEFAULT_ENCODINGS.includes(pattern.encoding) ? [] : [`--encoding=${pattern.encoding}`]),
    pattern.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(pattern.isRegex ? [] : ['--fixed-strings']),
    ...(pattern.wordRegexp ? ['--word-regexp'] : []),
    // With --vimgrep a match over several lines is printed once, by its first line.
    ...(pattern.multiline ? ['--multiline', '--vimgrep'] : []),
    '-e',
    textOf(pattern),
    ...(also === undefined ? [] : ['-e', also]),
    '--',
  ];
}

/** Whether a match of the pattern may depend on the CR of a CRLF, which is no part of its line. Throws PATTERN_INVALID. */
export function crIsInDoubt({ isRegex, multiline, text, wordRegexp }: SearchPattern): boolean {
  if (!isRegex || multiline) return false;
  const { mayMissForCr, mayTakeCr, namesCr } = toLineRegex(text, multiline);
  // Behind a CR, the empty text is a word by itself.
  return mayTakeCr || mayMissForCr || (wordRegexp && !namesCr);
}

function textOf({ isRegex, multiline, text }: SearchPattern): string {
  if (!isRegex) return text;
  const regex = toLineRegex(text, multiline);
  return regex.mayMissForCr ? `${regex.text}${EVERY_CRLF}` : regex.text;
}
