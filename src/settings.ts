import { DEFAULT_BOUNDS } from './bounds.ts';
import { POLICY_SETS } from './workspace/policy.ts';

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
    description: 'The most, in MiB, that ripgrep may print of one batch of files before the reply is truncated.',
  },
  'log-level': {
    value: 'fatal|error|warn|info|debug|trace|silent',
    default: 'info',
    description: 'How much is logged.',
  },
} as const satisfies Record<string, SettingShape>;

export type SettingName = keyof typeof SETTINGS;

const PREFIX = 'FS_';

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
