import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plantLog } from '../corpora/files.ts';

/** What the tree that is soaked holds; the rest of it changes all the time. */
export const FIXED = { folders: 20, files: 2000, needles: 3, logLines: 600_000 } as const;
/** How many lines of the fixed part hold it. */
export const NEEDLE = 'a needle in the hay';

/** Plants a part that stays as it is, so that right answers are known, a part that moves, and a long log. */
export function plantSoaked(root: string): void {
  for (let at = 0; at < FIXED.files; at += 1) {
    const folder = join(root, 'fixed', `folder-${at % FIXED.folders}`);
    mkdirSync(folder, { recursive: true });
    const needles = Array.from({ length: FIXED.needles }, (_, line) => `${NEEDLE} ${at} ${line}\n`);
    writeFileSync(join(folder, `file-${at}.ts`), `export const at = ${at};\n${needles.join('')}`);
  }
  mkdirSync(join(root, 'moving'));
  plantLog(join(root, 'log.txt'), FIXED.logLines);
}

const PLACES = 400;
const FOLDERS = 10;

/** Creates, renames, truncates and deletes in the moving part, as whoever works there does. */
export class Mover {
  moves = 0;
  readonly #root: string;

  constructor(root: string) {
    this.#root = join(root, 'moving');
  }

  move(): void {
    this.moves += 1;
    const acts = [this.#write, this.#write, this.#append, this.#truncate, this.#rename, this.#remove, this.#swap];
    try {
      acts[Math.floor(Math.random() * acts.length)]?.call(this);
    } catch {
      // What is to be changed is not there just now.
    }
  }

  #write(): void {
    const file = this.#somewhere();
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `${NEEDLE}\n`.repeat(Math.ceil(Math.random() * 500)));
  }

  #append(): void {
    appendFileSync(this.#somewhere(), `${NEEDLE}\n`);
  }

  #truncate(): void {
    truncateSync(this.#somewhere(), Math.floor(Math.random() * 1000));
  }

  #rename(): void {
    renameSync(this.#somewhere(), this.#somewhere());
  }

  #remove(): void {
    rmSync(this.#somewhere());
  }

  /** A whole folder goes away, another takes its place. */
  #swap(): void {
    const aside = join(this.#root, 'aside');
    renameSync(join(this.#root, `folder-${Math.floor(Math.random() * FOLDERS)}`), aside);
    if (Math.random() < 0.5) rmSync(aside, { recursive: true });
    else renameSync(aside, join(this.#root, `folder-${Math.floor(Math.random() * FOLDERS)}`));
  }

  #somewhere(): string {
    const at = Math.floor(Math.random() * PLACES);
    return join(this.#root, `folder-${at % FOLDERS}`, `file-${at}.ts`);
  }
}
