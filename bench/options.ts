import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCH, PLOT } from './contenders/paths.ts';
import { SCALES, type ScaleName } from './scale.ts';

/** The parts of a run, in their order. */
export const PHASES = ['starts', 'compare', 'health', 'rates', 'streams', 'growth'] as const;
export type Phase = (typeof PHASES)[number];

export interface Options {
  scale: ScaleName;
  rounds: number;
  phases: readonly Phase[];
  /** Of `corpus: task contender`, such as `200,000 files: glob rg`. */
  only: RegExp;
  cache: string;
  /** Where the samples go. */
  json: string;
  /** Where the plot of growth goes. */
  plot: string;
  /** Whether what was found goes into the document. */
  write: boolean;
}

export const USAGE = `npm run bench -- [options]

  --scale tiny|small|full   how large the corpora are, and how long the streams (full)
  --rounds N                rounds that count, after warming up (5)
  --phase NAME              ${PHASES.join(', ')}; repeatable (all)
  --only REGEX              of 'corpus: task contender': "^200,000 files: glob ", "(fs-sidecar|rg)$"
  --cache FOLDER            where the corpora are made and kept (bench/.cache)
  --json FILE               where all samples go, and where earlier ones are kept (<cache>/<scale>.json)
  --plot FILE               where the plot goes (<cache>/growth.svg, or docs/images with --write)
  --write                   puts the tables into docs/benchmarks.md, and the plot beside it
`;

/** Undefined when help is asked for. Throws what is wrong with the options. */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', default: 'full' },
      rounds: { type: 'string', default: '5' },
      phase: { type: 'string', multiple: true, default: [...PHASES] },
      only: { type: 'string', default: '' },
      cache: { type: 'string', default: join(BENCH, '.cache') },
      json: { type: 'string' },
      plot: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const rounds = Number(values.rounds);
  if (!isScale(values.scale)) throw new Error(`--scale is one of ${Object.keys(SCALES).join(', ')}`);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is a whole number from 1');
  if (!values.phase.every(isPhase)) throw new Error(`--phase is one of ${PHASES.join(', ')}`);
  return {
    scale: values.scale,
    rounds,
    phases: values.phase,
    only: new RegExp(values.only),
    cache: values.cache,
    json: values.json ?? join(values.cache, `${values.scale}.json`),
    plot: values.plot ?? (values.write ? PLOT : join(values.cache, 'growth.svg')),
    write: values.write,
  };
}

function isScale(name: string): name is ScaleName {
  return name in SCALES;
}

function isPhase(name: string): name is Phase {
  return PHASES.some((phase) => phase === name);
}
