import type { NameMatcher } from '../name-matcher.ts';
import { type Alphabet, asciiAlphabet, type Spelling, wideAlphabet } from './alphabet.ts';
import type { RegexNode } from './ast.ts';
import { backtrackingEngine } from './backtracking-engine.ts';
import { linearEngine } from './linear-engine.ts';
import { parsePythonRegex } from './parse.ts';
import type { Engine } from './slices.ts';
import { setsOf, spellingOf } from './spelling.ts';
import { toJs } from './to-js.ts';
import { obstacleIn, toRe2 } from './to-re2.ts';

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
  const spelling = spellingOf(tree);
  // What cannot be run cannot be run for the plainest names either: this throws before the first of them.
  const engines: Partial<Record<Kind, Engine>> = { ascii: engineFor(tree, spelling, 'ascii') };
  const run = (kind: Kind, names: readonly string[]): boolean[] => {
    const engine = engines[kind] ?? engineFor(tree, spelling, kind);
    engines[kind] = engine;
    return engine(names);
  };
  return (names) => {
    const kinds = names.map(kindOf);
    const present = [...new Set(kinds)];
    const [only] = present;
    if (only === undefined) return [];
    if (present.length === 1) return run(only, names);
    const verdicts = new Map(
      present.map((kind) => [
        kind,
        run(
          kind,
          names.filter((_, index) => kinds[index] === kind),
        ).values(),
      ]),
    );
    return kinds.map((kind) => verdicts.get(kind)?.next().value ?? false);
  };
}

function kindOf(name: string): Kind {
  if (name === '' || name.includes('\n')) return 'any';
  return NOT_ASCII.test(name) ? 'wide' : 'ascii';
}

function engineFor(tree: RegexNode, spelling: Spelling, kind: Kind): Engine {
  const alphabet = alphabetFor(tree, spelling, kind);
  const obstacle = obstacleIn(tree, alphabet);
  const engine =
    obstacle === undefined ? linearEngine(toRe2(tree, alphabet)) : backtrackingEngine(toJs(tree, alphabet), obstacle);
  return (names) => engine(names.map(alphabet.spell));
}

function alphabetFor(tree: RegexNode, spelling: Spelling, kind: Kind): Alphabet {
  return kind === 'ascii' ? asciiAlphabet(spelling) : wideAlphabet(setsOf(tree), spelling, kind === 'wide');
}
