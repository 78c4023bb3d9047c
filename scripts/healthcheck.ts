import { get } from 'node:http';
import { variableOf } from '../src/settings.ts';

/**
 * Asks the service in this container whether it is ready, or for the path that
 * is given, and exits 0 when the answer is 200: for images without curl.
 */
const { env } = process;
const socket = env[variableOf('socket')];
const port = env[variableOf('port')] ?? '8080';
const where = socket ? { socketPath: socket } : { host: '127.0.0.1', port };

get({ ...where, path: process.argv[2] ?? '/readyz', timeout: 2_000 }, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
})
  .on('timeout', (): void => process.exit(1))
  .on('error', (): void => process.exit(1));
