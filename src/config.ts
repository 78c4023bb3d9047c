import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Bounds, DEFAULT_BOUNDS } from './bounds.ts';
import { ignoreLines } from './text/ignore-file.ts';
import { splitAtCommas } from './text/list.ts';
import { POLICY_SETS, type PolicySet } from './workspace/policy.ts';

/** A setting that cannot be used; the message is one line for the operator. */
export class ConfigError extends Error {}

export interface SettingShape {
  /** What its value is, in help texts; a setting without one is a switch. */
  value?: string;
  /** May be given several times; its variable holds a list with commas, which those in braces and brackets do not split. */
  repeatable?: true;
  /** As the table and the help show it. */
  default: string;
  description: string;
  /** Not a flag: command lines can be read by other processes. */
  onlyVariable?: true;
}

/** Every setting: the one list that flags, variables, help and documents are made from. */
export const SETTINGS = {
  root: {
    value: 'path',
    default: 'the current folder; `/workspace` in the image',
    description: 'The folder that callers may read.',
  },
  host: { value: 'address', default: '127.0.0.1', description: 'The address to listen on.' },
  port: { value: 'number', default: '8080', description: 'The port to listen on; 0 takes a free one.' },
  socket: {
    value: 'path',
    default: 'none',
    description: 'A unix socket to listen on instead, for the owner alone (mode 0600).',
  },
  token: {
    value: 'text',
    default: 'none',
    description: 'The bearer token that every request but the health routes must carry.',
    onlyVariable: true,
  },
  'token-file': { value: 'path', default: 'none', description: 'A file whose first line is the token.' },
  'allow-root': { default: 'off', description: 'Serves a system or home folder all the same.' },
  'allow-remote': {
    default: 'off',
    description: 'Listens on an address that is not loopback without a token all the same.',
  },
  'allow-host': {
    value: 'name',
    repeatable: true,
    default: 'none',
    description: 'A `Host` to accept without a token, besides the local ones.',
  },
  'allow-origin': {
    value: 'origin',
    repeatable: true,
    default: 'none',
    description: 'A browser origin to accept, and to allow by CORS, besides the service’s own.',
  },
  'allow-best-effort': {
    default: 'off',
    description:
      'Starts where links cannot be kept from leading out while names are being swapped: not Linux, or no /proc.',
  },
  landlock: {
    value: 'auto|on|off',
    default: 'auto',
    description:
      'The second wall: the kernel itself denies the service everything but reading the root and its own program. `on` refuses to start without it.',
  },
  policy: {
    value: Object.keys(POLICY_SETS).join('|'),
    default: 'secrets',
    description: 'The set of blocked names to begin with.',
  },
  blocked: {
    value: 'pattern',
    repeatable: true,
    default: 'none',
    description: 'A pattern to block besides, or with `!` to allow again.',
  },
  'blocked-file': { value: 'path', default: 'none', description: 'A file with such patterns, one a line.' },
  'max-results': { value: 'number', default: '10000', description: 'The most results of a JSON or text reply.' },
  'max-read-bytes': { value: 'number', default: '10485760', description: 'The most bytes of content of one read.' },
  'timeout-ms': { value: 'number', default: '30000', description: 'The most milliseconds that a request may search.' },
  'cache-mb': {
    value: 'number',
    default: '64',
    description:
      'Memory, in MiB for each worker thread, for listings of folders that are used again while the folders prove to be unchanged; 0 keeps none.',
  },
  concurrency: {
    value: 'number',
    default: '8',
    description: 'Searches that run at once; others wait for their turn.',
  },
  'max-waiting': {
    value: 'number',
    default: 'eight times the concurrency',
    description: 'Searches that may wait for their turn; one more is told to come back later.',
  },
  'max-header-bytes': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.headerBytes),
    description: 'The most bytes of the URL and all headers of a request together.',
  },
  'max-body-bytes': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.bodyBytes),
    description: 'The most bytes of a body.',
  },
  'headers-timeout-ms': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.headersMs),
    description: 'The most milliseconds until all headers of a request have come.',
  },
  'request-timeout-ms': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.requestMs),
    description: 'The most milliseconds until a request has come whole; not less than those for its headers.',
  },
  'max-json-depth': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.jsonDepth),
    description: 'How many objects and arrays of a body may lie inside one another.',
  },
  'max-pattern-length': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.patternLength),
    description: 'The most characters of a pattern. It can be lowered, and not raised.',
  },
  'max-alternatives': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.alternatives),
    description: 'The most alternatives that the braces of a glob may stand for. It can be lowered, and not raised.',
  },
  'max-line-length': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.lineLength),
    description:
      'The most characters of a line that grep shows, whatever a request asks for. It can be lowered, and not raised.',
  },
  'max-regex-mb': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.regexBytes / 1024 / 1024),
    description: 'The most memory, in MiB, of a regex of grep once it is compiled.',
  },
  'max-output-mb': {
    value: 'number',
    default: String(DEFAULT_BOUNDS.outputBytes / 1024 / 1024),
    description: 'The most, in MiB, that one run of ripgrep may print before the reply is truncated.',
  },
  'log-level': {
    value: 'fatal|error|warn|info|debug|trace|silent',
    default: 'info',
    description: 'How much is logged.',
  },
} as const satisfies Record<string, SettingShape>;

