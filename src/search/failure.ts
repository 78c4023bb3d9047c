import { PatternInvalid } from '../errors.ts';
import type { SearchPattern } from './argv.ts';
import { toLineRegex } from './crlf.ts';
import { regexError } from './regex-parts.ts';

const PARSE_ERROR = /^rg: regex parse error:\n {4}(.*)\n( {4,})\^[^\n]*\nerror: (.*)$/m;
const MULTILINE_PARSE_ERROR = /^rg: regex parse error:.*?^error: ([^\n]*)$/ms;
const NEWLINE = /the literal "?'?\\n"?'? is not allowed/;
const TOO_LARGE = /exceeds size limit|too big/i;
/** How ripgrep wraps a pattern before it is parsed. */
const WRAPPER = '(?:';
const INDENT = 4;

/**
 * What ripgrep says about a pattern that it cannot use, as PATTERN_INVALID with
 * the reason and, where it is known, the position; undefined for other failures.
 */
export function toPatternError(stderr: string, { multiline, text }: SearchPattern): Error | undefined {
  if (NEWLINE.test(stderr)) {
    return new PatternInvalid(
      'The pattern holds a line feed, but each line is searched by itself. Send multiline=true.',
    );
  }
  const at = PARSE_ERROR.exec(stderr);
  if (at !== null) {
    const position = Math.max(0, (at[2] ?? '').length - INDENT - WRAPPER.length);
    return regexError(`${at[3]}`, toLineRegex(text, multiline).originalPosition(position));
  }
  const reason = MULTILINE_PARSE_ERROR.exec(stderr)?.[1];
  if (reason !== undefined) return regexError(reason, 0);
  if (TOO_LARGE.test(stderr)) {
    return new PatternInvalid('The regex is too large once compiled. Send one with smaller repetitions.');
  }
  return undefined;
}
