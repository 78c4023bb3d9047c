import { PatternInvalid } from '../errors.ts';
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
 * exists or not, with everything below it. Names are compared NFKC-folded and
 * lower-cased, so that no other spelling of a blocked name is open on a file
 * system that folds.
 *
 * It is about names: a blocked file that is renamed or hard-linked under an
 * open name is open.
 */
export class Policy {
  readonly #layers: readonly Rules[];

  private constructor(layers: readonly Rules[]) {
    this.#layers = layers;
  }

  /** Compiles the operator's rules. Throws PATTERN_INVALID, naming the rule, for one that cannot work. */
  static of(patterns: readonly string[]): Policy {
    return new Policy([new Rules(patterns.map(compileRule))]);
  }

  /** This policy, and what `text`, an ignore file, blocks besides. Lines that are no pattern are left out. */
  extendedBy(text: string): Policy {
    const rules = ignoreLines(text).flatMap((line) => {
      try {
        return [compileRule(line)];
      } catch {
        return [];
      }
    });
    return rules.length === 0 ? this : new Policy([...this.#layers, new Rules(rules)]);
  }

  /** Whether the path, or a folder above it, is blocked. */
  blocks(segments: readonly Bytes[]): boolean {
    let position = this.atRoot();
    for (const segment of segments) {
      const name = toText(segment);
      if (position.blocks(name)) return true;
      position = position.enter(name);
    }
    return false;
  }

  atRoot(): PolicyPosition {
    return new PolicyPosition(this.#layers.map((rules) => ({ rules, state: rules.start })));
  }

  /** The position of a folder that is not blocked itself. */
  at(segments: readonly Bytes[]): PolicyPosition {
    return segments.reduce((position, segment) => position.enter(toText(segment)), this.atRoot());
  }
}

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

  enter(name: string): PolicyPosition {
    const folded = fold(name);
    const layers = this.#layers.map(({ rules, state }) => ({ rules, state: rules.enter(state, folded) }));
    return layers.every(({ state }, at) => state === this.#layers[at]?.state) ? this : new PolicyPosition(layers);
  }
}

const LOWER_ASCII = /^[\0-@[-\x7f]*$/;

function fold(name: string): string {
  return LOWER_ASCII.test(name) ? name : name.normalize('NFKC').toLowerCase();
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
