import type { NameMatcher } from '../name-matcher.ts';
import { type Alphabet, asciiAlphabet, wideAlphabet } from './alphabet.ts';
import type { RegexNode } from './ast.ts';
import { backtrackingEngine } from './backtracking-engine.ts';
import { linearEngine } from './linear-engine.ts';
import { parsePythonRegex } from './parse.ts';
import type { Engine } from './slices.ts';
import { setsOf, spellingOf } from './spelling.ts';
import { toJs } from './to-js.ts';
import { obstacleIn, statesOf, toRe2 } from './to-re2.ts';

/** The names that one engine is for: the plainer they are, the more a linear-time engine can do. */
type Kind = 'ascii' | 'wide' | 'any';

const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * Compiles a pattern that is searched in names as Python's `re.search` does for `str`, with `re.IGNORECASE`
 * when `ignoreCase` (`Lib/re`, `Modules/_sre` of CPython 3.11; Unicode of the running Node).
 *
 * Where RE2 can express the pattern exactly for the names at hand, it runs in linear time. Elsewhere V8's
 * backtracking engine runs it for at most 50 ms a call (a call with more than a thousand names: for each
 * thousand), and the call throws `PATTERN_INVALID` when that is not enough. A pattern that Python refuses,
 * or that cannot be run exactly, throws `PATTERN_INVALID` here, with the position at fault.
 */
export function compilePythonRegex(pattern: string, options: { ignoreCase: boolean }): NameMatcher {
  const tree = parsePythonRegex(pattern, options);
  const engineOf = enginesFor(tree);
  // What cannot be run cannot be run for the plainest names either: this throws before the first of them.
  engineOf('ascii');
  return (names) => {
    const kinds = names.map(kindOf);
    const present = [...new Set(kinds)];
    const [only] = present;
    if (only !== undefined && present.length === 1) return engineOf(only)(names);
    const verdicts = new Map(
      present.map((kind) => [kind, engineOf(kind)(names.filter((_, index) => kinds[index] === kind)).values()]),
    );
    return kinds.map((kind) => verdicts.get(kind)?.next().value ?? false);
  };
}

function kindOf(name: string): Kind {
  if (name === '' || name.includes('\n')) return 'any';
  return NOT_ASCII.test(name) ? 'wide' : 'ascii';
}

/** Builds each engine when it is first asked for: most trees have ASCII names only. */
function enginesFor(tree: RegexNode): (kind: Kind) => Engine {
  const spelling = spellingOf(tree);
  const engines = new Map<Kind, Engine>();
  let wide: Alphabet | undefined;
  const alphabetOf = (kind: Kind): Alphabet => {
    if (kind === 'ascii') return asciiAlphabet(spelling);
    wide ??= wideAlphabet(setsOf(tree), spelling);
    return { ...wide, singleLine: kind === 'wide' };
  };
  return (kind) => {
    const engine = engines.get(kind) ?? engineFor(tree, alphabetOf(kind));
    engines.set(kind, engine);
    return engine;
  };
}

function engineFor(tree: RegexNode, alphabet: Alphabet): Engine {
  const obstacle = obstacleIn(tree, alphabet);
  const engine =
    obstacle === undefined
      ? linearEngine(toRe2(tree, alphabet), statesOf(tree))
      : backtrackingEngine(toJs(tree, alphabet), obstacle);
  return (names) => engine(names.map(alphabet.spell));
}
