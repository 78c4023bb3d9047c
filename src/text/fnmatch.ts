import { ANY, CharSet, type CodeTest, type Range } from './char-set.ts';
import { compileSegment, type Segment, STAR, type Token } from './segment.ts';

const BACK = 0x5d;
const BACKSLASH = 0x5c;
const BANG = 0x21;
const CARET = 0x5e;
const COLON = 0x3a;
const DOT = 0x2e;
const EQUALS = 0x3d;
const HYPHEN = 0x2d;
const OPEN = 0x5b;
const QUESTION = 0x3f;
const WILD = 0x2a;
/** Of the names that may stand between `[:` and `:]`; what is longer is no class. */
const LONGEST_CLASS = 16;
const NOTHING = new CharSet([], false);

/** The classes of glibc's C.UTF-8, as near as Unicode's properties come to them. */
const CLASSES: ReadonlyMap<string, CodeTest> = new Map(
  Object.entries({
    alnum: /[\p{Alphabetic}\p{Nd}]/u,
    alpha: /(?![0-9])[\p{Alphabetic}\p{Nd}]/u,
    ascii: /[\0-\x7f]/u,
    blank: /[\t\p{Zs}]/u,
    cntrl: /\p{Cc}/u,
    digit: /[0-9]/u,
    graph: /[^\p{Z}\p{C}]/u,
    lower: /\p{Lowercase}/u,
    print: /[^\p{Zl}\p{Zp}\p{C}]/u,
    punct: /[^\p{Alphabetic}\p{Nd}\p{Z}\p{C}]/u,
    space: /\p{White_Space}/u,
    upper: /\p{Uppercase}/u,
    word: /[\p{Alphabetic}\p{Nd}_]/u,
    xdigit: /[0-9A-Fa-f]/u,
  }).map(([name, members]) => [name, memoized(members)]),
);

/**
 * Compiles a pattern as Python 3.11's `fnmatch` reads it, to the letter: `*`,
 * `?`, `[seq]` and `[!seq]` are special and nothing else is, the whole name
 * must match, a dot is a character like any other, and there is no quoting.
 * No pattern is invalid: a `[` that nothing closes is itself.
 *
 * Without `caseSensitive` it is `fnmatchcase(name.lower(), pattern.lower())`.
 * Names and patterns are read by code points. A match takes time in proportion
 * to the name (see `Segment`).
 */
export function compileFnmatch(pattern: string, options: { caseSensitive: boolean }): (name: string) => boolean {
  const segment = fnmatchSegment(options.caseSensitive ? pattern : pattern.toLowerCase());
  if (options.caseSensitive) return (name) => segment.matches(name);
  return (name) => segment.matches(name.toLowerCase());
}

/** The same with respect to case, with what is known of the names that match. */
export function fnmatchSegment(pattern: string): Segment {
  return compileSegment(parse(pattern));
}

function parse(pattern: string): Token[] {
  const codes = codesOf(pattern);
  const tokens: Token[] = [];
  for (let at = 0; at < codes.length; at++) {
    const close = closeOf(codes, at);
    if (close < 0) tokens.push(tokenOf(codes[at] ?? 0));
    else {
      tokens.push(setOf(codes.slice(at + 1, close)));
      at = close;
    }
  }
  return tokens;
}

function codesOf(text: string): number[] {
  return Array.from(text, (char) => char.codePointAt(0) ?? 0);
}

function tokenOf(code: number): Token {
  if (code === WILD) return STAR;
  return code === QUESTION ? ANY : code;
}

/** Where the `]` stands that ends the set opened at `open`; -1 when no set opens there. One that comes first is a member. */
function closeOf(codes: readonly number[], open: number): number {
  if (codes[open] !== OPEN) return -1;
  let at = open + 1;
  if (codes[at] === BANG) at++;
  if (codes[at] === BACK) at++;
  return codes.indexOf(BACK, at);
}

/**
 * What stands between the brackets, as `fnmatch.translate` hands it to `re`.
 * The negation is looked for after the empty ranges are gone, so that
 * `[b-a!x]` is `[!x]`, `[z-a]` is nothing and `[!z-a]` is anything.
 */
function setOf(body: readonly number[]): CharSet {
  const [first = [], ...rest] = chunksOf(body);
  const isNegated = first[0] === BANG;
  const chunks = [isNegated ? first.slice(1) : first, ...rest];
  if (rest.length === 0 && chunks[0]?.length === 0) return isNegated ? ANY : NOTHING;
  return new CharSet(rangesOf(chunks), isNegated);
}

/** The parts of a set between the hyphens that make ranges: the end of one and the start of the next are a range. */
function chunksOf(body: readonly number[]): number[][] {
  const chunks: number[][] = [];
  let start = 0;
  let hyphen = body.indexOf(HYPHEN, body[0] === BANG ? 2 : 1);
  while (hyphen >= 0) {
    chunks.push(body.slice(start, hyphen));
    start = hyphen + 1;
    hyphen = body.indexOf(HYPHEN, hyphen + 3);
  }
  if (start < body.length) chunks.push(body.slice(start));
  else chunks.at(-1)?.push(HYPHEN);
  return withoutEmptyRanges(chunks);
}

/** From the last to the first, as CPython does it: the order shows where three chunks meet. */
function withoutEmptyRanges(chunks: number[][]): number[][] {
  for (let at = chunks.length - 1; at > 0; at--) {
    const left = chunks[at - 1] ?? [];
    const right = chunks[at] ?? [];
    if ((left.at(-1) ?? 0) > (right[0] ?? 0)) chunks.splice(at - 1, 2, [...left.slice(0, -1), ...right.slice(1)]);
  }
  return chunks;
}

