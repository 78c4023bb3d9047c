import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether the kernel shows processes under /proc. */
export const hasProc = process.platform === 'linux';

/** The processes that `pid` has started and that still run. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => isRunning(candidate) && parentOf(candidate) === pid);
}

/** The number of descriptors that `pid` has open. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Whether `pid` has a file of that name open. */
export function hasOpen(pid: number, name: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => targetOf(`/proc/${pid}/fd/${fd}`).endsWith(`/${name}`));
}

/** The most memory that `pid` has had resident so far, in bytes. */
export function peakMemoryOf(pid: number): number {
  return numberIn(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB/m) * 1024;
}

/** The bytes that `pid` has read so far, from whatever there is to read. */
export function bytesReadBy(pid: number): number {
  return numberIn(`/proc/${pid}/io`, /^rchar: (\d+)/m);
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function numberIn(file: string, pattern: RegExp): number {
  const found = pattern.exec(readFileSync(file, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${file} does not hold ${pattern}`);
  return Number(found);
}

/** proc(5): after the name in parentheses come the state and the parent. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statOf(pid)[0]);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Somebody whom the permissions of files hold for: who runs the tests, or, when that is root, nobody in particular. */
export const UNPRIVILEGED: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 4242, gid: 4242 } : {};

/** Whether a process can be started as `UNPRIVILEGED`. */
export const canBeUnprivileged = (() => {
  try {
    execFileSync(process.execPath, ['-e', ''], { ...UNPRIVILEGED, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
