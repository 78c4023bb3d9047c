import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PLANTED } from './tree.ts';

const LINES_AT_ONCE = 10_000;
const LEVELS = ['INFO', 'DEBUG', 'INFO', 'WARN', 'INFO', 'ERROR'] as const;
const START = Date.UTC(2026, 0, 1);
/** An odd factor, so that consecutive lines carry numbers far apart. */
const MIXER = 2_654_435_761;

/** Writes a log of so many distinct lines of about 105 bytes; a few of them, evenly spread, hold the planted text. */
export function plantLog(file: string, lines: number): void {
  const out = openSync(file, 'w');
  const plantedEvery = Math.floor(lines / PLANTED.files);
  try {
    for (let first = 0; first < lines; first += LINES_AT_ONCE) {
      const count = Math.min(LINES_AT_ONCE, lines - first);
      writeSync(out, Array.from({ length: count }, (_, at) => logLine(first + at, plantedEvery)).join(''));
    }
  } finally {
    closeSync(out);
  }
}

function logLine(at: number, plantedEvery: number): string {
  const id = ((at * MIXER) % 2 ** 32).toString(16).padStart(8, '0');
  const level = LEVELS[at % LEVELS.length];
  const what = at % plantedEvery === 0 ? PLANTED.literal : 'served a page in';
  return `${new Date(START + at).toISOString()} ${level} request=${id} route=/items/${at % 9973} ${what} ${at % 503} ms bytes=${at % 65_521}\n`;
}

/** Writes one line of so many bytes, without an end of line, that holds the planted text once, near its end. */
export function plantLine(file: string, bytes: number): void {
  const out = openSync(file, 'w');
  const piece = Buffer.from('{"id":7,"name":"a minified bundle","tags":["x","y","z"]},'.repeat(1000));
  const planted = Buffer.from(`"${PLANTED.literal} 1",`);
  try {
    let written = 0;
    let isPlanted = false;
    while (written < bytes) {
      const isDue: boolean = !isPlanted && written + piece.length * 2 >= bytes;
      const next = isDue ? planted : piece.subarray(0, bytes - written);
      written += writeSync(out, next);
      isPlanted ||= isDue;
    }
  } finally {
    closeSync(out);
  }
}

/** One entry in ten of the large folder is a folder. */
const FOLDER_EVERY = 10;

/** Fills a folder with so many entries. */
export function plantFolder(folder: string, entries: number): void {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < entries; at += 1) {
    const name = join(folder, `entry-${at.toString().padStart(6, '0')}`);
    if (at % FOLDER_EVERY === 0) mkdirSync(name);
    else writeFileSync(`${name}.txt`, `entry ${at}\n`);
  }
}
