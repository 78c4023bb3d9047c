import { PatternInvalid, withMembers } from '../errors.ts';
import { expandBraces } from './braces.ts';
import { compileShellSegment } from './fnmatch.ts';
import { ANY_ENDS, anyOf, commonEnds, type Ends, type Segment } from './segment.ts';

/** A pattern of paths, advanced one name at a time as a walk goes down. */
export interface Glob {
  /** The state before any name: in the root when the glob is anchored, else in the folder where the walk starts. */
  readonly start: GlobState;
  /** The state after entering `name`, or undefined when neither it nor anything below it can match. */
  step(state: GlobState, name: string): GlobState | undefined;
  /**
   * Whether the path that led to `state` matches. Say so when it is no directory: `src/**` and `src/` match
   * the folder `src`, as in bash, but not a file of that name.
   */
  accepts(state: GlobState, isDirectory?: boolean): boolean;
  /** Whether something below a folder in this state may match. */
  descends(state: GlobState): boolean;
  /** How all names begin and end that lead from `state` to a match. */
  endsOfHits(state: GlobState): Ends;
  /** Steps that one name may take in all its segments together (see `Segment`). */
  readonly cost: number;
  /**
   * The folders that each alternative names outright before its first wildcard, quotes removed: `[['a', 'b']]`
   * of `a/b/*.js`, none of `*.js`. In lower case when case does not matter.
   */
  readonly literalFolders: readonly (readonly string[])[];
  /** Begins with a slash: relative to the root, not to the start folder. */
  readonly anchored: boolean;
  /** Holds no slash: matches the name at any depth. */
  readonly nameOnly: boolean;
  /** Ends in a slash, whichever alternative it is: matches folders alone. */
  readonly directoryOnly: boolean;
}

const MAX_CHARACTERS = 1024;
/**
 * Steps that one name may take in all the segments together (see `Segment`):
 * at worst about 0.1 ms. It leaves room for 64 alternatives that float as text
 * between two stars, or 31 that float with brackets, and any number of others.
 */
const MAX_STEPS_A_NAME = 8192;
/** States that a glob keeps; those met later are built again each time. */
const MAX_STATES = 256;
const SEVERAL = -1;
const ANY_FOLDERS = '**';
const QUOTED = /\\(.)/gsu;

/** One alternative of a glob. */
interface Path {
  readonly names: readonly string[];
  readonly anchored: boolean;
  readonly directoryOnly: boolean;
}

interface Node {
  readonly id: number;
  readonly acceptsFile: boolean;
  readonly acceptsFolder: boolean;
  readonly tests: readonly { readonly segment: Segment; readonly next: Node }[];
  /** What stands behind a `**`: met here, and again below however many folders. */
  readonly loop: Node | undefined;
}

const NO_NODES: readonly Node[] = [];

/**
 * The nodes where a path may stand, their tests merged: nodes that test for
 * the same share one segment. Kept and shared, so that a walk builds few.
 */
export class GlobState {
  readonly acceptsFile: boolean;
  readonly acceptsFolder: boolean;
  readonly tests: readonly { readonly segment: Segment; readonly nexts: readonly Node[] }[];
  readonly loops: readonly Node[];
  /** What follows when no test hits (0) or the nth test alone (n), as far as it is known; null when nothing does. */
  readonly after: (GlobState | null | undefined)[];

  constructor(nodes: readonly Node[], loops: readonly Node[]) {
    const nexts = new Map<Segment, Node[]>();
    for (const { segment, next } of nodes.flatMap(({ tests }) => tests)) addTo(nexts, segment, next);
    this.acceptsFile = nodes.some(({ acceptsFile }) => acceptsFile);
    this.acceptsFolder = nodes.some(({ acceptsFolder }) => acceptsFolder);
    this.tests = Array.from(nexts, ([segment, behind]) => ({ segment, nexts: behind }));
    this.loops = loops;
    this.after = new Array(this.tests.length + 1).fill(undefined);
  }
}

export interface GlobOptions {
  caseSensitive: boolean;
  /** That its braces may stand for; 1,000 without. */
  maxAlternatives?: number;
}

/**
 * Compiles a glob over paths. Without a slash it matches the name at any depth,
 * with one it is relative to the start folder, and with a leading one to the
 * root. `**` as a whole segment is zero or more folders; `*`, `?`, `[…]`, a
 * backslash that quotes, and braces are as in bash with `dotglob` and
 * `globstar`; what would be an extended glob is plain text. `.` and empty
 * segments drop out; a trailing slash means folders. Without `caseSensitive`
 * both sides are lower-cased, as in fnmatch.
 *
 * Throws `PATTERN_INVALID` for a pattern that is empty or longer than 1,024
 * characters, holds a NUL, has a segment `..` in any alternative, begins with a
 * slash in some alternatives but not in all, has more alternatives than allowed,
 * or would take more than about 0.1 ms a name.
 */
