import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { contenders, OURS, OURS_UNCACHED } from '../contenders/index.ts';
import type { Corpus } from '../corpora/index.ts';
import { toTable, toTime } from '../report.ts';
import { median } from '../statistics.ts';
import { TASKS, type TaskName } from '../tasks.ts';
import { type ComparePlan, compare, type Result } from './compare.ts';
import { type Point, plot } from './plot.ts';

const GROWING: readonly TaskName[] = ['list', 'glob', 'find', 'grep-rare', 'grep-frequent-100', 'regex-rare'];
/** In smaller trees the start of a program is what is measured. */
const SMALLEST = 1000;
const COMPARED = [OURS, OURS_UNCACHED, 'rg', 'fd', 'find', 'grep -r'];

/** The same work in larger and larger trees. */
export async function growth(trees: readonly Corpus[], plan: ComparePlan): Promise<void> {
  const own: ComparePlan = {
    ...plan,
    isWanted: (corpus, task, contender) => GROWING.includes(task) && plan.isWanted(corpus, task, contender),
  };
  const compared = contenders.filter(({ name }) => COMPARED.includes(name));
  for (const tree of trees) await compare(tree, compared, own);
}

/** Whether a result tells of the same, in a tree. */
export function isOfGrowth({ contender, files = 0, task }: Result): boolean {
  return files >= SMALLEST && GROWING.includes(task) && COMPARED.includes(contender);
}

/** A table, and a plot in a file. */
export async function drawGrowth(results: readonly Result[], file: string): Promise<string> {
  const points = results.filter(({ samples }) => Object.keys(samples).length > 0).map(pointOf);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await plot(points));
  return tableOf(points);
}

function pointOf({ contender, files = 0, samples, task }: Result): Point {
  return { task: TASKS[task].replaceAll('`', ''), contender, files, milliseconds: median(Object.values(samples)) };
}

function tableOf(points: readonly Point[]): string {
  const lines = new Map<string, Map<number, number>>();
  for (const { contender, files, milliseconds, task } of points) {
    const key = `${task}: ${contender}`;
    lines.set(key, (lines.get(key) ?? new Map<number, number>()).set(files, milliseconds));
  }
  const sizes = [...new Set(points.map(({ files }) => files))].sort((one, other) => one - other);
  const rows = [...lines].map(([key, times]) => [key, ...sizes.map((size) => cellOf(times.get(size)))]);
  return toTable(['', ...sizes.map((size) => `${size.toLocaleString('en')} files`)], rows);
}

function cellOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : toTime(milliseconds);
}
