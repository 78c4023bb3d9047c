import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** Asks for the health of a service again and again, in a process of its own, until told to stop. */
const PAUSE_MS = 2;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const samples: number[] = [];
let isStopped = false;

process.on('message', () => {
  isStopped = true;
});

const [url = ''] = process.argv.slice(2);
await ask();
process.send?.('probing');
while (!isStopped) {
  samples.push(await ask());
  await setTimeout(PAUSE_MS);
}
agent.destroy();
// A long list is still on its way when the channel is closed at once, and then never comes.
process.send?.(samples, undefined, undefined, () => {
  if (process.connected) process.disconnect();
});

function ask(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (reply) => {
      reply.resume().on('end', () => resolve(performance.now() - started));
    }).on('error', reject);
  });
}
