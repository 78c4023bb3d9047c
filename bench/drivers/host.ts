import type { TaskName } from '../tasks.ts';
import type { Driver, Open } from './driver.ts';

/** To this process: open a driver, or do one of its tasks. */
export type ToHost = { open: string; root: string; inputs: Parameters<Open>[1] } | { task: TaskName };

/** From it. */
export type FromHost =
  | { opened: TaskName[]; notes: Partial<Record<TaskName, string>> }
  | { milliseconds: number; count: number }
  | { error: string };

let driver: Driver | undefined;

process.on('message', (message: ToHost) => {
  void answer(message)
    .catch((error: unknown): FromHost => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((reply) => process.send?.(reply));
});

async function answer(message: ToHost): Promise<FromHost> {
  if ('open' in message) {
    const { open }: { open: Open } = await import(message.open);
    driver = await open(message.root, message.inputs);
    return { opened: Object.keys(driver.acts) as TaskName[], notes: driver.notes ?? {} };
  }
  const act = driver?.acts[message.task];
  if (act === undefined) throw new Error(`no task is called ${message.task}`);
  const started = performance.now();
  const counter = await act();
  const milliseconds = performance.now() - started;
  return { milliseconds, count: counter() };
}
