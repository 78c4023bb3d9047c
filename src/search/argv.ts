import { beforeCrlf } from './crlf.ts';

/** What is searched for. `text` is taken literally, or as a regular expression of the Rust regex crate. */
export interface SearchPattern {
  text: string;
  isRegex: boolean;
  caseSensitive: boolean;
  wordRegexp: boolean;
  multiline: boolean;
  /** `auto`, or an encoding's WHATWG name. */
  encoding: string;
}

export interface SearchBounds {
  /** Longer lines, in bytes, are not printed; the caller reads what it shows of them. */
  maxColumns: number;
  /** A file is left after as many matching lines; 0 is no limit. */
  maxPerFile: number;
}

/** What ripgrep is told to print for a match: the parser's other half. */
const FORMAT = ['--color=never', '--no-heading', '--null', '--line-number', '--column', '--byte-offset', '--threads=1'];

/**
 * No configuration file, no ignore files (an agent may leave a FIFO or a link
 * under those names), no memory maps (a file that shrinks under one is SIGBUS).
 */
const SAFE = ['--no-config', '--no-ignore', '--hidden', '--no-mmap', '--no-ignore-messages'];

/**
 * ripgrep's arguments up to the paths. Nothing of a caller stands where an
 * option could: the pattern follows `-e`, paths follow `--`.
 */
export function toArguments(pattern: SearchPattern, { maxColumns, maxPerFile }: SearchBounds): string[] {
  return [
    ...SAFE,
    ...FORMAT,
    `--max-columns=${maxColumns}`,
    ...(maxPerFile > 0 ? [`--max-count=${maxPerFile}`] : []),
    ...(pattern.encoding === 'auto' ? [] : [`--encoding=${pattern.encoding}`]),
    pattern.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(pattern.isRegex ? [] : ['--fixed-strings']),
    ...(pattern.wordRegexp ? ['--word-regexp'] : []),
    // With --vimgrep a match over several lines is printed once, by its first line.
    ...(pattern.multiline ? ['--multiline', '--vimgrep'] : []),
    '-e',
    pattern.isRegex ? beforeCrlf(pattern.text) : pattern.text,
    '--',
  ];
}
