import { type Driver, load, type Open } from './driver.ts';

interface Options {
  cwd: string;
  dot: boolean;
  onlyFiles: boolean;
  stats?: boolean;
}

type Glob = (patterns: string, options: Options) => Promise<unknown[]>;

export const open: Open = async (root, inputs): Promise<Driver> => {
  const { default: glob } = await load<{ default: Glob }>('fast-glob');
  const find = async (pattern: string, options: Partial<Options> = {}) => {
    const entries = await glob(pattern, { cwd: root, dot: true, onlyFiles: true, ...options });
    return () => entries.length;
  };
  return {
    acts: {
      list: () => find('**'),
      'list-details': () => find('**', { stats: true }),
      glob: () => find(inputs.glob),
      find: () => find(`**/${inputs.name}*`),
      ls: () => find('*', { onlyFiles: false }),
      'ls-details': () => find('*', { onlyFiles: false, stats: true }),
    },
  };
};
