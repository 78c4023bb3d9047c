import { type RegexPart, regexParts } from './regex-parts.ts';

/** A regex as ripgrep gets it. */
export interface LineRegex {
  text: string;
  /** Whether a match may need the CR of a CRLF, which is no part of its line. */
  mayTakeCr: boolean;
  /** The position in the regex as it was asked, in characters, of what stands at `position` in `text`. */
  originalPosition(position: number): number;
}

/** An end-of-line anchor that also stands before the CR of a CRLF. */
const ANCHOR = '(?:\\r?$)';

/**
 * A regex with every `$` standing before CRLF, too, and complete in itself
 * whatever is put around it. ripgrep's own `--crlf` would do that, but it takes
 * a lone CR for the end of a line as well, and lines end at LF only. Throws
 * PATTERN_INVALID.
 */
export function toLineRegex(regex: string): LineRegex {
  const { parts, endsVerbose } = regexParts(regex);
  const text = parts.map(({ kind, text }) => (kind === 'anchor' ? ANCHOR : text)).join('');
  return {
    // A comment ends with its line, and would take what is put behind it with it.
    text: endsVerbose ? `${text}\n` : text,
    mayTakeCr: mayTakeCr(parts),
    originalPosition: (position) => originalPosition(parts, position),
  };
}

function originalPosition(parts: readonly RegexPart[], position: number): number {
  let inserted = 0;
  for (const { kind, position: start } of parts) {
    if (start + inserted >= position) break;
    if (kind !== 'anchor') continue;
    const after = start + inserted + ANCHOR.length;
    if (position < after) return start;
    inserted += ANCHOR.length - 1;
  }
  return position - inserted;
}

const NAMES_CR = /\\r|\\x0d|\\[xuU]\{0*d\}|\\u000d|\\U0000000d|\r/i;
/** Escapes of classes that hold the CR. */
const CLASS_WITH_CR = /\\[sWDPp]|\[:/;
const NEGATED = /^\[\s*\^/;
const CONTROL_RANGE = /[\0-\r]-|\\[0-9abftnvxuU]/;
const OPTIONAL = /^(?:[*?]|\{0?[ ,])/;

/**
 * Whether a match may need the CR before the line feed. A part that may be left
 * out does not need it, nor does one that more of the line must follow. A regex
 * that names the CR means it.
 */
function mayTakeCr(parts: readonly RegexPart[]): boolean {
  const significant = parts.filter(({ kind }) => kind !== 'pass');
  if (significant.some(({ kind, text }) => kind === 'atom' && NAMES_CR.test(text))) return false;
  return significant.some((part, index) => {
    if (part.kind !== 'atom' || !holdsCr(part.text)) return false;
    const { isOptional, next } = after(significant, index);
    return !isOptional && !mustTakeMore(significant, next);
  });
}

function holdsCr(atom: string): boolean {
  if (atom === '.') return true;
  if (!atom.startsWith('[')) return CLASS_WITH_CR.test(atom);
  return NEGATED.test(atom) || CLASS_WITH_CR.test(atom) || CONTROL_RANGE.test(atom);
}

/** Whether an atom need not match, and where its repetition ends. */
function after(parts: readonly RegexPart[], atom: number): { isOptional: boolean; next: number } {
  const repeat = parts[atom + 1];
  if (repeat?.kind !== 'repeat') return { isOptional: false, next: atom + 1 };
  return { isOptional: OPTIONAL.test(repeat.text), next: atom + 2 };
}

function mustTakeMore(parts: readonly RegexPart[], index: number): boolean {
  return parts[index]?.kind === 'atom' && !after(parts, index).isOptional;
}