export type SettingName = keyof typeof SETTINGS;

const LOG_LEVELS = SETTINGS['log-level'].value.split('|');
const PREFIX = 'FS_';
const MAX_PORT = 65_535;
const MAX_CONCURRENCY = 1024;
const MAX_CACHE_MB = 4096;
/** Less would not hold the headers of ordinary clients. */
const MIN_HEADER_BYTES = 1024;
const MAX_HEADER_BYTES = 1024 * 1024;
const MIN_BODY_BYTES = 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** The least that a payload needs, and the most that is read without fear for the stack. */
const MIN_JSON_DEPTH = 4;
const MAX_JSON_DEPTH = 256;
const MIB = 1024 * 1024;
const MAX_REGEX_MB = 1024;
const MAX_OUTPUT_MB = 1024 * 1024;
const MAX_WAITING = 65_536;
/** How many searches may wait for each that may run. */
const QUEUE_FACTOR = 8;
const MAX_TIMER = 2 ** 31 - 1;
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
const MIN_READ_BYTES = 16;
const MAX_READ_BYTES = 64 * 1024 * 1024;
const DIGITS = /^\d{1,16}$/;

/** How the service runs. */
export interface Config {
  root: string;
  host: string;
  port: number;
  socket: string | undefined;
  token: string | undefined;
  tokenFile: string | undefined;
  blockedFile: string | undefined;
  allowRoot: boolean;
  allowRemote: boolean;
  allowHosts: readonly string[];
  allowOrigins: readonly string[];
  allowBestEffort: boolean;
  landlock: string;
  /** All rules, in order. */
  policy: readonly string[];
  maxResults: number;
  maxReadBytes: number;
  timeoutMs: number;
  cacheMb: number;
  concurrency: number;
  /** Searches that may wait. */
  waiting: number;
  bounds: Bounds;
  logLevel: string;
}

/** What the command line asks for instead of running. */
export type Command = { run: Config; as: 'service' | 'mcp' } | { show: 'help' | 'version' };

/**
 * Reads flags and environment; a flag goes before its variable, an empty
 * variable counts as unset. Throws ConfigError naming the setting and never a
 * variable's value, which may be a secret.
 */
export function readConfig(argv: readonly string[], environment: Record<string, string | undefined>): Command {
  const { command, flags } = parseFlags(argv);
  if (flags['help'] === true) return { show: 'help' };
  if (flags['version'] === true) return { show: 'version' };
  return { run: new Reader(flags, environment).config(), as: command };
}