/** A hyphen whose left side went away with the `!` begins the set for `re`, which reads it as itself. */
function rangesOf(chunks: readonly (readonly number[])[]): Range[] {
  const singles = chunks.flat().map((code): Range => [code, code]);
  const joined = chunks.slice(1).map((chunk, at): Range => {
    const first = chunks[at]?.at(-1);
    return first === undefined ? [HYPHEN, HYPHEN] : [first, chunk[0] ?? first];
  });
  return [...singles, ...joined];
}

/**
 * Compiles one segment of a path pattern as bash reads it in C.UTF-8, with
 * `dotglob` and without extended globs: `*`, `?`, `[…]` with ranges by code
 * point, negated by `!` or `^`, and with the POSIX classes (`[[:alpha:]]`,
 * bash's `word` and `ascii`, too), `[[=a=]]` and `[[.-.]]` of one character. A
 * backslash quotes the next character, also inside brackets, and is itself at
 * the end. A `[` that nothing closes is itself; an unknown class and a range
 * that ends before it begins have no members.
 *
 * Without `caseSensitive` the text and the names must be in lower case already,
 * and `upper` means what `lower` means.
 */
export function compileShellSegment(text: string, caseSensitive: boolean): Segment {
  const codes = codesOf(text);
  const unclosed = new Set<number>();
  const tokens: Token[] = [];
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    const bracket = code === OPEN ? bracketAt(codes, at, unclosed) : undefined;
    if (bracket !== undefined) {
      tokens.push(shellSet(bracket, caseSensitive));
      at = bracket.end - 1;
    } else if (code === BACKSLASH) tokens.push(codes[++at] ?? BACKSLASH);
    else tokens.push(tokenOf(code));
  }
  return compileSegment(tokens);
}

interface Bracket {
  readonly isNegated: boolean;
  readonly items: readonly (ClassItem | RangeItem)[];
  /** Where the text after it begins. */
  readonly end: number;
}
interface ClassItem {
  readonly className: string;
  readonly end: number;
}
interface RangeItem {
  readonly range: Range;
  readonly end: number;
}

/**
 * The bracket that opens at `open`; none when nothing closes it. Where an item
 * begins that no `]` follows goes into `unclosed`, so that a row of a thousand
 * `[` is read once and not a thousand times.
 */
function bracketAt(codes: readonly number[], open: number, unclosed: Set<number>): Bracket | undefined {
  const isNegated = codes[open + 1] === BANG || codes[open + 1] === CARET;
  const start = open + (isNegated ? 2 : 1);
  const items: (ClassItem | RangeItem)[] = [];
  let at = start;
  while (at === start || codes[at] !== BACK) {
    const item = itemAt(codes, at);
    if (item === undefined || unclosed.has(at)) {
      for (const { end } of items) unclosed.add(end);
      return undefined;
    }
    items.push(item);
    at = item.end;
  }
  return { isNegated, items, end: at + 1 };
}

function shellSet({ isNegated, items }: Bracket, caseSensitive: boolean): CharSet {
  const ranges = items.flatMap((item) => ('range' in item ? [item.range] : []));
  const tests = items.flatMap((item) => ('range' in item ? [] : (classOf(item.className, caseSensitive) ?? [])));
  return new CharSet(ranges, isNegated, tests);
}

function classOf(name: string, caseSensitive: boolean): CodeTest | undefined {
  return CLASSES.get(name === 'upper' && !caseSensitive ? 'lower' : name);
}

function itemAt(codes: readonly number[], at: number): ClassItem | RangeItem | undefined {
  return classAt(codes, at) ?? rangeAt(codes, at);
}

function classAt(codes: readonly number[], at: number): ClassItem | undefined {
  if (codes[at] !== OPEN || codes[at + 1] !== COLON) return undefined;
  const name = codes.slice(at + 2, at + 2 + LONGEST_CLASS);
  const length = name.findIndex((code, index) => code === COLON && codes[at + 3 + index] === BACK);
  if (length < 0) return undefined;
  return { className: String.fromCodePoint(...name.slice(0, length)), end: at + length + 4 };
}

function rangeAt(codes: readonly number[], at: number): RangeItem | undefined {
  const first = memberAt(codes, at);
  if (first === undefined) return undefined;
  const isRange = codes[first.end] === HYPHEN && codes[first.end + 1] !== BACK;
  const last = isRange ? memberAt(codes, first.end + 1) : first;
  return last && { range: [first.code, last.code], end: last.end };
}

function memberAt(codes: readonly number[], at: number): { code: number; end: number } | undefined {
  const [first, second, third, fourth, fifth] = codes.slice(at, at + 5);
  const isSymbol = (second === DOT || second === EQUALS) && fourth === second && fifth === BACK;
  if (first === OPEN && isSymbol && third !== undefined) return { code: third, end: at + 5 };
  if (first === BACKSLASH) return second === undefined ? undefined : { code: second, end: at + 2 };
  return first === undefined ? undefined : { code: first, end: at + 1 };
}

/** Remembers the answers: a regex takes about 50 ns a character, and a search asks for each anew. */
function memoized(members: RegExp): CodeTest {
  let known: Uint8Array | undefined;
  return (code) => {
    known ??= new Uint8Array(0x110000);
    known[code] ||= members.test(String.fromCodePoint(code)) ? 2 : 1;
    return known[code] === 2;
  };
}
