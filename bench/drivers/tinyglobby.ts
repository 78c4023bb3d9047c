import { type Driver, load, type Open } from './driver.ts';

interface Options {
  cwd: string;
  dot: boolean;
  onlyFiles: boolean;
  deep?: number;
  expandDirectories?: boolean;
}

export const open: Open = async (root, inputs): Promise<Driver> => {
  const { glob } = await load<{ glob: (patterns: string, options: Options) => Promise<string[]> }>('tinyglobby');
  const find = async (pattern: string, options: Partial<Options> = {}) => {
    const paths = await glob(pattern, { cwd: root, dot: true, onlyFiles: true, expandDirectories: false, ...options });
    return () => paths.length;
  };
  return {
    acts: {
      list: () => find('**'),
      glob: () => find(inputs.glob),
      find: () => find(`**/${inputs.name}*`),
      ls: () => find('*', { onlyFiles: false, deep: 1 }),
    },
  };
};
