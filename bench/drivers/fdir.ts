import { type Driver, load, type Open } from './driver.ts';

interface Crawler {
  withBasePath(): Crawler;
  withRelativePaths(): Crawler;
  filter(wanted: (path: string) => boolean): Crawler;
  withMaxDepth(depth: number): Crawler;
  withDirs(): Crawler;
  crawl(root: string): { withPromise(): Promise<string[]> };
}

export const open: Open = async (root, { cap, name }): Promise<Driver> => {
  const { fdir } = await load<{ fdir: new () => Crawler }>('fdir');
  const crawl = async (crawler: Crawler) => {
    const files = await crawler.crawl(root).withPromise();
    return () => files.length;
  };
  const typescript = () => new fdir().withRelativePaths().filter((path) => path.endsWith('.ts'));
  return {
    acts: {
      list: () => crawl(new fdir().withRelativePaths()),
      glob: () => crawl(typescript()),
      find: () => crawl(new fdir().withRelativePaths().filter((path) => path.includes(`/${name}`))),
      'glob-100': async () => {
        const files = await typescript().crawl(root).withPromise();
        return () => files.slice(0, cap).length;
      },
    },
    notes: { glob: 'a test of the name’s end, not a glob' },
  };
};
