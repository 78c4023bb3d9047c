import { execFile } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { scratch } from '../helpers/tree.ts';

/** The built script: `npm run build` makes it. */
const GENERATE = fileURLToPath(new URL('../../dist/scripts/generate.js', import.meta.url));

const FILES = ['openapi.yaml', 'openapi-3.0.yaml', 'README.md', 'docs/configuration.md'];

/** The committed files that are generated, in a folder of their own. */
function copied(): string {
  const folder = scratch();
  mkdirSync(join(folder, 'docs'));
  for (const file of FILES) copyFileSync(file, join(folder, file));
  return folder;
}

function generate(folder: string, ...args: string[]): Promise<{ failed: boolean; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [GENERATE, ...args], { cwd: folder }, (error, _, stderr) =>
      resolve({ failed: error !== null, stderr }),
    );
  });
}

it('the committed files are what the code makes', async () => {
  expect(await generate(copied(), '--check')).toEqual({ failed: false, stderr: '' });
});

it('files that are not what the code makes are named, and left alone', async () => {
  const folder = copied();
  appendFileSync(join(folder, 'openapi-3.0.yaml'), '# more\n');
  rmSync(join(folder, 'openapi.yaml'));
  const { failed, stderr } = await generate(folder, '--check');
  expect(failed).toBe(true);
  expect(stderr).toContain('not what the code makes: openapi.yaml, openapi-3.0.yaml;');
  expect(readFileSync(join(folder, 'openapi-3.0.yaml'), 'utf8')).toMatch(/# more\n$/);
});

it('files that are not what the code makes are written', async () => {
  const folder = copied();
  rmSync(join(folder, 'openapi-3.0.yaml'));
  await generate(folder);
  expect(readFileSync(join(folder, 'openapi-3.0.yaml'), 'utf8')).toBe(readFileSync('openapi-3.0.yaml', 'utf8'));
});
