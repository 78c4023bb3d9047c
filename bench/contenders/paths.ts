import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rgPath } from '@vscode/ripgrep';

/** This project's own folder. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** The built service. */
export const SERVER = join(PROJECT, 'dist', 'src', 'server.js');
/** Where the results stand. */
export const DOCUMENT = join(PROJECT, 'docs', 'benchmarks.md');
/** What it shows. */
export const PLOT = join(PROJECT, 'docs', 'images', 'growth.svg');
/** Where the peers are installed. */
export const BENCH = fileURLToPath(new URL('../', import.meta.url));

/** The search path of peers that look for ripgrep there. */
export const PATH = [dirname(rgPath), process.env['PATH'] ?? ''].join(delimiter);

/** A file of a peer that is installed here; undefined when it is not. */
export function peerFile(...path: string[]): string | undefined {
  const file = join(BENCH, 'node_modules', ...path);
  return existsSync(file) ? file : undefined;
}

/** Why a peer cannot be had: its package is not there. */
export const NOT_INSTALLED = 'not installed (`npm --prefix bench ci`)';
