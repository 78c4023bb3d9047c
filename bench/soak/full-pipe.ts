import { Agent } from 'node:http';
import { Service } from '../service.ts';
import { ask } from './answers.ts';
import { atLeast, type Check } from './check.ts';

/** A pipe holds 64 KiB, and a line of the log is more than a hundred bytes. */
const REQUESTS = 3000;
const LIMIT_MS = 10_000;

/** Nobody reads the log: the service goes on answering all the same. */
export async function fullPipe(root: string): Promise<Check[]> {
  const service = await Service.start(root, { log: 'unread pipe' });
  const agent = new Agent({ keepAlive: true });
  let answered = 0;
  try {
    while (answered < REQUESTS && (await isAnswered(service, agent))) answered += 1;
    const ended = await service.close();
    return [
      atLeast('requests answered while nobody reads the log', answered, REQUESTS),
      { what: 'SIGTERM then', wanted: 'exit 0', found: `${ended.code ?? ended.signal}`, isMet: ended.code === 0 },
    ];
  } finally {
    agent.destroy();
    await service.close();
  }
}

async function isAnswered(service: Service, agent: Agent): Promise<boolean> {
  const answer = ask(`${service.address}/ls?path=fixed/folder-1`, { agent }).then(
    ({ status }) => status === 200,
    () => false,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, false);
  });
  const isInTime = await Promise.race([answer, late]);
  clearTimeout(timer);
  return isInTime;
}
