import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** A file of a package, as a corpus takes it. */
export interface Source {
  /** Below the folder of all packages. */
  path: string;
  text: string;
}

/** Text that people search. Source maps are one line of what they map. */
const TEXT = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|html|css)$|^(?:LICENSE|license)$/;
const MIN_BYTES = 64;
const MAX_BYTES = 32 * 1024;
/** Names of which one tool or another leaves out what lies below, or which a policy blocks: all shall have the same work. */
const LEFT_OUT = /^\.|^node_modules$|^(?:credentials|secrets|service-account.*)\.(?:json|ya?ml|toml)$|\.(?:log|tmp)$/;
const NOISE = /^(?:dist|build|out|coverage|target|vendor|venv|__pycache__)$/;

/** The text files of the installed packages that the lock file names, in the order of their paths. */
export function packageSources(project: string): Source[] {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const sources: Source[] = [];
  for (const place of Object.keys(packages).sort()) {
    if (place !== '') collect(join(project, place), shortNameOf(place), sources);
  }
  return sources;
}

/** `node_modules/a/node_modules/@b/c` → `a/@b/c`. */
function shortNameOf(place: string): string {
  return place.replaceAll('node_modules/', '');
}

function collect(folder: string, shown: string, sources: Source[]): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) collect(path, `${shown}/${NOISE.test(name) ? `${name}-files` : name}`, sources);
    else if (TEXT.test(name) && isOfUse(stats)) addText(path, `${shown}/${name}`, sources);
  }
}

function isOfUse(stats: Stats): boolean {
  return stats.isFile() && stats.size >= MIN_BYTES && stats.size <= MAX_BYTES;
}

function addText(path: string, shown: string, sources: Source[]): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes('\0') && !text.includes('\uFFFD')) sources.push({ path: shown, text });
}

/** The names that are taken, in order; none for an optional package that this system does not have. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !LEFT_OUT.test(name))
      .sort();
  } catch {
    return [];
  }
}
