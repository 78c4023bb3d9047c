/** An end-of-line anchor that also stands before the CR of a CRLF. */
const ANCHOR = '(?:\\r?$)';
/** What matters for telling an anchor: escapes, the ends of classes (a `]` right after the opening is literal), and `$`. */
const PARTS = /\\.|\[\^?\]?|\]|\$/gs;

/**
 * The regex with every `$` anchor standing before CRLF, too. ripgrep's own
 * `--crlf` would do that, but it takes a lone CR for the end of a line as well,
 * and lines end at LF only.
 */
export function beforeCrlf(regex: string): string {
  let classDepth = 0;
  return regex.replace(PARTS, (part) => {
    if (part.startsWith('[')) classDepth += 1;
    else if (part === ']' && classDepth > 0) classDepth -= 1;
    return part === '$' && classDepth === 0 ? ANCHOR : part;
  });
}

/** The position in `regex` of what stands at `position` in `beforeCrlf(regex)`. */
export function originalPosition(regex: string, position: number): number {
  let at = 0;
  while (at < regex.length && beforeCrlf(regex.slice(0, at + 1)).length <= position) at += 1;
  return at;
}
