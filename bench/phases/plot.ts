import { load } from '../drivers/driver.ts';

/** What one contender took for one task in a tree of so many files. */
export interface Point {
  task: string;
  contender: string;
  files: number;
  milliseconds: number;
}

interface VegaLite {
  compile(spec: object): { spec: object };
}

interface Vega {
  parse(spec: object): object;
  View: new (runtime: object, options: { renderer: 'none' }) => { toSVG(): Promise<string> };
}

/** Milliseconds by files, both in powers of ten, one picture for each task. */
export async function plot(points: readonly Point[]): Promise<string> {
  const [{ compile }, vega] = await Promise.all([load<VegaLite>('vega-lite'), load<Vega>('vega')]);
  const { spec } = compile({
    $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
    background: 'white',
    data: { values: points },
    columns: 3,
    facet: { field: 'task', type: 'nominal', title: null, sort: [...new Set(points.map(({ task }) => task))] },
    spec: {
      width: 220,
      height: 180,
      mark: { type: 'line', point: true },
      encoding: {
        x: { field: 'files', type: 'quantitative', scale: { type: 'log', nice: false }, title: 'files' },
        y: { field: 'milliseconds', type: 'quantitative', scale: { type: 'log' }, title: 'ms' },
        color: { field: 'contender', type: 'nominal', title: null },
        strokeDash: { field: 'contender', type: 'nominal', title: null },
      },
    },
    config: { font: 'sans-serif', axis: { format: '~s' } },
  });
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}
