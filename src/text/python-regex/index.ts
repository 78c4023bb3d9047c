import type { NameMatcher } from '../name-matcher.ts';
import { type Alphabet, ASCII_ALPHABET, wideAlphabet } from './alphabet.ts';
import { nodesOf, type RegexNode } from './ast.ts';
import { backtrackingEngine } from './backtracking-engine.ts';
import type { CharSet } from './char-set.ts';
import { linearEngine } from './linear-engine.ts';
import { parsePythonRegex } from './parse.ts';
import type { Engine } from './slices.ts';
import { obstacleIn, statesOf, toRe2 } from './to-re2.ts';

/** The names that one engine is for: the plainer they are, the more RE2 can do. */
type Kind = 'ascii' | 'wide' | 'any';

const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * Compiles a pattern that is searched in names as Python's `re.search` does for `str`, with `re.IGNORECASE`
 * when `ignoreCase` (`Lib/re`, `Modules/_sre` of CPython 3.11; Unicode of the running Node).
 *
 * Where RE2 can express the pattern exactly for the names at hand, it runs in linear time. Elsewhere it runs
 * by backtracking, for about 50 ms a call at most (a call with more than a thousand names: for each
 * thousand), and the call throws `PATTERN_INVALID` when that is not enough. A pattern that Python refuses,
 * or one of the few that are not run here, throws `PATTERN_INVALID` at once, with the position at fault.
 */
export function compilePythonRegex(pattern: string, options: { ignoreCase: boolean }): NameMatcher {
  const engineOf = enginesFor(parsePythonRegex(pattern, options));
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
  const engines = new Map<Kind, Engine>();
  let wide: Alphabet | undefined;
  const alphabetOf = (kind: Kind): Alphabet => {
    if (kind === 'ascii') return ASCII_ALPHABET;
    wide ??= wideAlphabet(setsOf(tree));
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
  if (obstacle !== undefined) return backtrackingEngine(tree, obstacle);
  const engine = linearEngine(toRe2(tree, alphabet), statesOf(tree));
  return (names) => engine(names.map(alphabet.spell));
}

function* setsOf(tree: RegexNode): Generator<CharSet> {
  for (const node of nodesOf(tree)) if (node.type === 'set') yield node.set;
}
