import { OURS } from './contenders/index.ts';
import type { Result } from './phases/compare.ts';
import { median, ratioOf, type Spread, spreadOf } from './statistics.ts';
import { TASKS } from './tasks.ts';

/** A table in Markdown; all columns but the first, and remarks, are numbers. */
export function toTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [
    headings,
    headings.map((heading, at) => (at === 0 || heading === 'remarks' ? '---' : '---:')),
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |\n`).join('');
}

function escapeCell(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Three digits, in the unit that fits. */
export function toTime(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds >= 100) return `${milliseconds.toFixed(0)} ms`;
  return `${milliseconds.toPrecision(milliseconds < 1 ? 2 : 3)} ms`;
}

export function toRatio(ratio: number): string {
  if (Number.isNaN(ratio)) return '–';
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2);
}

/** A middle and its quarters: `1.04 (0.98–1.10)`. */
export function toSpread({ high, low, median }: Spread, show: (value: number) => string): string {
  return `${show(median)} (${show(low)}–${show(high)})`;
}

/** One table for each task of a corpus, with what each contender took, that in multiples of ours, and how much it found. */
export function comparisons(results: readonly Result[]): string {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = `### ${result.corpus}: ${TASKS[result.task]}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups].map(([heading, group]) => `${heading}\n\n${comparison(group)}`).join('\n');
}

function comparison(results: readonly Result[]): string {
  const ours = results.find(({ contender }) => contender === OURS);
  const usual = mostFrequent(results.flatMap(({ counts }) => counts));
  const rows = results.map((result) => {
    if (Object.keys(result.samples).length === 0) return [result.contender, '–', '–', '–', '–', result.failure ?? ''];
    const spread = spreadOf(Object.values(result.samples));
    const ratio = ours === undefined ? undefined : ratioOf(ours.samples, result.samples);
    return [
      result.contender,
      toSpread(spread, toTime),
      ratio === undefined ? '–' : toSpread(ratio, toRatio),
      cpuOf(result),
      result.counts.map((count) => count.toLocaleString('en')).join(', '),
      remarkOn(result, usual),
    ];
  });
  return toTable(['', 'time', `${OURS} ÷ it`, 'cpu', 'results', 'remarks'], rows);
}

/** A median: it hardly depends on what else the machine does. */
function cpuOf({ cpu }: Result): string {
  const samples = Object.values(cpu);
  return samples.length === 0 ? '–' : toTime(median(samples));
}

/** What its answer differs in from what most contenders answer. */
function remarkOn({ counts, failure, note }: Result, usual: number): string {
  const odd = counts.filter((count) => count !== usual).map((count) => `finds ${share(count, usual)}`);
  return [note, ...odd, failure].filter((remark) => remark !== undefined).join('; ');
}

function mostFrequent(counts: readonly number[]): number {
  const times = (count: number) => counts.filter((other) => other === count).length;
  return counts.reduce((best, count) => (times(count) > times(best) ? count : best), counts[0] ?? 0);
}

function share(count: number, usual: number): string {
  return `${((count / usual) * 100).toPrecision(3)} % of what most find`;
}
