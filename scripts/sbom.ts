import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Prints the bill of materials, as CycloneDX: every npm package that the
 * service is made of, those for other platforms, too, from the lockfile.
 * `npm sbom --omit dev` leaves out packages that are needed for development as
 * well as for work, so those of development alone are taken out before.
 */
interface Manifest {
  packages?: Record<string, { dev?: true; devDependencies?: unknown }>;
  devDependencies?: unknown;
}

const scratch = mkdtempSync(join(tmpdir(), 'sbom-'));
// npm takes the folder's name for the program's.
const folder = join(scratch, 'fs-sidecar');
try {
  mkdirSync(folder);
  for (const name of ['package.json', 'package-lock.json']) {
    const manifest: Manifest = JSON.parse(readFileSync(name, 'utf8'));
    writeFileSync(join(folder, name), JSON.stringify(withoutDevelopment(manifest)));
  }
  execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: folder,
    stdio: 'inherit',
  });
} finally {
  rmSync(scratch, { recursive: true });
}

function withoutDevelopment(manifest: Manifest): Manifest {
  const { devDependencies: _, packages, ...rest } = manifest;
  if (packages === undefined) return rest;
  const kept = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  return { ...rest, packages: Object.fromEntries(kept.map(([path, it]) => [path, withoutDevelopment(it)])) };
}
