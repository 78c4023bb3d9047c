import { accessSync, constants, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve as resolveHostPath } from 'node:path';
import { Handle } from './handle.ts';
import { isKernelInterface } from './mounts.ts';
import { type Bytes, toBytes, toSystem, toText } from './names.ts';

/** The top of the workspace, pinned: whatever is renamed or mounted over its name later, it stays this folder. */
export class Root {
  readonly handle: Handle;
  readonly #spellings: readonly (readonly Bytes[])[];

  constructor(handle: Handle, hostPaths: readonly Bytes[]) {
    this.handle = handle;
    this.#spellings = hostPaths.map(names);
  }

  /** A handle of the root that its holder may close. */
  hold(): Handle {
    return Handle.ofHostPath(toBytes(String(this.handle.self)));
  }

  /** The names below the root in an absolute host path, or undefined when the path is not spelled below it. */
  below(hostPath: readonly Bytes[]): readonly Bytes[] | undefined {
    const spelling = this.#spellings.find((prefix) => prefix.every((name, at) => hostPath[at] === name));
    return spelling === undefined ? undefined : hostPath.slice(spelling.length);
  }
}

/** Why a folder cannot be the root; the message is one line for the operator. */
export class RootRefused extends Error {}

/** A root in a form that can be handed to a worker thread of this process. */
export interface RootReference {
  held: Handle['reference'];
  hostPaths: readonly Bytes[];
}

/** Refused as they stand: whole systems, and the homes of everybody. */
const REFUSED_FOLDERS = new Set(
  '/ /home /root /usr /usr/local /var /var/lib /mnt /media /opt /srv /tmp /Users /System /Library'.split(' '),
);
/** Refused with everything below: configuration, programs, and what the kernel shows. */
const REFUSED_TREES =
  '/etc /proc /sys /dev /boot /run/secrets /bin /sbin /lib /lib64 /usr/bin /usr/sbin /usr/lib /usr/share /private/etc'.split(
    ' ',
  );
/** Refused wherever they stand, with everything below: where tools keep keys. */
const REFUSED_NAMES = '.ssh .gnupg .aws .azure .kube .docker .config/gcloud .terraform.d .password-store'.split(' ');

/**
 * Opens the root at the host path `path` and pins it. Throws RootRefused for
 * what is no folder, and, unless `insist`, for system and home folders, after
 * resolving links.
 */
export function openRoot(path: string, insist: boolean): RootReference {
  const given = resolveHostPath(path);
  const handle = openFolder(given, path);
  try {
    // Asked of what is open: the name may lead elsewhere by now.
    const real = handle.hostPath();
    if (!insist) refuseSystemFolder(toText(real), path);
    if (isKernelInterface(handle)) {
      throw new RootRefused(`'${path}' is an interface to the kernel, not a folder to serve`);
    }
    return { held: handle.reference, hostPaths: [...new Set([real, toBytes(given)])] };
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** The root that a reference stands for, in any thread of the process. */
export function toRoot({ held, hostPaths }: RootReference): Root {
  return new Root('fd' in held ? Handle.ofDescriptor(held.fd) : Handle.ofHostPath(held.path), hostPaths);
}

/** What system calls reach the root by: its descriptor, or in best-effort containment its path. */
export function placeOf({ held }: RootReference): number | string | Buffer {
  return 'fd' in held ? held.fd : toSystem(held.path);
}

/** The root's own host path, for the operator alone. */
export function hostPathOf(reference: RootReference): string {
  return toText(reference.hostPaths[0] ?? '/');
}

/** Whether the host path `path` lies in the tree of `folder`, or is it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function openFolder(hostPath: string, path: string): Handle {
  try {
    return Handle.ofHostPath(toBytes(hostPath));
  } catch (cause) {
    const isFile = cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR';
    if (isFile) throw new RootRefused(`'${path}' is not a folder`, { cause });
    throw new RootRefused(`'${path}' cannot be opened: no such folder, or no permission`, { cause });
  }
}

function refuseSystemFolder(real: string, path: string): void {
  const refused =
    REFUSED_FOLDERS.has(real) ||
    real === homePath() ||
    REFUSED_TREES.some((tree) => isInside(real, tree)) ||
    REFUSED_NAMES.some((name) => `${real}/`.includes(`/${name}/`));
  if (refused) {
    throw new RootRefused(`'${path}' is a system or home folder; serve a folder below it, or insist with --allow-root`);
  }
}

function homePath(): string | undefined {
  const home = homedir();
  if (!isAbsolute(home) || home === '/') return undefined;
  try {
    return realpathSync.native(home);
  } catch {
    return home;
  }
}

function names(hostPath: Bytes): readonly Bytes[] {
  return hostPath.split('/').filter((name) => name !== '');
}

/** Why the root cannot be read at this moment, without saying where it lies; undefined when it can. */
export function troubleOf(reference: RootReference): string | undefined {
  const { handle } = toRoot(reference);
  const { gid, mode, nlink, uid } = handle.stats();
  if (nlink === 0) return 'the workspace folder was deleted';
  try {
    accessSync(handle.entry('.'), constants.R_OK | constants.X_OK);
    return undefined;
  } catch {
    const owner = `it belongs to ${uid}:${gid} with mode ${(mode & 0o7777).toString(8)}`;
    return `the workspace cannot be read by uid ${process.getuid?.()} gid ${process.getgid?.()}: ${owner}`;
  }
}
