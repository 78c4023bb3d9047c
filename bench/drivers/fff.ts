import { type Driver, load, type Open } from './driver.ts';

type Result<T> = { ok: true; value: T } | { ok: false; error: string };

interface Files {
  items: unknown[];
  totalMatched: number;
}

interface Matches {
  items: unknown[];
  nextCursor: unknown;
}

interface Finder {
  waitForIndexReady(timeoutMs: number): Promise<Result<boolean>>;
  glob(pattern: string, options: { pageSize: number }): Result<Files>;
  grep(pattern: string, options: Record<string, unknown>): Result<Matches>;
}

interface Fff {
  FileFinder: { create(options: { basePath: string }): Result<Finder> };
}

const INDEX_LIMIT_MS = 300_000;
const NO_LIMIT = 10_000_000;
const ALL_SIZES = 2 ** 40;

/** Answers from an index that was built before; the index is not part of a task. */
export const open: Open = async (root, inputs): Promise<Driver> => {
  const { FileFinder } = await load<Fff>('@ff-labs/fff-node');
  const finder = unwrap(FileFinder.create({ basePath: root }));
  if (!unwrap(await finder.waitForIndexReady(INDEX_LIMIT_MS))) throw new Error('the index was not ready in time');
  const glob = (pattern: string, pageSize = NO_LIMIT) => {
    const { items } = unwrap(finder.glob(pattern, { pageSize }));
    return () => items.length;
  };
  const grep = (pattern: string, mode: 'plain' | 'regex', pageSize = NO_LIMIT) => {
    const matches = unwrap(
      finder.grep(pattern, {
        mode,
        pageSize,
        smartCase: false,
        maxFileSize: ALL_SIZES,
        maxMatchesPerFile: pageSize,
        timeBudgetMs: 0,
      }),
    );
    return () => matches.items.length;
  };
  const { cap, frequent, rare } = inputs;
  return {
    acts: {
      list: () => glob('**'),
      'list-details': () => glob('**'),
      glob: () => glob(inputs.glob),
      'glob-100': () => glob(inputs.glob, cap),
      find: () => glob(`**/${inputs.name}*`),
      'grep-rare': () => grep(rare.literal, 'plain'),
      'grep-frequent': () => grep(frequent.literal, 'plain'),
      'grep-frequent-100': () => grep(frequent.literal, 'plain', cap),
      'regex-rare': () => grep(rare.regex, 'regex'),
      'regex-frequent': () => grep(frequent.regex, 'regex'),
      'regex-frequent-100': () => grep(frequent.regex, 'regex', cap),
      'log-rare': () => grep(rare.literal, 'plain'),
    },
    notes: { list: 'from an index', 'log-rare': 'both files' },
  };
};

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
