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

/** For each corpus one table of all tasks and contenders, and below it one with the details of each task. */
export function overview(results: readonly Result[]): string {
  return [...grouped(results, ({ corpus }) => corpus)]
    .map(
      ([corpus, group]) =>
        `### ${corpus}\n\n${measuredLines(group)}\n\n${matrix(group)}\n<details><summary>times, spread, processor time, results</summary>\n\n${comparisons(group)}\n</details>\n`,
    )
    .join('\n');
}

/** One line for each run that results come from. */
export function measuredLines(results: readonly { measured: string }[]): string {
  return [...new Set(results.map(({ measured }) => measured))].join('\n\n');
}

/** The time of ours, and of each contender in multiples of it; those who answer something else are marked. */
function matrix(results: readonly Result[]): string {
  const others = [...new Set(results.map(({ contender }) => contender))].filter(
    (name) => name !== OURS && results.some(({ contender, samples }) => contender === name && hasAny(samples)),
  );
  const rows = [...grouped(results, ({ task }) => task)].map(([task, group]) => {
    const ours = group.find(({ contender }) => contender === OURS);
    const usual = mostFrequent(group.flatMap(({ counts }) => counts));
    const cells = others.map((name) => {
      const other = group.find(({ contender }) => contender === name);
      const ratio = ours && other && ratioOf(other.samples, ours.samples);
      if (other === undefined || ratio === undefined) return '';
      return `${toRatio(ratio.median)}${other.counts.some((count) => count !== usual) ? ' *' : ''}`;
    });
    const time = ours === undefined || !hasAny(ours.samples) ? '–' : toTime(median(Object.values(ours.samples)));
    return [TASKS[task], time, ...cells];
  });
  return toTable(['', OURS, ...others.map((name) => `${name} ÷ it`)], rows);
}

function hasAny(samples: Result['samples']): boolean {
  return Object.keys(samples).length > 0;
}

export function grouped<S, K>(results: readonly S[], keyOf: (result: S) => K): Map<K, S[]> {
  const groups = new Map<K, S[]>();
  for (const result of results) groups.set(keyOf(result), [...(groups.get(keyOf(result)) ?? []), result]);
  return groups;
}

/** One table for each task of a corpus, with what each contender took, that in multiples of ours, and how much it found. */
export function comparisons(results: readonly Result[]): string {
  return [...grouped(results, ({ corpus, task }) => `#### ${corpus}: ${TASKS[task]}`)]
    .map(([heading, group]) => `${heading}\n\n${comparison(group)}`)
    .join('\n');
}

function comparison(results: readonly Result[]): string {
  const ours = results.find(({ contender }) => contender === OURS);
  const usual = mostFrequent(results.flatMap(({ counts }) => counts));
  const rows = results.map((result) => {
    if (!hasAny(result.samples)) return [result.contender, '–', '–', '–', '–', result.failure ?? ''];
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
