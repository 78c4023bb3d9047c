#!/usr/bin/env node
import { lstatSync, realpathSync, unlinkSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { type Config, ConfigError, readConfig } from './config.ts';
import { confineProcess, PROGRAM_FOLDERS } from './confine.ts';
import { PatternInvalid } from './errors.ts';
import { LogOutput } from './log.ts';
import { Pool } from './pool/pool.ts';
import type { Setup, ThreadSetup } from './pool/protocol.ts';
import { helpText } from './settings.ts';
import { VERSION } from './version.ts';
import { CONTAINMENT } from './workspace/handle.ts';
import { landlockAbi } from './workspace/landlock.ts';
import { Policy } from './workspace/policy.ts';
import { hostPathOf, isInside, openRoot, type RootReference, RootRefused, troubleOf } from './workspace/root.ts';

/** How long requests under way may take to finish once the process is told to end, in milliseconds. */
const GRACE = 3_000;
/** What closing may take after that. */
const MARGIN = 1_500;
/** What writing the rest of the log may take at the end, in milliseconds. */
const LOG_GRACE = 500;
const MIN_WORKERS = 2;
const MAX_WORKERS = 4;
const WORKER_MEMORY_MB = 1024;
const EXIT_FAILURE = 1;
const EXIT_MISUSE = 2;
const OWNER_ONLY = 0o177;
const LOOPBACK = /^127\.|^::1$|^::ffff:127\./;

try {
  const command = readConfig(process.argv.slice(2), process.env);
  if ('run' in command) await (command.as === 'mcp' ? runMcp(command.run) : run(command.run));
  else process.stdout.write(`${command.show === 'help' ? helpText() : VERSION}\n`);
} catch (error) {
  complain(error);
  process.exit(error instanceof ConfigError || error instanceof RootRefused ? EXIT_MISUSE : EXIT_FAILURE);
}

/** What is to be closed when the process is told to end, which may be before all of it is there. */
interface Opened {
  pool?: Pool;
  app?: FastifyInstance;
  isEnding: boolean;
}

async function run(config: Config): Promise<void> {
  const log = new LogOutput(process.stdout);
  const opened: Opened = { isEnding: false };
  const tell = (error: unknown) => (opened.app === undefined ? complain(error) : opened.app.log.error(error));
  // Before anything is opened: until then a signal ends the process by itself, or is passed over where it is the first of a container.
  closeWithGrace({ delay: GRACE + MARGIN, logger: { error: tell } }, async ({ err }) => {
    opened.isEnding = true;
    if (err !== undefined) tell(err);
    await (opened.app === undefined ? opened.pool?.close() : endWithin(opened.app, GRACE));
    await log.flush(LOG_GRACE);
  });
  try {
    await serve(config, log, opened);
  } catch (error) {
    // What is closed while it starts fails to start.
    if (!opened.isEnding) throw error;
  }
}

async function serve(config: Config, log: LogOutput, opened: Opened): Promise<void> {
  const root = checkedRoot(config);
  checkExposure(config);
  checkPolicy(config.policy);
  if (config.socket !== undefined) await freeSocket(config.socket);
  const landlock = confine(config, root);
  if (opened.isEnding) return;

  // Before the rest of the program is loaded, so that the threads load at the same time.
  const pool = startPool(config, setupOf(config, root, landlock > 0), (text) => opened.app?.log.warn(text));
  opened.pool = pool;

  const { buildApp } = await import('./app.ts');
  const app = await buildApp({
    token: config.token,
    allowHosts: config.allowHosts,
    allowOrigins: config.allowOrigins,
    pool,
    maxResults: config.maxResults,
    timeoutMs: config.timeoutMs,
    bounds: config.bounds,
    containment: CONTAINMENT,
    landlock: landlock > 0 ? `abi ${landlock}` : 'off',
    trouble: () => (opened.isEnding ? 'the service is ending' : (troubleOf(root) ?? pool.trouble)),
    logger: { level: config.logLevel, stream: log },
  });
  if (opened.isEnding) return;
  opened.app = app;
  await pool.started;
  const address = await listen(app, config);
  const walls = `containment: ${CONTAINMENT}, landlock: ${landlock > 0 ? `abi ${landlock}` : 'off'}`;
  app.log.info({ version: VERSION }, `listening on ${address}, root ${hostPathOf(root)}, ${walls}`);
  for (const text of warningsOf(root)) app.log.warn(text);
}

/** What the operator should know at the start. */
function warningsOf(root: RootReference): string[] {
  const trouble = troubleOf(root);
  const [program = ''] = PROGRAM_FOLDERS;
  return [
    ...(trouble === undefined ? [] : [`not ready: ${trouble}`]),
    ...(isInside(program, hostPathOf(root))
      ? ["the service's own program lies inside the root: whoever writes there decides what it does at its next start"]
      : []),
  ];
}

/** Speaks Model Context Protocol on standard input and output instead of HTTP. */
async function runMcp(config: Config): Promise<void> {
  const opened: Opened = { isEnding: false };
  // Searches are processes of their own and would go on without the service.
  closeWithGrace({ delay: GRACE, logger: false }, async ({ err }) => {
    opened.isEnding = true;
    if (err !== undefined) complain(err);
    await opened.pool?.close();
  });
  const root = checkedRoot(config);
  checkPolicy(config.policy);
  const { serveOverStdio } = await import('./mcp/stdio.ts');
  if (opened.isEnding) return;
  const setup = setupOf(config, root, confine(config, root) > 0);
  opened.pool = startPool(config, setup, complain);
  await serveOverStdio(opened.pool, config);
}

function checkedRoot(config: Config): RootReference {
  if (CONTAINMENT === 'best-effort' && !config.allowBestEffort) {
    throw new ConfigError(
      'this system has no /proc/self/fd, so links could lead out of the root while names are swapped; accept that with --allow-best-effort',
    );
  }
  const root = openRoot(config.root, config.allowRoot);
  for (const [flag, path] of [
    ['--token-file', config.tokenFile],
    ['--blocked-file', config.blockedFile],
    ['--socket', config.socket],
  ] as const) {
    if (path !== undefined && placesOf(flag, path).some((place) => isInside(place, hostPathOf(root)))) {
      throw new ConfigError(`${flag} lies inside the root, where whoever writes there could reach it`);
    }
  }
  return root;
}

/** Where a file lies or will lie, links in its folder resolved, and where it leads when it is a link itself. */
function placesOf(flag: string, path: string): string[] {
  const full = resolve(path);
  const folder = tryRealPath(dirname(full));
  if (folder === undefined) throw new ConfigError(`${flag} ${path}: there is no such folder`);
  return [join(folder, basename(full)), tryRealPath(full) ?? folder];
}

function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Raises the second wall when it is wanted and there; gives Landlock's version, or 0. */
function confine({ landlock, socket }: Config, root: RootReference): number {
  if (landlock === 'off') return 0;
  if (landlockAbi() > 0) return confineProcess(root, socket);
  if (landlock === 'on') throw new ConfigError('--landlock on: this kernel has no Landlock, or it cannot be reached');
  return 0;
}

function checkExposure({ allowRemote, host, socket, token }: Config): void {
  const isLocal = socket !== undefined || host === 'localhost' || (isIP(host) !== 0 && LOOPBACK.test(host));
  if (!isLocal && token === undefined && !allowRemote) {
    throw new ConfigError(
      `--host ${host} is not loopback, and there is no token; set FS_TOKEN or --token-file, or insist with --allow-remote`,
    );
  }
}

function checkPolicy(policy: readonly string[]): void {
  for (const rule of policy) {
    try {
      Policy.of([rule]);
    } catch (error) {
      const reason = error instanceof PatternInvalid ? error.message : 'it is no pattern';
      throw new ConfigError(`the blocked pattern '${rule}' cannot work: ${reason}`, { cause: error });
    }
  }
}

function setupOf({ bounds, cacheMb, maxReadBytes, policy }: Config, root: RootReference, isConfined: boolean): Setup {
  const cacheBytes = CONTAINMENT === 'strict' ? cacheMb * 1024 * 1024 : 0;
  return { root, policy, maxReadBytes, bounds, cacheBytes, ...(isConfined ? { confinedTo: PROGRAM_FOLDERS } : {}) };
}

function startPool(config: Config, setup: Setup, warn: (text: string) => void): Pool {
  return new Pool({
    start: (marks) =>
      new Worker(new URL('./pool/worker.js', import.meta.url), {
        workerData: { ...setup, marks } satisfies ThreadSetup,
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
      }),
    workers: Math.min(Math.max(MIN_WORKERS, availableParallelism()), MAX_WORKERS),
    concurrency: config.concurrency,
    waiting: config.waiting,
    warn,
  });
}

async function listen(app: FastifyInstance, { host, port, socket }: Config): Promise<string> {
  if (socket === undefined) return app.listen({ host, port });
  const before = process.umask(OWNER_ONLY);
  try {
    return await app.listen({ path: socket });
  } finally {
    process.umask(before);
  }
}

/** Removes a socket that nobody listens on any more, as a killed process leaves it. */
async function freeSocket(path: string): Promise<void> {
  const code = await new Promise<string | undefined>((done) => {
    const probe = connect(path, () => done(undefined));
    probe.on('connect', () => probe.destroy());
    probe.on('error', (error) => done('code' in error ? String(error.code) : ''));
  });
  if (code === undefined) throw new ConfigError(`--socket ${path}: another process listens there`);
  if (code !== 'ECONNREFUSED') return;
  if (!lstatSync(path).isSocket()) throw new ConfigError(`--socket ${path}: there is a file that is no socket`);
  unlinkSync(path);
}

/** Takes no more requests, lets those under way finish, and after `grace` milliseconds breaks them off. */
async function endWithin(app: FastifyInstance, grace: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), grace);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

function complain(error: unknown): void {
  process.stderr.write(`fs-sidecar: ${toLine(error)}\n`);
}

function toLine(error: unknown): string {
  if (error instanceof RootRefused) return `--root: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