export function compileGlob(pattern: string, options: GlobOptions): Glob {
  refuseUnusable(pattern);
  return new SegmentAutomaton(pattern, options);
}

function refuseUnusable(pattern: string): void {
  if (pattern === '') {
    throw new PatternInvalid('The pattern is empty. Send *.ext for names at any depth, or ** for everything.');
  }
  const characters = Array.from(pattern);
  if (characters.length > MAX_CHARACTERS) {
    throw new PatternInvalid('The pattern is longer than 1,024 characters. Send a shorter one, or several patterns.');
  }
  const position = characters.indexOf('\0');
  if (position < 0) return;
  throw withMembers(new PatternInvalid('The pattern holds a NUL, which no name does. Send it without.'), { position });
}

/**
 * The alternatives as one graph of nodes in which equal ends are shared, so
 * that they cost what they differ in, walked by sets of nodes: exact about what
 * can still match, and never more work a name than one of each test.
 */
class SegmentAutomaton implements Glob {
  readonly start: GlobState;
  readonly literalFolders: readonly (readonly string[])[];
  readonly anchored: boolean;
  readonly nameOnly: boolean;
  readonly directoryOnly: boolean;
  readonly #caseSensitive: boolean;
  readonly #segments = new Map<string, Segment>();
  readonly #nodes = new Map<string, Node>();
  readonly #states = new Map<string, GlobState>();
  cost = 0;

