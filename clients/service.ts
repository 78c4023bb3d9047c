import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LARGE, TREE } from './answers.ts';

const SERVER = fileURLToPath(new URL('../dist/src/server.js', import.meta.url));
const LISTENING = /"listening on (http:[^\s,]+),/;

/** Every client has to send it. */
export const TOKEN = 'a-token-of-the-clients';

export interface Service {
  baseUrl: string;
  stop(): Promise<void>;
}

/** The built service over a tree of its own, on a free port. */
export async function startService(): Promise<Service> {
  const root = plant();
  const child = spawn(process.execPath, [SERVER, '--root', root, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', FS_TOKEN: TOKEN },
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(root, { recursive: true });
  };
  try {
    return { baseUrl: await addressIn(child.stdout), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The address in the log, which is read to its end: the service would wait for its reader. */
function addressIn(log: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: log });
    lines.on('line', (line) => {
      const address = LISTENING.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    lines.on('close', () => reject(new Error("the service ended at its start; 'npm run build' makes it")));
  });
}

function plant(): string {
  const root = mkdtempSync(join(tmpdir(), 'fs-sidecar-clients-'));
  for (const [path, content] of Object.entries(TREE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  writeFileSync(join(root, LARGE.name), '');
  truncateSync(join(root, LARGE.name), LARGE.size);
  return root;
}
