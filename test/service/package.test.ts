import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../helpers/process.ts';
import { plant } from '../helpers/tree.ts';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));
const LOCK: { packages: Record<string, { dev?: boolean }> } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

let folder: string;
let files: string[];

/** Installs the package as npm does, from what is installed here: no registry is asked. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-package-'));
  // The tests come after the build, which a script of npm's would do again below other tests.
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], '.'));
  files = packed.files.map(({ path }: { path: string }) => path);
  for (const [path, { dev }] of Object.entries(LOCK.packages)) {
    if (path !== '' && dev !== true && !path.slice('node_modules/'.length).includes('node_modules/')) link(path);
  }
  const installed = join(folder, 'node_modules/fs-sidecar');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed], folder);
  run('npm', ['rebuild', '--offline', '--ignore-scripts', 'fs-sidecar'], folder);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Puts an installed package where it is looked for; a package for another platform is not there. */
function link(path: string): void {
  const to = join(folder, path);
  mkdirSync(dirname(to), { recursive: true });
  run('sh', ['-c', '[ ! -e "$0" ] || cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"', resolve(path), to], folder);
}

describe('the package', () => {
  it('holds the built service, its documents and its licence, and nothing else', () => {
    const kinds = [
      /^dist\/(src|shared)\/[\w/-]+\.js$/,
      /^dist\/scripts\/healthcheck\.js$/,
      /^docs\/[\w-]+\.md$/,
      /^(package\.json|openapi(-3\.0)?\.yaml|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
    ];
    expect([
      files.filter((file) => !kinds.some((kind) => kind.test(file))),
      kinds.filter((kind) => !files.some((file) => kind.test(file))),
      ['README.md', 'LICENSE', 'SECURITY.md', 'openapi.yaml', PACKAGE.bin['fs-sidecar']].filter(
        (file) => !files.includes(file),
      ),
    ]).toEqual([[], [], []]);
  });

  it('is run by npx', () => {
    expect(run('npx', ['--no-install', 'fs-sidecar', '--version'], folder)).toBe(`${PACKAGE.version}\n`);
  });

  it('serves, with all that it loads later', async () => {
    const service = await start(plant({ 'a.txt': 'needle\n' }), {
      program: join(folder, 'node_modules/.bin/fs-sidecar'),
      cwd: folder,
    });
    const listed = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const answers = [
      await service.ask('/readyz'),
      await service.ask('/grep?pattern=n.edle&isRegex=true'),
      await service.ask('/grep?pattern=needle&encoding=shift_jis'),
      await service.ask('/find?pattern=(%3FP<n>a)&isRegex=true'),
      await service.ask('/openapi.yaml'),
      await service.ask('/docs/static/swagger-ui.css'),
      await service.ask('/mcp', { method: 'POST', body: JSON.stringify(listed) }),
    ];
    expect(answers.map(({ body, status }) => [status, body.length > 2])).toEqual(answers.map(() => [200, true]));
    expect([answers[1]?.json().count, answers[3]?.json().count]).toEqual([1, 1]);
  });
});
