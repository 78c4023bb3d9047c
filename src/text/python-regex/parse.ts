import type { RegexNode } from './ast.ts';
import { type AtomContext, readAtom, toLiteral, toReference } from './atom.ts';
import { Cursor } from './cursor.ts';
import { syntaxFault, unsupportedFault } from './fault.ts';
import { applyFlags, type FlagChange, type Flags } from './flags.ts';
import { type GroupHead, readGroupHead } from './group-head.ts';
import { Groups } from './groups.ts';
import { isQuantifier, readBounds } from './quantifier.ts';
import { type Width, widthOf } from './width.ts';

/** Patterns longer than this, in code points, are refused. */
const MAX_PATTERN_LENGTH = 1024;
/** Groups inside groups beyond this are refused. */
const MAX_DEPTH = 100;

const WHITESPACE = /^[ \t\n\r\v\f]$/;
const MAX_LOOK_BEHIND = 4_294_967_295;
const OPEN_REMEDY = 'Close the group with ), or write \\( for a literal parenthesis.';

/**
 * Parses what Python 3.11 `re.compile` takes for a `str` pattern (`Lib/re/_parser.py`). Throws
 * `PATTERN_INVALID` with CPython's position for what it refuses, for the few things that this service leaves
 * out, and beyond `MAX_PATTERN_LENGTH` and `MAX_DEPTH`.
 */
export function parsePythonRegex(pattern: string, options: { ignoreCase: boolean }): RegexNode {
  const excess = Array.from(pattern.slice(0, 2 * MAX_PATTERN_LENGTH + 1))[MAX_PATTERN_LENGTH];
  if (excess !== undefined) {
    const what = `more than ${MAX_PATTERN_LENGTH} characters`;
    throw unsupportedFault(MAX_PATTERN_LENGTH, what, 'Send a shorter pattern, or several searches.');
  }
  return new Parser(pattern, options.ignoreCase).parse();
}

class Parser {
  readonly #cursor: Cursor;
  readonly #groups = new Groups();
  #flags: Flags;
  #unicodeAsked = false;
  #depth = 0;
  #variableLookBehind: Error | undefined;

  constructor(pattern: string, ignoreCase: boolean) {
    this.#cursor = new Cursor(pattern);
    this.#flags = { ignoreCase, multiline: false, dotAll: false, verbose: false, ascii: false };
  }

