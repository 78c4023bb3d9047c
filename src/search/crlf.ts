import { type RegexPart, regexParts, repeatOf } from './regex-parts.ts';

/** A regex as ripgrep gets it. */
export interface LineRegex {
  text: string;
  /** Whether it means the CR when it asks for one. */
  namesCr: boolean;
  /** Whether a match may need the CR of a CRLF, which is no part of its line. */
  mayTakeCr: boolean;
  /** Whether a line may match only without the CR of its CRLF. */
  mayMissForCr: boolean;
  /** The position in the regex as it was asked, in characters, of what stands at `position` in `text`. */
  originalPosition(position: number): number;
}

/**
 * A regex with every anchor at the end of a line standing before CRLF, too, and
 * complete in itself whatever is put around it. ripgrep's own `--crlf` would do
 * that, but it takes a lone CR for the end of a line as well, and lines end at
 * LF only. Where each line is searched by itself, the text's beginning and end
 * are the line's: written as such, ripgrep can tell where they match. Throws
 * PATTERN_INVALID.
 */
export function toLineRegex(regex: string, isMultiline: boolean): LineRegex {
  const { parts, endsVerbose } = regexParts(regex);
  const setsLines = parts.some(({ kind, text }) => isFlags(kind) && LINE_FLAG.test(text));
  const own = (text: string) => (isMultiline ? undefined : (BY_LINE[text] ?? (setsLines ? OF_LINES[text] : undefined)));
  const pieces = parts.map((part) => ({ ...part, rewritten: rewritten(part, own(part.text) ?? part.text) }));
  const text = pieces.map(({ rewritten }) => rewritten).join('');
  const namesCr = parts.some(({ kind, text }) => kind === 'atom' && NAMES_CR.test(text));
  const isOpaque = parts.some(({ kind, text }) => isFlags(kind) && OPAQUE_FLAGS.test(text));
  const isByLine = !isMultiline && !namesCr;
  return {
    // A comment ends with its line, and would take what is put behind it with it.
    text: endsVerbose ? `${text}\n` : text,
    namesCr,
    mayTakeCr: isByLine && (isOpaque || mayTakeCr(parts)),
    mayMissForCr: isByLine && (isOpaque || asksBehindAnchor(parts)),
    originalPosition: (position) => originalPosition(pieces, position),
  };
}

/** An alternative that every line with CRLF matches, for regexes that may miss one. */
export const EVERY_CRLF = '|(?m-Rx:[^\\n]*\\r$)';

/** Anchors of the text, as those of a line. */
const BY_LINE: Record<string, string> = { '\\A': '(?m-R:^)', '\\z': '(?m-R:$)' };
/** Anchors that `m` can make such of the text. */
const OF_LINES: Record<string, string> = { '^': '(?m:^)', $: '(?m:$)' };
const LINE_FLAG = /^\([^?]*\?[a-zA-Z-]*m/;

function rewritten({ kind, text }: RegexPart, own: string): string {
  if (kind === 'anchor') return `(?:\\r?${own})`;
  return kind === 'assertion' ? own : text;
}

function isFlags(kind: RegexPart['kind']): boolean {
  return kind === 'flags' || kind === 'open';
}

function originalPosition(pieces: readonly (RegexPart & { rewritten: string })[], position: number): number {
  let inserted = 0;
  for (const piece of pieces) {
    const start = piece.position + inserted;
    if (start >= position) break;
    if (piece.rewritten === piece.text) continue;
    if (position < start + piece.rewritten.length) return piece.position;
    inserted += piece.rewritten.length - piece.text.length;
  }
  return position - inserted;
}

const NAMES_CR = /\\r|\\x0d|\\[xuU]\{0*d\}|\\u000d|\\U0000000d|\r/i;
/** Flags that change what a character, `.` or `$` is: under `x` blanks are none, under `R` lines end at CR, too. */
const OPAQUE_FLAGS = /^\([^?]*\?[a-zA-Z-]*[Rux]/;
/** What is no CR: printable characters, and classes that hold no other. */
const WITHOUT_CR =
  /^(?:[^\\.[\0-\x1f]|\\[dwSntafv]|\\[^a-zA-Z0-9\s]|\[(?:[^\\[^\0-\x1f]|\\[dwS]|\\[^a-zA-Z0-9\s])*\])$/u;

/**
 * Whether a match may need the CR before the line feed. A part that may be left
 * out once more does not need it, nor does one that more of the line must
 * follow. Behind the CR is no word and no
 * word's end, but a place that is neither.
 */
function mayTakeCr(parts: readonly RegexPart[]): boolean {
  return parts.some((part, index) => {
    if (part.kind === 'assertion') return BETWEEN.test(part.text);
    if (part.kind !== 'atom' || WITHOUT_CR.test(part.text)) return false;
    const { count, isOptional, next } = repeatOf(parts, index);
    // Of repeated repetitions each may be more than one character.
    return !(isOptional && count === 1) && !mustTakeMore(parts, next);
  });
}

const BETWEEN = /^\\(?:B|b\{(?:start|end)-half\})$/;

function mustTakeMore(parts: readonly RegexPart[], index: number): boolean {
  return parts[index]?.kind === 'atom' && !repeatOf(parts, index).isOptional;
}

/**
 * Whether something behind an anchor may be asked for that does not hold behind
 * the CR that the anchor takes: `a$\b` matches `a`. Coarse: it may say so of
 * what never happens.
 */
function asksBehindAnchor(parts: readonly RegexPart[]): boolean {
  return branchesOf(parts).some((branch) => {
    const anchor = branch.findIndex(({ kind }) => kind === 'anchor');
    const assertion = branch.findLastIndex(({ kind }) => kind === 'assertion');
    if (anchor === -1 || assertion === -1) return false;
    // A group around the anchor that is repeated comes back to what stands before it.
    return (
      assertion > anchor || branch.some(({ kind }, at) => kind === 'close' && at > anchor && isRepeated(branch, at))
    );
  });
}

function isRepeated(parts: readonly RegexPart[], at: number): boolean {
  return repeatOf(parts, at).count > 0;
}

/** The regex at its alternatives outside of groups. */
function branchesOf(parts: readonly RegexPart[]): RegexPart[][] {
  const branches: RegexPart[][] = [[]];
  let depth = 0;
  for (const part of parts) {
    if (part.kind === 'open') depth += 1;
    if (part.kind === 'close') depth -= 1;
    if (part.kind === 'or' && depth === 0) branches.push([]);
    else branches.at(-1)?.push(part);
  }
  return branches;
}
