import { type Driver, load, type Open } from './driver.ts';

interface Result {
  error?: string;
  files?: unknown[];
  matches?: unknown[];
  content?: unknown;
  truncated?: boolean;
}

interface Backend {
  ls(path: string): Promise<Result>;
  glob(pattern: string, path: string): Promise<Result>;
  grep(pattern: string, path: string, glob?: string | null, maxCount?: number | null): Promise<Result>;
  read(path: string, offset: number, limit: number): Promise<Result>;
}

interface DeepAgents {
  FilesystemBackend: new (options: { rootDir: string; virtualMode: boolean }) => Backend;
}

export const open: Open = async (root, inputs): Promise<Driver> => {
  const { FilesystemBackend } = await load<DeepAgents>('deepagents');
  const backend = new FilesystemBackend({ rootDir: root, virtualMode: true });
  const { cap, far, frequent, glob, line, log, name, near, rare } = inputs;
  const answered = async (answer: Promise<Result>) => {
    const result = await answer;
    if (result.error !== undefined) throw new Error(result.error);
    return () => countOf(result);
  };
  const read = ({ end, start }: typeof near) => answered(backend.read(`/${log}`, start - 1, end - start + 1));
  return {
    acts: {
      list: () => answered(backend.glob('**/*', '/')),
      'list-details': () => answered(backend.glob('**/*', '/')),
      glob: () => answered(backend.glob(glob, '/')),
      find: () => answered(backend.glob(`**/${name}*`, '/')),
      'grep-rare': () => answered(backend.grep(rare.literal, '/')),
      'grep-frequent': () => answered(backend.grep(frequent.literal, '/')),
      'grep-frequent-100': () => answered(backend.grep(frequent.literal, '/', null, cap)),
      ls: () => answered(backend.ls('/')),
      'ls-details': () => answered(backend.ls('/')),
      'read-near': () => read(near),
      'read-far': () => read(far),
      'log-rare': () => answered(backend.grep(rare.literal, `/${log}`)),
      'line-rare': () => answered(backend.grep(rare.literal, `/${line}`)),
    },
  };
};

function countOf({ content, files, matches }: Result): number {
  if (typeof content === 'string') return content.split('\n').length;
  return (files ?? matches ?? []).length;
}