  constructor(pattern: string, { caseSensitive, maxAlternatives }: GlobOptions) {
    this.#caseSensitive = caseSensitive;
    this.nameOnly = !pattern.includes('/');
    const texts = expandBraces(caseSensitive ? pattern : pattern.toLowerCase(), maxAlternatives).filter(
      (text) => text !== '',
    );
    const paths = texts.map((text) => this.#toPath(text));
    this.anchored = isAnchored(paths);
    this.directoryOnly = paths.length > 0 && paths.every(({ directoryOnly }) => directoryOnly);
    this.literalFolders = distinct(paths.map((path) => this.#literalFoldersOf(path)));
    const rows = paths.flatMap((path) => toRows(path, this.nameOnly));
    this.start = this.#stateOf([this.#nodeOf(rows, 0)], []);
  }

  step(state: GlobState, name: string): GlobState | undefined {
    const text = this.#caseSensitive ? name : name.toLowerCase();
    let nexts: readonly Node[] = NO_NODES;
    let hit = 0;
    for (let at = 0; at < state.tests.length; at++) {
      const test = state.tests[at];
      if (test === undefined || !test.segment.matches(text)) continue;
      nexts = nexts.concat(test.nexts);
      hit = hit === 0 ? at + 1 : SEVERAL;
    }
    const known = state.after[hit];
    return known === undefined ? this.#enter(state, nexts, hit) : (known ?? undefined);
  }

  accepts(state: GlobState, isDirectory = true): boolean {
    return isDirectory ? state.acceptsFolder : state.acceptsFile;
  }

  descends(state: GlobState): boolean {
    return state.tests.length > 0 || state.loops.length > 0;
  }

  endsOfHits(state: GlobState): Ends {
    const bare = state.loops.length === 0 ? undefined : this.#enter(state, [], 0);
    const isHitByAny = bare?.acceptsFile === true || bare?.acceptsFolder === true;
    return isHitByAny || !this.#caseSensitive ? ANY_ENDS : commonEnds(state.tests.map(({ segment }) => segment.ends));
  }

  #enter(state: GlobState, nexts: readonly Node[], hit: number): GlobState | undefined {
    const isDead = nexts.length === 0 && state.loops.length === 0;
    const next = isDead ? undefined : this.#stateOf(nexts, state.loops);
    if (hit !== SEVERAL && this.#states.size < MAX_STATES) state.after[hit] = next ?? null;
    return next;
  }

  #stateOf(entered: readonly Node[], looping: readonly Node[]): GlobState {
    const nodes = new Set([...entered, ...looping]);
    const loops = new Set(looping);
    for (const { loop } of nodes) {
      if (loop === undefined) continue;
      loops.add(loop);
      nodes.add(loop);
    }
    const key = `${idsOf(nodes)};${idsOf(loops)}`;
    const state = this.#states.get(key) ?? new GlobState([...nodes], [...loops]);
    if (this.#states.size < MAX_STATES) this.#states.set(key, state);
    return state;
  }

  #toPath(text: string): Path {
    const names = text.replace(QUOTED, (quoted, char) => (char === '/' ? char : quoted)).split('/');
    const isHere = (name: string) => name === '' || this.#segmentOf(name).literal === '.';
    if (names.some((name) => this.#segmentOf(name).literal === '..')) {
      throw new PatternInvalid(
        "The pattern has a segment '..', and a glob cannot climb. Send the folder as path, and a pattern for what is below it.",
      );
    }
    const steps = names.filter((name) => !isHere(name));
    return {
      names: steps.filter((name, at) => name !== ANY_FOLDERS || steps[at - 1] !== ANY_FOLDERS),
      anchored: names[0] === '',
      directoryOnly: isHere(names.at(-1) ?? ''),
    };
  }

  #segmentOf(name: string): Segment {
    const known = this.#segments.get(name);
    if (known !== undefined) return known;
    const segment = compileShellSegment(name, this.#caseSensitive);
    this.#segments.set(name, segment);
    this.cost += segment.cost;
    if (this.cost > MAX_STEPS_A_NAME) {
      throw new PatternInvalid(
        'The pattern would take too long for each name: it has too many alternatives with wildcards around them. Send fewer, or several patterns.',
      );
    }
    return segment;
  }

  #unionOf(names: readonly string[]): Segment {
    const key = names.join('/');
    const segment = this.#segments.get(key) ?? anyOf(names.map((name) => this.#segmentOf(name)));
    this.#segments.set(key, segment);
    return segment;
  }

  #literalFoldersOf({ names, directoryOnly }: Path): string[] {
    const literals = names.slice(0, directoryOnly ? names.length : -1).map((name) => this.#segmentOf(name).literal);
    const wildcard = literals.indexOf(undefined);
    return literals.slice(0, wildcard < 0 ? literals.length : wildcard).filter((name) => name !== undefined);
  }

  /** The node where `rows` stand that have the first `depth` names behind them. */
  #nodeOf(rows: readonly Path[], depth: number): Node {
    const ended = rows.filter(({ names }) => names.length === depth);
    const acceptsFile = ended.some(({ directoryOnly }) => !directoryOnly);
    const acceptsFolder = ended.length > 0;
    const { loop, tests } = this.#edgesOf(rows, depth);
    const key = JSON.stringify([
      acceptsFile,
      acceptsFolder,
      loop?.id,
      tests.map(({ names, next }) => [names, next.id]),
    ]);
    const node = this.#nodes.get(key) ?? { id: this.#nodes.size, acceptsFile, acceptsFolder, tests, loop };
    this.#nodes.set(key, node);
    return node;
  }

  #edgesOf(rows: readonly Path[], depth: number) {
    const rowsBehind = new Map<string, Path[]>();
    for (const row of rows) {
      const name = row.names[depth];
      if (name !== undefined) addTo(rowsBehind, name, row);
    }
    let loop: Node | undefined;
    const namesBefore = new Map<Node, string[]>();
    for (const [name, behind] of rowsBehind) {
      const next = this.#nodeOf(behind, depth + 1);
      if (name === ANY_FOLDERS) loop = next;
      else addTo(namesBefore, next, name);
    }
    return {
      loop,
      tests: Array.from(namesBefore, ([next, names]) => ({ segment: this.#unionOf(names), names, next })),
    };
  }
}

function isAnchored(paths: readonly Path[]): boolean {
  const anchored = paths.filter((path) => path.anchored).length;
  if (anchored > 0 && anchored < paths.length) {
    throw new PatternInvalid(
      'Some alternatives of the pattern begin with a slash and some do not. Send them as separate patterns.',
    );
  }
  return anchored > 0;
}

/** What is to be matched, name by name. A `**` at the end is the folder before it and whatever is below. */
function toRows(path: Path, nameOnly: boolean): Path[] {
  const isAnywhere = nameOnly && path.names.length > 0 && path.names[0] !== ANY_FOLDERS;
  const names = isAnywhere ? [ANY_FOLDERS, ...path.names] : path.names;
  if (path.directoryOnly || names.at(-1) !== ANY_FOLDERS) return [{ ...path, names }];
  return [
    { ...path, names: names.slice(0, -1), directoryOnly: true },
    { ...path, names: [...names, '*'] },
  ];
}

function distinct(lists: readonly string[][]): string[][] {
  const byPath = new Map(lists.filter(({ length }) => length > 0).map((names) => [names.join('/'), names]));
  return [...byPath.values()];
}

function idsOf(nodes: ReadonlySet<Node>): string {
  return Array.from(nodes, ({ id }) => id)
    .sort((a, b) => a - b)
    .join();
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
