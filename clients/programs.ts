import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const GENERATOR = 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar';
const OUTPUT_LIMIT = 64 * 1024 * 1024;

const exec = promisify(execFile);

/** Runs a program in a folder below this one and gives what it printed; fails as it does. */
export async function run(
  command: string,
  args: readonly string[],
  { env = {}, folder = '.' }: { env?: Record<string, string>; folder?: string } = {},
): Promise<string> {
  const options = { cwd: join(FOLDER, folder), env: { ...process.env, ...env }, maxBuffer: OUTPUT_LIMIT };
  const { stdout } = await exec(command, args, options).catch((error) => {
    throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`, { cause: error });
  });
  return stdout;
}

/** Makes a client of the 3.0 document with the OpenAPI generator. */
export async function generate(generator: string, ...options: readonly string[]): Promise<void> {
  const output = `generated/${generator}`;
  const args = ['-jar', GENERATOR, 'generate', '-i', '../openapi-3.0.yaml', '-g', generator, '-o', output];
  await run('java', [...args, ...options]);
}

/** The first of the commands that runs with these arguments. */
export function firstOf(commands: readonly string[], args: readonly string[]): string | undefined {
  return commands.find((command) => spawnSync(command, args, { stdio: 'ignore' }).status === 0);
}
