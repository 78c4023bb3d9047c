import { lstatSync } from 'node:fs';
import { fdir } from 'fdir';
import type { Handle } from './handle.ts';
import { readEntries } from './listing.ts';
import { isKernelInterface } from './mounts.ts';
import { type Bytes, toText } from './names.ts';
import type { PolicyPosition } from './policy.ts';

/**
 * The bytes of the regular files below a held folder, blocked ones left out;
 * undefined when `signal` ends it early. Folders that cannot be read count as
 * empty. The crawl is fdir's, over a `readdir` that is contained: each path
 * fdir asks for is opened component by component below the folder.
 */
export async function folderSize(
  folder: Handle,
  policy: PolicyPosition,
  signal: AbortSignal,
): Promise<number | undefined> {
  const crawl = new ContainedReaddir(folder, policy);
  await new fdir(crawl.options).onlyCounts().withAbortSignal(signal).crawl('/').withPromise();
  return signal.aborted ? undefined : crawl.bytes;
}

class ContainedReaddir {
  bytes = 0;
  readonly #folder: Handle;
  readonly #policy: PolicyPosition;
  readonly #device: number;

  constructor(folder: Handle, policy: PolicyPosition) {
    this.#folder = folder;
    this.#policy = policy;
    this.#device = folder.stats().dev;
  }

  /** fdir's options; it asks for the functions of `node:fs` by their types, of which it calls this one. */
  get options(): object {
    const readdir = (path: string, _options: unknown, done: (error: unknown, entries: unknown[]) => void): void => {
      // One folder a turn of the event loop: the thread is shared with other requests.
      setImmediate(() => {
        try {
          done(null, this.#read(path));
        } catch (error) {
          done(error, []);
        }
      });
    };
    return { fs: { readdir } };
  }

  #read(path: Bytes): unknown[] {
    const names = path.split('/').filter((name) => name !== '');
    const held = this.#folder.openThrough(names);
    try {
      if (held.stats().dev !== this.#device && isKernelInterface(held)) return [];
      const position = names.reduce((above, name) => above.enter(toText(name)), this.#policy);
      const entries = readEntries(held).filter((entry) => !position.blocks(toText(entry.name)));
      for (const entry of entries) {
        if (entry.isFile()) this.bytes += lstatSync(held.entry(entry.name), { throwIfNoEntry: false })?.size ?? 0;
      }
      return entries;
    } finally {
      if (held !== this.#folder) held.close();
    }
  }
}
