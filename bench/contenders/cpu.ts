import { readFileSync } from 'node:fs';

/** proc(5) counts in ticks, of which Linux has a hundred a second whatever the kernel's own clock. */
const TICK_MS = 10;
/** Of the fields after the name, in the order of proc(5). */
const USER = 11;
const SYSTEM = 12;
const CHILDREN_USER = 13;
const CHILDREN_SYSTEM = 14;

/** The processor time that a process and the children that it has waited for have taken, in milliseconds. */
export function cpuOf(pid: number): number {
  return ticksOf(pid, [USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM]) * TICK_MS;
}

/** The same of the children of this process alone. */
export function cpuOfChildren(): number {
  return ticksOf(process.pid, [CHILDREN_USER, CHILDREN_SYSTEM]) * TICK_MS;
}

/** NaN where there is no /proc. */
function ticksOf(pid: number, fields: readonly number[]): number {
  const stat = statOf(pid);
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(values[field]), 0);
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}
