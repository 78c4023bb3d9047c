/** The syntax of the Rust regex crate, as far as the structure of a regex goes: sticky regexes for its pieces. */

/** White space as Rust has it, which is not what `\s` is here. */
const SPACE = '\\p{White_Space}';
/** A comment goes on to the end of its line: read any other way, there would be many ways to read two. */
const GAP_PIECE = `${SPACE}|#[^\\n]*(?:\\n|$)`;
const GAP = `(?:${GAP_PIECE})*`;

const sticky = (source: string) => new RegExp(source, 'suy');

/** The pieces of a regex, with what may stand between the characters of one: nothing, or under `x` a gap. */
function syntaxOf(gap: string) {
  // What belongs to a gap is no letter.
  const letter = gap === '' ? '.' : `(?!${GAP_PIECE}).`;
  const digits = (count: number) => `(?:${gap}[0-9a-fA-F]){${count}}`;
  return {
    gap: sticky(gap),
    escape: sticky(
      [
        `\\\\(?:[xuU]${gap}\\{[^}]*\\}`,
        `x${digits(2)}`,
        `u${digits(4)}`,
        `U${digits(8)}`,
        `[pP]${gap}\\{[^}]*\\}`,
        `[pP](?!${gap}\\{)${gap}${letter}`,
        `b\\{${gap}[a-zA-Z](?:${gap}[a-zA-Z-])*${gap}\\}`,
        '.)',
      ].join('|'),
    ),
    repeat: sticky(`(?:[*+?]|\\{(?:[0-9,]|${gap === '' ? SPACE : GAP_PIECE})*\\})\\??`),
    flags: sticky(`\\(${gap}\\?(?<set>[a-zA-Z-]*)(?<end>[:)])`),
    group: sticky(`\\(${gap}(?:\\?P?<(?![=!])[^>]*>)?`),
    /** What follows a `[` and cannot end its class: a `]` does where a `-` stands before it. */
    classOpening: sticky(`${gap}\\^?${gap}(?:(?:-${gap})+|\\]?)`),
    /** What joins two classes. */
    classOperator: sticky('&&|--|~~'),
    /** A `-` that makes a range with what follows, which is then no bracket. */
    range: sticky(`${gap}-(?!${gap}[\\]-])${gap}`),
  };
}

export type RegexSyntax = ReturnType<typeof syntaxOf>;

export const PLAIN = syntaxOf('');
/** Under `x`. */
export const VERBOSE = syntaxOf(GAP);

const GAPS = new RegExp(GAP_PIECE, 'gu');

export function withoutGaps(text: string): string {
  return text.replace(GAPS, '');
}
