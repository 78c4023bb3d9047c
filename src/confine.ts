import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { landlockAbi, restrictThread } from './workspace/landlock.ts';
import { placeOf, type RootReference } from './workspace/root.ts';

/** What Node itself reads while it runs: its own process, the limits it runs under, names of hosts, the time zone. */
const NEEDED_BY_NODE = [
  '/proc/self',
  '/sys/fs/cgroup',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/nsswitch.conf',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/lib',
  '/lib64',
  '/usr/lib',
];

/** The package, and the `node_modules` that its dependencies may be in: its own, or the one it is installed in. */
export const PROGRAM_FOLDERS = programFolders(fileURLToPath(import.meta.url));

/**
 * Denies this process, through the kernel, every file but the root, its own
 * program and what Node needs, for reading alone, and all outgoing connections.
 * Called before any other thread is started. Gives Landlock's version.
 */
export function confineProcess(root: RootReference, socket: string | undefined): number {
  restrictThread([
    { at: placeOf(root), access: ['read'] },
    ...PROGRAM_FOLDERS.map((at) => ({ at, access: ['read', 'execute'] as const })),
    ...NEEDED_BY_NODE.map((at) => ({ at, access: ['read'] as const })),
    { at: '/dev/null', access: ['read', 'write'] },
    ...(socket === undefined ? [] : [{ at: dirname(socket), access: ['bind-socket'] as const }]),
  ]);
  return landlockAbi();
}

function programFolders(self: string): string[] {
  const parts = self.split('/');
  const installedIn = parts.lastIndexOf('node_modules');
  const own = join(dirname(self), '..', '..');
  return installedIn === -1 ? [own] : [own, parts.slice(0, installedIn + 1).join('/')];
}
