import { type Bounds, DEFAULT_BOUNDS } from '../bounds.ts';
import { Busy, type CatalogueError, NotFound, withMembers } from '../errors.ts';
import { type AskedPath, parsePath, parsePathBytes } from './asked-path.ts';
import { folderSize } from './folder-size.ts';
import { linkTarget } from './link-target.ts';
import { type Kind, kindOf } from './listing.ts';
import { type Bytes, toBytes } from './names.ts';
import { FileOpener, type LocatedFile, openFile, readFirstLines, requireDirectory } from './open.ts';
import type { Policy } from './policy.ts';
import { type Located, resolve } from './resolve.ts';
import type { Root } from './root.ts';
import { suggest } from './suggest.ts';
import type { TreeCache } from './tree-cache.ts';
import { type Found, type Share, type Skip, Walk, type WalkQuery } from './walk.ts';

const AGENTIGNORE = '.agentignore';
const AGENTIGNORE_MAX_BYTES = 64 * 1024;
const AGENTIGNORE_IS_CUT = `the workspace's ${AGENTIGNORE} is larger than 64 KiB; its rules after that block nothing`;

/** Where an input says to start: a virtual path, or the same in base64. */
export interface PathInput {
  path?: string;
  pathBytes?: string;
}

export interface WorkspaceOptions {
  /** The most that a read may answer with, in bytes of UTF-8. */
  maxReadBytes: number;
  /** What a request may cost; the defaults, without. */
  bounds?: Bounds;
  /** Is told what the operator should know of the workspace, at each request again. */
  warn?: (text: string) => void;
  /** Listings of folders to be used again, by all requests of a thread. */
  cache?: TreeCache | undefined;
  /** Walks are confined to this part, which a walk in another thread gave away. */
  part?: Part | undefined;
}

/** Part of a request's walk, with what that request knows and another thread may not find again. */
export interface Part {
  /** Where the walk started, as it was asked for and really. */
  start: Pick<Located, 'shown' | 'real'> & Pick<Located['stats'], 'dev' | 'ino'>;
  folders: Share;
  /** The root's `.agentignore` as it stood when the request came. */
  agentignore: string | undefined;
}

/**
 * The tree that callers may read. Nothing outside the root and nothing that the
 * policy blocks comes out of any of its methods, also while another process
 * changes the tree. One instance serves one request: it holds the policy as it
 * stood when the request came.
 */
export class Workspace {
  /** The most that a read may answer with, in bytes of UTF-8. */
  readonly maxReadBytes: number;
  /** What a request may cost. */
  readonly bounds: Bounds;
  readonly #root: Root;
  readonly #policy: Policy;
  readonly #cache: TreeCache | undefined;
  readonly #part: Part | undefined;
  readonly #agentignore: string | undefined;
  /** The first walk that began, and where. */
  #walk: { walk: { split(): Share }; start: Part['start'] } | undefined;

  private constructor(root: Root, policy: Policy, agentignore: string | undefined, options: WorkspaceOptions) {
    this.#root = root;
    this.#policy = agentignore === undefined ? policy : policy.extendedBy(agentignore);
    this.#agentignore = agentignore;
    this.#cache = options.cache;
    this.#part = options.part;
    this.maxReadBytes = options.maxReadBytes;
    this.bounds = options.bounds ?? DEFAULT_BOUNDS;
  }

  /** The workspace under the operator's policy and what the root's `.agentignore` adds at this moment. */
  static at(root: Root, policy: Policy, options: WorkspaceOptions): Workspace {
    if (options.part !== undefined) return new Workspace(root, policy, options.part.agentignore, options);
    const added = readFirstLines(root.handle, AGENTIGNORE, AGENTIGNORE_MAX_BYTES);
    if (added?.isCut === true) options.warn?.(AGENTIGNORE_IS_CUT);
    return new Workspace(root, policy, added?.text, options);
  }