  parse(): RegexNode {
    const tree = this.#alternation(true);
    if (this.#unicodeAsked && this.#flags.ascii) {
      throw syntaxFault(0, 'the flags a and u together', 'Send one of them.');
    }
    if (this.#cursor.next !== undefined) {
      throw syntaxFault(this.#cursor.position, 'unbalanced )', 'Write \\) for a literal parenthesis.');
    }
    this.#groups.checkPromises();
    if (this.#variableLookBehind !== undefined) throw this.#variableLookBehind;
    return tree;
  }

  #alternation(takesFlags = false): RegexNode {
    const branches = [this.#sequence(takesFlags)];
    while (this.#cursor.takeIf('|')) branches.push(this.#sequence());
    const [only] = branches;
    return only !== undefined && branches.length === 1 ? only : { type: 'alternation', branches };
  }

  #sequence(takesFlags = false): RegexNode {
    const items: RegexNode[] = [];
    for (let token = this.#cursor.next; !endsSequence(token); token = this.#cursor.next) {
      const start = this.#cursor.position;
      this.#cursor.take();
      if (this.#flags.verbose && this.#isLayout(token)) continue;
      if (isQuantifier(token)) this.#quantify(items, token, start);
      else if (token === '(') this.#group(items, start, takesFlags && items.length === 0);
      else items.push(readAtom(token, this.#context(start)));
    }
    return { type: 'sequence', items };
  }

  #context(start: number): AtomContext {
    return { cursor: this.#cursor, groups: this.#groups, flags: this.#flags, start };
  }

  #isLayout(token: string): boolean {
    if (WHITESPACE.test(token)) return true;
    if (token !== '#') return false;
    for (let skipped = this.#cursor.take(); skipped !== undefined && skipped !== '\n'; ) skipped = this.#cursor.take();
    return true;
  }

  #quantify(items: RegexNode[], token: string, position: number): void {
    const bounds = readBounds(this.#cursor, token, position);
    if (bounds === undefined) {
      items.push(toLiteral(token.codePointAt(0) ?? 0, this.#context(position)));
      return;
    }
    const body = items.pop();
    if (body === undefined || body.type === 'place') {
      throw syntaxFault(position, `nothing to repeat before ${token}`, `Write \\${token} for the character itself.`);
    }
    if (body.type === 'repeat') {
      throw syntaxFault(position, `multiple repeat ${token}`, 'Put what is repeated twice into a group: (?:a*)*.');
    }
    items.push({ type: 'repeat', body, ...bounds, mode: this.#mode(), position });
  }

  #mode(): 'greedy' | 'lazy' | 'possessive' {
    if (this.#cursor.takeIf('?')) return 'lazy';
    return this.#cursor.takeIf('+') ? 'possessive' : 'greedy';
  }

  #group(items: RegexNode[], start: number, takesFlags: boolean): void {
    const head = readGroupHead(this.#cursor, this.#groups, start);
    if (head.type === 'comment') return;
    if (head.type === 'flags' && !head.change.scoped) this.#setGlobalFlags(head.change, start, takesFlags);
    else if (head.type === 'reference') items.push(toReference(head.group, this.#context(start)));
    else items.push(this.#grouped(head, start));
  }

  #setGlobalFlags(change: FlagChange, start: number, allowed: boolean): void {
    if (!allowed) {
      const remedy = 'Move them to the very start of the pattern, or write (?i:…) around the part they are for.';
      throw syntaxFault(start, 'global flags not at the start of the expression', remedy);
    }
    this.#unicodeAsked ||= change.on.has('u');
    const ascii = this.#flags.ascii || change.on.has('a');
    this.#flags = { ...applyFlags(this.#flags, change), ascii };
  }

  #grouped(head: GroupHead, start: number): RegexNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      const remedy = 'Send a flatter pattern.';
      throw unsupportedFault(start, `more than ${MAX_DEPTH} groups inside one another`, remedy);
    }
    const outer = this.#flags;
    if (head.type === 'flags') this.#flags = applyFlags(outer, head.change);
    const node = this.#withBody(head, start);
    this.#flags = outer;
    this.#depth -= 1;
    return node;
  }

  #withBody(head: GroupHead, position: number): RegexNode {
    switch (head.type) {
      case 'capture': {
        const group = this.#groups.open(head.name, head.position);
        const body = this.#body(position);
        this.#groups.close(group, this.#widthOf(body));
        return { type: 'capture', group, body };
      }
      case 'atomic':
        return { type: 'atomic', body: this.#body(position), position };
      case 'look':
        return head.behind ? this.#lookBehind(head.negative, position) : this.#lookAhead(head.negative, position);
      case 'conditional':
        return this.#conditional(head.group, position);
      default:
        return { type: 'sequence', items: [this.#body(position)] };
    }
  }

  #body(start: number): RegexNode {
    const body = this.#alternation();
    this.#close(start);
    return body;
  }

  #close(start: number): void {
    if (!this.#cursor.takeIf(')')) throw syntaxFault(start, 'unterminated group', OPEN_REMEDY);
  }

  #lookAhead(negative: boolean, position: number): RegexNode {
    return { type: 'look', negative, back: undefined, body: this.#body(position), position };
  }

  #lookBehind(negative: boolean, position: number): RegexNode {
    const leave = this.#groups.enterLookBehind();
    const body = this.#alternation();
    leave();
    this.#close(position);
    const { min, max } = this.#widthOf(body);
    if (min !== max || min > MAX_LOOK_BEHIND) {
      const remedy = 'Give it one length: no *, +, ? or {m,n}, and branches of equal length.';
      this.#variableLookBehind ??= syntaxFault(position, 'look-behind of more than one length', remedy);
    }
    return { type: 'look', negative, back: min, body, position };
  }

  #widthOf(body: RegexNode): Width {
    return widthOf(body, (group) => this.#groups.widthOf(group));
  }

  #conditional(group: number, position: number): RegexNode {
    const yes = this.#sequence();
    const no: RegexNode = this.#cursor.takeIf('|') ? this.#sequence() : { type: 'sequence', items: [] };
    if (this.#cursor.next === '|') {
      const remedy = 'Put the further branches into a group: (?(1)a|(?:b|c)).';
      throw syntaxFault(this.#cursor.position, 'conditional with more than two branches', remedy);
    }
    this.#close(position);
    return { type: 'conditional', group, yes, no, position };
  }
}

function endsSequence(token: string | undefined): token is undefined | '|' | ')' {
  return token === undefined || token === '|' || token === ')';
}
