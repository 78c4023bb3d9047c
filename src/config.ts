import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Bounds, DEFAULT_BOUNDS } from './bounds.ts';
import { SETTINGS, type SettingName, type SettingShape, variableOf } from './settings.ts';
import { ignoreLines } from './text/ignore-file.ts';
import { splitAtCommas } from './text/list.ts';
import { POLICY_SETS, type PolicySet } from './workspace/policy.ts';

/** A setting that cannot be used; the message is one line for the operator. */
export class ConfigError extends Error {}

const LOG_LEVELS = SETTINGS['log-level'].value.split('|');
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