  /**
   * Finds and holds what a caller's path leads to; the caller closes its
   * handle. Throws PATH_INVALID, PATH_BLOCKED, PATH_OUTSIDE_ROOT, NOT_FOUND
   * (with suggestions), NOT_A_DIRECTORY, PERMISSION_DENIED, SYMLINK_LOOP.
   */
  locate(input: PathInput): Located {
    if (this.#part !== undefined) return this.#locatePart(this.#part.start);
    const asked = input.pathBytes === undefined ? parsePath(input.path ?? '') : parsePathBytes(input.pathBytes);
    try {
      return resolve(this.#root, this.#policy, asked);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      const below = this.#root.below(asked.segments);
      if (below === undefined) throw this.#withSuggestions(error, asked.segments);
      return this.#locateHostPath({ ...asked, segments: below });
    }
  }

  /** Locates a folder; throws NOT_A_DIRECTORY for anything else. */
  locateDirectory(input: PathInput): Located {
    const located = this.locate(input);
    try {
      requireDirectory(located);
    } catch (error) {
      located.handle.close();
      throw error;
    }
    return located;
  }

  /** Locates and opens a regular file; the caller closes it. Throws NOT_A_FILE for anything else. */
  openFile(input: PathInput): LocatedFile {
    const located = this.locate(input);
    try {
      return openFile(located);
    } finally {
      located.handle.close();
    }
  }

  /** See `Walk`. `start` stays the caller's to close. */
  walk<S>(start: Located, query: WalkQuery<S>, skip: Skip, signal?: AbortSignal): Generator<Found[], void> {
    const tree = { root: this.#root, policy: this.#policy, cache: this.#cache };
    const walk = new Walk(tree, start, query, skip, { share: this.#part?.folders, signal });
    const { shown, real, stats } = start;
    this.#walk ??= { walk, start: { shown, real, dev: stats.dev, ino: stats.ino } };
    return walk.found();
  }

  /** Gives away part of the walk under way; undefined when there is nothing to give. */
  split(): Part | undefined {
    const folders = this.#walk?.walk.split() ?? [];
    if (this.#walk === undefined || folders.length === 0) return undefined;
    return { start: this.#walk.start, folders, agentignore: this.#agentignore };
  }

  /** Opens the files that a walk from `start` found, by the names below it. */
  openerAt(start: Located): FileOpener {
    return new FileOpener(start.handle);
  }

  /** The bytes of the regular, allowed files below a folder; undefined when it cannot be opened or `signal` ends it. */
  async folderSize(path: Bytes, signal: AbortSignal): Promise<number | undefined> {
    const located = this.#tryResolve(namesOf(path));
    if (located === undefined) return undefined;
    try {
      return await folderSize(located.handle, this.#policy.at(located.real), signal);
    } finally {
      located.handle.close();
    }
  }

  /** The virtual path that the link at `path` names, when all of it stays inside and is allowed. */
  linkTarget(path: Bytes): string | undefined {
    return linkTarget(this.#root, this.#policy, namesOf(path));
  }

  /** Whether a path of these names, decoded, is blocked: what is looked for under it is as if it were not there. */
  blocks(names: readonly string[]): boolean {
    return this.#policy.blocks(names.map(toBytes));
  }

  /** Whether the names lead to a regular, allowed file without passing a link. */
  isFile(names: readonly Bytes[]): boolean {
    const located = this.#tryResolve(names);
    located?.handle.close();
    return (
      located?.stats.isFile() === true &&
      located.real.length === names.length &&
      located.real.every((name, at) => name === names[at])
    );
  }

  /** Finds again where the walk started that gave a part away; the caller's path may lead elsewhere by now. */
  #locatePart({ shown, real, dev, ino }: Part['start']): Located {
    const located = this.#tryResolve(real);
    if (located?.stats.dev === dev && located.stats.ino === ino) return { ...located, shown };
    located?.handle.close();
    throw new Busy('The folder was replaced while it was being searched. Try again.');
  }

  #locateHostPath(asked: AskedPath): Located {
    try {
      return resolve(this.#root, this.#policy, asked);
    } catch (error) {
      throw error instanceof NotFound ? this.#withSuggestions(error, asked.segments) : error;
    }
  }

  #tryResolve(segments: readonly Bytes[]): Located | undefined {
    try {
      return resolve(this.#root, this.#policy, { segments, directoryOnly: false });
    } catch {
      return undefined;
    }
  }

  #kindAt(names: readonly Bytes[]): Kind | undefined {
    const located = this.#tryResolve(names);
    located?.handle.close();
    return located === undefined ? undefined : kindOf(located.stats);
  }

  #withSuggestions(error: CatalogueError, missing: readonly Bytes[]): CatalogueError {
    const suggestions = suggest(this.#root.handle, this.#policy, missing, (names) => this.#kindAt(names));
    return suggestions.length === 0 ? error : withMembers(error, { suggestions });
  }
}

function namesOf(path: Bytes): Bytes[] {
  return path.split('/').filter((name) => name !== '');
}
