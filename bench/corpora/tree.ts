import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Source } from './packages.ts';

/** What is planted in a tree to be looked for; the regexes mean the same to every engine. */
export const PLANTED = {
  /** In few lines of few files. */
  literal: 'quicksilver lantern',
  regex: 'quick[a-z]+ lantern [0-9]+',
  /** What the names of few files begin with. */
  name: 'walrus-',
  files: 7,
} as const;

/** In many lines of many files of any JavaScript. */
export const FREQUENT = { literal: 'import', regex: '(im|ex)port [a-z{*]' } as const;

/** What a tree holds. */
export interface TreeFacts {
  files: number;
  folders: number;
  bytes: number;
  /** Files whose names end in `.ts`. */
  typescript: number;
}

/**
 * Writes a tree of `size` files: the sources again and again, each time in
 * folders, under names and with contents of their own.
 */
export function plantTree(folder: string, sources: readonly Source[], size: number): TreeFacts {
  const facts = { files: 0, folders: 0, bytes: 0, typescript: 0 };
  const folders = new Set<string>();
  const plantedEvery = Math.max(1, Math.floor(size / PLANTED.files));
  for (let at = 0; at < size; at += 1) {
    const source = sources[at % sources.length];
    if (source === undefined) throw new Error('there are no sources: install the packages first');
    const copy = Math.floor(at / sources.length);
    const isPlanted = at % plantedEvery === 0 && at / plantedEvery < PLANTED.files;
    const path = join(folder, pathOf(source.path, copy, isPlanted));
    makeFolder(dirname(path), folders);
    const text = textOf(source, at, isPlanted);
    writeFileSync(path, text);
    facts.files += 1;
    facts.bytes += text.length;
    if (path.endsWith('.ts')) facts.typescript += 1;
  }
  facts.folders = folders.size;
  return facts;
}

/** `copy-00c/name/lib/index-c.d.ts` for the thirteenth copy of `name/lib/index.d.ts`. */
function pathOf(path: string, copy: number, isPlanted: boolean): string {
  const mark = copy.toString(36);
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  const stemEnd = name.indexOf('.', 1) === -1 ? name.length : name.indexOf('.', 1);
  const marked = `${isPlanted ? PLANTED.name : ''}${name.slice(0, stemEnd)}-${mark}${name.slice(stemEnd)}`;
  return `copy-${mark.padStart(3, '0')}/${path.slice(0, start)}${marked}`;
}

function textOf({ text }: Source, at: number, isPlanted: boolean): Buffer {
  const own = createHash('sha1').update(String(at)).digest('hex');
  const planted = isPlanted ? `// ${PLANTED.literal} ${at}\n` : '';
  return Buffer.from(`${planted}${text}${text.endsWith('\n') ? '' : '\n'}// ${at} ${own}\n`);
}

function makeFolder(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  mkdirSync(folder, { recursive: true });
  made.add(folder);
}
