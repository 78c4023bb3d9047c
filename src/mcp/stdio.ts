import type { ServerLimits } from '../pool/asked.ts';
import type { Pool } from '../pool/pool.ts';
import { toCallTool } from './call.ts';
import { loadStdio } from './sdk.ts';
import { toMcpServer } from './server.ts';

/** Serves the operations as tools over standard input and output, until the client closes them. */
export async function serveOverStdio(pool: Pool, limits: ServerLimits): Promise<void> {
  const call = toCallTool((job, isSearch, signal) => pool.perform(job, isSearch, signal), limits, 'stdio');
  const handle = loadStdio().serveStdio(() => toMcpServer(call));
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
  });
  await handle.close();
  await pool.close();
}
