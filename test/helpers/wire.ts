import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ServiceSettings, serviceOf } from './service.ts';
import type { Tree } from './tree.ts';

/** Bodies need not end in a line break. */
const REPLY = /HTTP\/1\.1 \d{3} /g;

/** What came back on a connection. */
export interface Wire {
  status: number;
  /** Of all replies. */
  statuses: number[];
  body: string;
  all: string;
}

/** The service over a planted tree, listening on a free port, for bytes that no client library sends. */
export async function wireOf(tree: Tree, settings: ServiceSettings = {}) {
  const { app } = await serviceOf(tree, settings);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    // A service that refuses may close before all was sent.
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return {
    app,
    open,
    /** Sends bytes and reads until the service closes the connection. */
    send: async (bytes: string | Buffer): Promise<Wire> => {
      const socket = await open();
      socket.write(bytes);
      return toWire(await text(socket));
    },
  };
}

/** A request's bytes, after which the service is to close the connection. */
export function message(first: string, headers: readonly string[] = ['Host: localhost'], body = ''): string {
  return [first, ...headers, 'Connection: close', '', body].join('\r\n');
}

export function toWire(all: string): Wire {
  const statuses = (all.match(REPLY) ?? []).map((reply) => Number(reply.split(' ')[1]));
  const [, ...rest] = all.split('\r\n\r\n');
  return { status: statuses[0] ?? 0, statuses, body: rest.join('\r\n\r\n'), all };
}
