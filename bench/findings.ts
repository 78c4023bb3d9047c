import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Result } from './phases/compare.ts';
import type { Health } from './phases/health.ts';
import type { Rate } from './phases/rates.ts';
import type { Start } from './phases/starts.ts';
import type { Streams } from './phases/streams.ts';
import { grouped } from './report.ts';

/** What each phase found when it last ran. */
export interface Findings {
  starts?: Found<Start[]>;
  compare?: Found<Result[]>;
  health?: Found<Health[]>;
  rates?: Found<Rate[]>;
  streams?: Found<Streams>;
  growth?: Found<Result[]>;
}

export interface Found<T> {
  /** The machine, the scale and the rounds. */
  measured: string;
  /** The tables, in Markdown. */
  text: string;
  samples: T;
}

/** Changes with what samples hold, so that older ones are not read as new ones. */
const VERSION = 1;

/** The findings in a file; none when there is no such file, or an older one. */
export function findingsIn(file: string): Findings {
  if (!existsSync(file)) return {};
  const { findings, version } = JSON.parse(readFileSync(file, 'utf8'));
  return version === VERSION ? findings : {};
}

export function keepFindings(file: string, findings: Findings): void {
  writeFileSync(file, `${JSON.stringify({ version: VERSION, findings }, null, 1)}\n`);
}

/** Something done in a corpus. */
interface Done {
  corpus: string;
  task: string;
}

/**
 * Older results, with those of a task replaced that was done again. All
 * contenders of a task are replaced at once: a ratio is of rounds of one run.
 */
export function merged<S extends Done>(older: readonly S[], newer: readonly S[]): S[] {
  const keyOf = ({ corpus, task }: S) => `${corpus}: ${task}`;
  const replaced = grouped(newer, keyOf);
  return [...new Map([...grouped(older, keyOf), ...replaced]).values()].flat();
}
