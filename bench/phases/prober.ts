import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROBE = fileURLToPath(new URL('./probe.ts', import.meta.url));

/** Milliseconds that requests to `url` took one after the other while `during` went on. */
export async function probe(url: string, during: () => Promise<void>): Promise<number[]> {
  const child = fork(PROBE, [url]);
  const ended = once(child, 'exit');
  await once(child, 'message');
  try {
    await during();
    const answered = once(child, 'message');
    child.send('stop');
    const [samples]: number[][] = await answered;
    return samples ?? [];
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}
