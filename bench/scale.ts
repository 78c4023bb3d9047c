/** How large the corpora are, and how long the measurements. */
export interface Scale {
  /** Files of the trees in which contenders are compared. */
  trees: readonly number[];
  /** Files of the trees that show how cost grows; those that are compared anyway are not measured again. */
  growth: readonly number[];
  /** Entries of the one large folder. */
  folderEntries: number;
  logLines: number;
  /** Bytes of the one long line. */
  lineBytes: number;
  /** Records of a stream that is read at full speed, and slowly. */
  streamed: readonly number[];
  /** Seconds that a rate is measured, and that health is asked for beside one task. */
  seconds: number;
  /** Seconds that a slow client reads at most. */
  slowSeconds: number;
}

const THOUSAND = 1000;
const MILLION = 1_000_000;

export const SCALES = {
  /** To see that all of it runs. */
  tiny: {
    trees: [300],
    growth: [100, 300],
    folderEntries: 500,
    logLines: 20 * THOUSAND,
    lineBytes: 2 * MILLION,
    streamed: [2 * THOUSAND],
    seconds: 0.5,
    slowSeconds: 1,
  },
  small: {
    trees: [20 * THOUSAND, 200 * THOUSAND],
    growth: [2 * THOUSAND, 20 * THOUSAND, 200 * THOUSAND],
    folderEntries: 50 * THOUSAND,
    logLines: 10 * MILLION,
    lineBytes: 200 * MILLION,
    streamed: [200 * THOUSAND],
    seconds: 3,
    slowSeconds: 20,
  },
  full: {
    trees: [20 * THOUSAND, 200 * THOUSAND],
    growth: [2 * THOUSAND, 20 * THOUSAND, 200 * THOUSAND, MILLION],
    folderEntries: 50 * THOUSAND,
    logLines: 10 * MILLION,
    lineBytes: 200 * MILLION,
    streamed: [200 * THOUSAND, 2 * MILLION],
    seconds: 5,
    slowSeconds: 400,
  },
} as const satisfies Record<string, Scale>;

export type ScaleName = keyof typeof SCALES;