/** The environment variable of a setting: `FS_MAX_RESULTS` for `max-results`. */
export function variableOf(name: string): string {
  return PREFIX + name.toUpperCase().replaceAll('-', '_');
}

export function helpText(): string {
  const lines = Object.entries<SettingShape>(SETTINGS).map(([name, setting]) => {
    const flag = setting.onlyVariable === true ? variableOf(name) : `--${name}`;
    const usage = setting.value === undefined ? flag : `${flag} <${setting.value}>`;
    return `  ${usage}\n      ${setting.description} (${setting.default})`;
  });
  return [
    'Usage: fs-sidecar [mcp] [flags]',
    '',
    'Serves a folder over HTTP, read-only; with mcp, over Model Context Protocol on',
    'standard input and output. Every flag can be given as an environment',
    `variable, too: --max-results is ${variableOf('max-results')}.`,
    '',
    ...lines,
    '  --help',
    '  --version',
  ].join('\n');
}

type Flags = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parseFlags(argv: readonly string[]): { command: 'service' | 'mcp'; flags: Flags } {
  const settings = Object.entries<SettingShape>(SETTINGS).filter(([, setting]) => setting.onlyVariable !== true);
  const options = Object.fromEntries(
    settings.map(([name, { value, repeatable }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: repeatable === true },
    ]),
  );
  try {
    const known = { ...options, help: { type: 'boolean' as const }, version: { type: 'boolean' as const } };
    const { positionals, values } = parseArgs({
      args: [...argv],
      options: known,
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length === 0) return { command: 'service', flags: values };
    if (positionals.length === 1 && positionals[0] === 'mcp') return { command: 'mcp', flags: values };
    throw new Error(`There is no command '${positionals.join(' ')}'; the only one is mcp`);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw new ConfigError(`${reason}. 'fs-sidecar --help' lists the flags`);
  }
}

class Reader {
  readonly #flags: Flags;
  readonly #environment: Record<string, string | undefined>;

  constructor(flags: Flags, environment: Record<string, string | undefined>) {
    this.#flags = flags;
    this.#environment = environment;
  }

  config(): Config {
    const tokenFile = this.#text('token-file');
    const concurrency = this.#number('concurrency', 1, MAX_CONCURRENCY);
    return {
      root: this.#text('root') ?? process.cwd(),
      host: this.#text('host') ?? SETTINGS.host.default,
      port: this.#number('port', 0, MAX_PORT),
      socket: this.#text('socket'),
      token: this.#token(tokenFile),
      tokenFile,
      blockedFile: this.#text('blocked-file'),
      allowRoot: this.#switch('allow-root'),
      allowRemote: this.#switch('allow-remote'),
      allowHosts: this.#list('allow-host').map((name) => name.toLowerCase()),
      allowOrigins: this.#list('allow-origin').map((origin) => this.#origin(origin)),
      allowBestEffort: this.#switch('allow-best-effort'),
      landlock: this.#oneOf('landlock', SETTINGS.landlock.value.split('|')),
      policy: [...this.#policySet(), ...this.#list('blocked'), ...this.#blockedFile()],
      maxResults: this.#number('max-results', 1, MAX_INTEGER),
      maxReadBytes: this.#number('max-read-bytes', MIN_READ_BYTES, MAX_READ_BYTES),
      timeoutMs: this.#number('timeout-ms', 1, MAX_TIMER),
      cacheMb: this.#number('cache-mb', 0, MAX_CACHE_MB),
      concurrency,
      waiting: this.#number('max-waiting', 0, MAX_WAITING, concurrency * QUEUE_FACTOR),
      bounds: this.#bounds(),
      logLevel: this.#oneOf('log-level', LOG_LEVELS),
    };
  }

  #bounds(): Bounds {
    const headersMs = this.#number('headers-timeout-ms', 1, MAX_TIMER);
    return {
      headerBytes: this.#number('max-header-bytes', MIN_HEADER_BYTES, MAX_HEADER_BYTES),
      bodyBytes: this.#number('max-body-bytes', MIN_BODY_BYTES, MAX_BODY_BYTES),
      headersMs,
      requestMs: this.#number('request-timeout-ms', headersMs, MAX_TIMER),
      jsonDepth: this.#number('max-json-depth', MIN_JSON_DEPTH, MAX_JSON_DEPTH),
      patternLength: this.#number('max-pattern-length', 1, DEFAULT_BOUNDS.patternLength),
      alternatives: this.#number('max-alternatives', 1, DEFAULT_BOUNDS.alternatives),
      lineLength: this.#number('max-line-length', 1, DEFAULT_BOUNDS.lineLength),
      regexBytes: this.#number('max-regex-mb', 1, MAX_REGEX_MB) * MIB,
      outputBytes: this.#number('max-output-mb', 1, MAX_OUTPUT_MB) * MIB,
    };
  }

  #text(name: SettingName): string | undefined {
    const flag = this.#flags[name];
    const value = typeof flag === 'string' ? flag : this.#variable(name);
    if (typeof flag === 'string' && flag === '') throw new ConfigError(`--${name} is empty`);
    return value;
  }

  #variable(name: SettingName): string | undefined {
    const value = this.#environment[variableOf(name)];
    return value === '' ? undefined : value;
  }

  #list(name: SettingName): string[] {
    const flag = this.#flags[name];
    if (Array.isArray(flag)) return flag.map(String);
    return splitAtCommas(this.#variable(name) ?? '');
  }

  #switch(name: SettingName): boolean {
    if (this.#flags[name] === true) return true;
    const value = this.#variable(name)?.toLowerCase();
    if (value === undefined || ['0', 'false', 'no', 'off'].includes(value)) return false;
    if (['1', 'true', 'yes', 'on'].includes(value)) return true;
    throw new ConfigError(`${variableOf(name)} must be true or false`);
  }

  #number(name: SettingName, minimum: number, maximum: number, fallback?: number): number {
    const text = this.#text(name) ?? String(fallback ?? SETTINGS[name].default);
    const value = DIGITS.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new ConfigError(`${this.#source(name)} must be a whole number from ${minimum} to ${maximum}`);
  }

  #oneOf(name: SettingName, values: readonly string[]): string {
    const value = this.#text(name) ?? SETTINGS[name].default;
    if (values.includes(value)) return value;
    throw new ConfigError(`${this.#source(name)} must be one of ${values.join(', ')}`);
  }

  /** How the operator gave a setting. */
  #source(name: SettingName): string {
    return this.#flags[name] === undefined ? variableOf(name) : `--${name}`;
  }

  #origin(origin: string): string {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (url !== undefined && url.origin !== 'null' && url.pathname === '/') return url.origin;
    throw new ConfigError(`${this.#source('allow-origin')} must be an origin such as http://localhost:3000`);
  }

  #policySet(): readonly string[] {
    return POLICY_SETS[this.#oneOf('policy', Object.keys(POLICY_SETS)) as PolicySet];
  }

  #blockedFile(): string[] {
    const path = this.#text('blocked-file');
    return path === undefined ? [] : ignoreLines(this.#file('blocked-file', path));
  }

  #token(file: string | undefined): string | undefined {
    const given = this.#variable('token');
    if (file === undefined) return given;
    if (given !== undefined) throw new ConfigError(`${variableOf('token')} and a token file are both given; give one`);
    const token = this.#file('token-file', file).split('\n')[0]?.trim() ?? '';
    if (token === '') throw new ConfigError(`${this.#source('token-file')}: the first line is empty`);
    return token;
  }

  #file(name: SettingName, path: string): string {
    try {
      if (!statSync(path).isFile()) throw new Error('not a file');
      return readFileSync(path, 'utf8');
    } catch (cause) {
      throw new ConfigError(`${this.#source(name)}: the file cannot be read`, { cause });
    }
  }
}
