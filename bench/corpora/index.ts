import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plantFolder, plantLine, plantLog } from './files.ts';
import { packageSources, type Source } from './packages.ts';
import { plantTree, type TreeFacts } from './tree.ts';

/** A folder that contenders are given as their root. */
export interface Corpus {
  name: string;
  root: string;
  /** Of a tree. */
  facts?: TreeFacts;
  /** Of a log. */
  lines?: number;
}

/** Changes with what is written, so that an older corpus is not taken for a new one. */
const VERSION = 1;

/** The corpora, each made when it is first asked for and kept in a folder. */
export class Corpora {
  readonly #cache: string;
  readonly #project: string;
  readonly #say: (line: string) => void;
  #sources: Source[] | undefined;

  /** `project` holds the lock file and its installed packages. */
  constructor(cache: string, project: string, say: (line: string) => void) {
    this.#cache = cache;
    this.#project = project;
    this.#say = say;
  }

  tree(files: number): Corpus {
    const { facts, root } = this.#made(`tree-${files}`, (folder) => plantTree(folder, this.#packages, files));
    return { name: `${files.toLocaleString('en')} files`, root, facts };
  }

  /** One folder with so many entries. */
  folder(entries: number): Corpus {
    const { root } = this.#made(`folder-${entries}`, (folder) => plantFolder(folder, entries));
    return { name: `a folder of ${entries.toLocaleString('en')} entries`, root };
  }

  /** `log.txt`, and `line.txt`, which is one long line. */
  log(lines: number, lineBytes: number): Corpus {
    const { root } = this.#made(`log-${lines}-${lineBytes}`, (folder) => {
      plantLog(join(folder, 'log.txt'), lines);
      plantLine(join(folder, 'line.txt'), lineBytes);
    });
    return { name: `a log of ${lines.toLocaleString('en')} lines`, root, lines };
  }

  get #packages(): Source[] {
    this.#sources ??= packageSources(this.#project);
    return this.#sources;
  }

  #made<F>(name: string, plant: (folder: string) => F): { root: string; facts: F } {
    const root = join(this.#cache, name);
    const stamp = join(this.#cache, `${name}.json`);
    const known = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : undefined;
    if (known?.version === VERSION) return { root, facts: known.facts };
    this.#say(`making ${name}`);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    const facts = plant(root);
    writeFileSync(stamp, JSON.stringify({ version: VERSION, facts }));
    return { root, facts };
  }
}
