import { PatternInvalid } from '../errors.ts';
import { expandBraces, isBalanced } from '../text/braces.ts';
import { ignoreLines, toRule } from '../text/ignore-file.ts';
import { type Rule, Rules, type RulesState } from '../text/rules.ts';
import { type Bytes, toText } from './names.ts';

/** The rule sets that ship with the service, by name. */
export const POLICY_SETS = {
  none: [],
  secrets: [
    '.env',
    '.env.*',
    '!.env.example',
    '!.env.sample',
    '!.env.template',
    '!.env.dist',
    '!.env.defaults',
    '.envrc',
    '.ssh/',
    '.gnupg/',
    '.aws/',
    '.azure/',
    '.config/gcloud/',
    '.kube/',
    'kubeconfig',
    '.docker/config.json',
    'id_rsa*',
    'id_dsa*',
    'id_ecdsa*',
    'id_ed25519*',
    '!id_*.pub',
    '*.ppk',
    '*.p12',
    '*.pfx',
    '*.jks',
    '*.keystore',
    '*.kdbx',
    '.git-credentials',
    '.git/config',
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.htpasswd',
    '.vault-token',
    '*.tfstate',
    '*.tfstate.backup',
    'credentials.json',
    'service-account*.json',
    'secrets.{json,yml,yaml,toml}',
    '.terraform.d/',
    '.bash_history',
    '.zsh_history',
  ],
  get strict(): string[] {
    return [...this.secrets, '*.pem', '*.key'];
  },
} as const;

export type PolicySet = keyof typeof POLICY_SETS;

/**
 * What may not be read. A rule blocks a name, whatever its type and whether it
 * exists or not, with everything below it. Names are compared case-folded, so that no other spelling of a blocked name is open on a file
 * system that folds.
 *
 * It is about names: a blocked file that is renamed or hard-linked under an
 * open name is open.
 */
export class Policy {
  readonly #layers: readonly Rules[];
  /** The last text that this was extended by, which is most often the next one, too. */
  #extended: { text: string; policy: Policy } | undefined;

  private constructor(layers: readonly Rules[]) {
    this.#layers = layers;
  }

  /** Compiles the operator's rules. Throws PATTERN_INVALID, naming the rule, for one that cannot work. */
  static of(patterns: readonly string[]): Policy {
    return new Policy([new Rules(patterns.map(compileWholeRule))]);
  }

  /**
   * This policy, and what `text`, an ignore file, blocks besides. Lines that are
   * no pattern are left out, and so are all after the first 10,000 patterns,
   * alternatives in braces counted: whoever writes in the workspace writes it.
   */
  extendedBy(text: string): Policy {
    if (this.#extended?.text !== text) this.#extended = { text, policy: this.#extendBy(text) };
    return this.#extended.policy;
  }

  #extendBy(text: string): Policy {
    let left = MAX_ADDED;
    const rules = ignoreLines(text).flatMap((line) => {
      try {
        const alternatives = expandBraces(line).length;
        left -= alternatives;
        return left < 0 ? [] : [compileRule(line)];
      } catch {
        return [];
      }
    });
    return rules.length === 0 ? this : new Policy([...this.#layers, new Rules(rules)]);
  }

  /** Whether the path, or a folder above it, is blocked. */
  blocks(segments: readonly Bytes[]): boolean {
    return this.atRoot().blocksBelow(segments);
  }

  atRoot(): PolicyPosition {
    return new PolicyPosition(this.#layers.map((rules) => ({ rules, state: rules.start })));
  }

  /** The position of a folder that is not blocked itself. */
  at(segments: readonly Bytes[]): PolicyPosition {
    return segments.reduce((position, segment) => position.enter(toText(segment)), this.atRoot());
  }
}

/** Patterns that an ignore file may add, alternatives in braces counted. */
const MAX_ADDED = 10_000;

interface Layer {
  readonly rules: Rules;
  readonly state: RulesState;
}

/** A policy as it stands in one folder. */
export class PolicyPosition {
  readonly #layers: readonly Layer[];

  constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  blocks(name: string): boolean {
    const folded = fold(name);
    for (const { rules, state } of this.#layers) {
      if (rules.verdict(state, folded, true) === true) return true;
    }
    return false;
  }

  /** Whether a path from here, or a folder above it, is blocked. */
  blocksBelow(segments: readonly Bytes[]): boolean {
    let position: PolicyPosition = this;
    for (const segment of segments) {
      const name = toText(segment);
      if (position.blocks(name)) return true;
      position = position.enter(name);
    }
    return false;
  }

  enter(name: string): PolicyPosition {
    const folded = fold(name);
    const layers = this.#layers.map(({ rules, state }) => ({ rules, state: rules.enter(state, folded) }));
    return layers.every(({ state }, at) => state === this.#layers[at]?.state) ? this : new PolicyPosition(layers);
  }
}

const LOWER_ASCII = /^[\0-@[-\x7f]*$/;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * A name as a file system that folds may see it (Unicode, section 5.18 and
 * NFKC_Casefold): upper and then lower case, since some letters meet in upper
 * case alone, and without the characters that show nothing.
 */
function fold(name: string): string {
  if (LOWER_ASCII.test(name)) return name;
  return name.normalize('NFKC').replace(IGNORABLE, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/** An operator who forgot a brace did not mean a name with one in it, which would leave open what was to be blocked. */
function compileWholeRule(line: string): Rule {
  if (isBalanced(line)) return compileRule(line);
  throw new PatternInvalid(
    `The rule '${line}' has a brace without its other half; write \\{ or \\} for the character.`,
  );
}

function compileRule(line: string): Rule {
  const negated = line.startsWith('!');
  const pattern = fold(negated ? line.slice(1) : line);
  const trimmed = pattern.endsWith('/') ? pattern.slice(0, -1) : pattern;
  if (trimmed === '' || trimmed === '/') throw new PatternInvalid(`The rule '${line}' names nothing.`);
  const anywhere = trimmed.includes('/') && !trimmed.startsWith('/') ? `**/${trimmed}` : trimmed;
  // A refusal may not depend on what stands on disk, so a rule on a folder blocks that name for files too.
  return { ...toRule(anywhere), negated, directoryOnly: false };
}
