import type { Corpus } from './corpora/index.ts';
import { FREQUENT, PLANTED } from './corpora/tree.ts';

/** What all contenders are asked for in a tree, in the order of the table. */
export const TREE_TASKS = {
  list: 'every file',
  'list-details': 'every file, with size and time',
  glob: 'glob `**/*.ts`',
  'glob-100': 'glob `**/*.ts`, 100 results',
  find: 'find a name',
  'grep-rare': 'literal, rare',
  'grep-frequent': 'literal, frequent',
  'grep-frequent-100': 'literal, frequent, 100 results',
  'grep-caseless': 'literal, rare, in any case',
  'regex-rare': 'regex, rare',
  'regex-frequent': 'regex, frequent',
  'regex-frequent-100': 'regex, frequent, 100 results',
} as const;

export const FOLDER_TASKS = {
  ls: 'ls of a large folder',
  'ls-details': 'ls of a large folder, with size and time',
} as const;

export const LOG_TASKS = {
  'read-near': 'lines 10–40 of a log',
  'read-far': '51 lines, nine tenths into a log',
  'log-rare': 'literal, rare, in a log',
  'line-rare': 'literal in one long line',
} as const;

export const TASKS = { ...TREE_TASKS, ...FOLDER_TASKS, ...LOG_TASKS };
export type TaskName = keyof typeof TASKS;

/** Lines from, to, both included. */
interface LineRange {
  start: number;
  end: number;
}

/** What the tasks look for, the same for all contenders. */
export interface Inputs {
  glob: string;
  /** What a wanted name begins with. */
  name: string;
  rare: { literal: string; regex: string };
  frequent: { literal: string; regex: string };
  cap: number;
  log: string;
  line: string;
  near: LineRange;
  far: LineRange;
}

const FAR_SHARE = 0.9;
const FAR_LINES = 50;

export function inputsOf({ lines = 0 }: Corpus): Inputs {
  const far = Math.floor(lines * FAR_SHARE);
  return {
    glob: '**/*.ts',
    name: PLANTED.name,
    rare: PLANTED,
    frequent: FREQUENT,
    cap: 100,
    log: 'log.txt',
    line: 'line.txt',
    near: { start: 10, end: 40 },
    far: { start: far, end: far + FAR_LINES },
  };
}

/** The tasks that a corpus is for. */
export function tasksOf({ facts, lines }: Corpus): TaskName[] {
  if (facts !== undefined) return Object.keys(TREE_TASKS) as TaskName[];
  return Object.keys(lines === undefined ? FOLDER_TASKS : LOG_TASKS) as TaskName[];
}
