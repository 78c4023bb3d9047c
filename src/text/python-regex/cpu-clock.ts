/**
 * Milliseconds of processor time: of this thread, or of the whole process on Node before 23.9. Limits are
 * counted on the clock; a thread that was given no processor meanwhile has not been slow.
 */
export function cpuTime(): number {
  const ofThread: unknown = Reflect.get(process, 'threadCpuUsage');
  const usage: NodeJS.CpuUsage = typeof ofThread === 'function' ? ofThread.call(process) : process.cpuUsage();
  return (usage.user + usage.system) / 1000;
}
