import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { onTestFinished } from 'vitest';
import { SERVER } from '../helpers/process.ts';
import { openService, type ServiceSettings, serviceAt } from '../helpers/service.ts';
import { plant, type Tree } from '../helpers/tree.ts';

/** Revisions of the protocol: one that begins with a handshake, and one in which each request stands alone. */
export type Revision = '2025-11-25' | '2026-07-28';

/** How a client comes to the service. */
export type Way = 'HTTP' | 'stdio';

export const WAYS: readonly (readonly [Way, Revision])[] = [
  ['HTTP', '2025-11-25'],
  ['HTTP', '2026-07-28'],
  ['stdio', '2025-11-25'],
  ['stdio', '2026-07-28'],
];

/** RFC 3339, section 5.6, as far as replies use it. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** A client of the service over a tree, for all tests of a suite, which ends both when it is over. */
export async function share(tree: Tree, way: Way, revision: Revision) {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-'));
  const root = plant(tree, folder);
  const app = way === 'HTTP' ? await openService(root) : undefined;
  const transport = app === undefined ? toChild(root, []) : toAddress(await app.listen({ host: '127.0.0.1', port: 0 }));
  const client = await connected(transport, revision);
  const end = async () => {
    await client.close();
    await app?.close();
    rmSync(folder, { recursive: true });
  };
  return { client, end };
}

/** The service over a host path, listening in this process; gives its address. */
export async function listen(root: string, settings: ServiceSettings = {}): Promise<string> {
  const { app } = await serviceAt(root, settings);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** A client of the service at an address, connected. */
export function overHttp(address: string, revision: Revision, headers: Record<string, string> = {}): Promise<Client> {
  return forTest(toAddress(address, headers), revision);
}

/** The built service as a child process of a client, connected, and its process id. */
export async function overStdio(root: string, revision: Revision, args: readonly string[] = []) {
  const transport = toChild(root, args);
  const client = await forTest(transport, revision);
  return { client, pid: transport.pid ?? 0 };
}

function toAddress(address: string, headers: Record<string, string> = {}): Transport {
  return new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } });
}

function toChild(root: string, args: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [SERVER, 'mcp', '--root', root, ...args],
    env: { HOME: '/nonexistent' },
    stderr: 'pipe',
  });
}

async function forTest(transport: Transport, revision: Revision): Promise<Client> {
  onTestFinished(() => transport.close());
  return connected(transport, revision);
}

async function connected(transport: Transport, revision: Revision): Promise<Client> {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: results are read as tests expect them
export type Result = any;

/** The text of a tool's result. */
export function textOf({ content }: Result): string {
  return content.map(({ text }: { text: string }) => text).join('');
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: { 'date-time': DATE_TIME } });
const validators = new WeakMap<object, ValidateFunction>();

/** What of a value does not fit a schema of JSON Schema 2020-12 that keeps to the book; null when all does. */
export function faultOf(schema: object, value: unknown): string | null {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}
