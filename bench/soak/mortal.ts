/**
 * What makes a worker thread of the service mortal from outside: on SIGWINCH
 * the one that has lived longest ends, as a thread does that runs out of memory.
 * It runs in the service, in each of its threads, before the service's own code.
 */
const MORTAL = `
import { isMainThread, threadId } from 'node:worker_threads';
const channel = new BroadcastChannel('mortal');
channel.unref();
if (isMainThread) {
  const alive = [];
  channel.onmessage = ({ data }) => alive.push(data);
  process.on('SIGWINCH', () => channel.postMessage(alive.shift()));
} else {
  channel.postMessage(threadId);
  channel.onmessage = ({ data }) => { if (data === threadId) process.exit(1); };
}
`;

/** Options of Node for a service whose worker threads can be ended; the service's confinement lets it read no file of ours. */
export const MORTAL_OPTIONS = ['--import', `data:text/javascript,${encodeURIComponent(MORTAL)}`];

export const END_A_WORKER = 'SIGWINCH';
