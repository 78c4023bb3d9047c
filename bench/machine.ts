import { arch, cpus, loadavg, release, totalmem } from 'node:os';

/** What something is measured on, and what else went on there: medians of few rounds on a busy machine are worth less. */
export function measuredOn(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  // What a distribution adds to the version names its builds.
  const [kernel] = release().split('-');
  const machine = `${cpus().length} cores (${cpu?.model ?? arch()}), ${memory} GiB, Linux ${kernel}, Node ${process.version}`;
  return `Measured on ${machine}; load average ${loadavg()[0]?.toFixed(1)} at the start`;
}
