import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Rules } from '../../src/text/rules.ts';
import type { Found, Select, WalkQuery } from '../../src/workspace/walk.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { pathsOf, type Reply, runnerOf, runnerOn, workspaceAt, workspaceOf } from '../helpers/operations.ts';
import { canBeUnprivileged, descriptorsOf, hasProc, UNPRIVILEGED } from '../helpers/proc.ts';
import { SERVER, start } from '../helpers/process.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

const EVERYTHING: Select<true> = {
  start: true,
  wanted: (_, names) => names.map(() => true),
  enter: () => true,
};

/** Starts a walk; `close` is what its caller has to do when it is done. */
function walking(workspace: Workspace, path = '/', more: Partial<WalkQuery<true>> = {}, signal?: AbortSignal) {
  const located = workspace.locate({ path });
  const query: WalkQuery<true> = {
    order: 'path',
    depth: Number.POSITIVE_INFINITY,
    hidden: true,
    gitignore: false,
    exclude: new Rules([]),
    type: 'any',
    details: false,
    select: EVERYTHING,
    ...more,
  };
  const skipped: string[] = [];
  const found = workspace.walk(located, query, (reason, at) => skipped.push(`${reason} ${at}`), signal);
  return { found, skipped, close: () => located.handle.close() };
}

function walked(workspace: Workspace, path?: string, more?: Partial<WalkQuery<true>>): string[] {
  const { found, close } = walking(workspace, path, more);
  try {
    return [...found].flat().map(({ text }) => text);
  } finally {
    close();
  }
}

describe('the order of a walk', () => {
  it('is depth first, a folder before what it holds, names by code points', () => {
    const names = ['B', 'a', 'a-b', 'a.txt', 'a/b', 'a/b-', 'a/b.c/d', 'é', '\uffff', '😀'];
    const tree = Object.fromEntries(names.filter((name) => name !== 'a').map((name) => [name, '']));
    expect(walked(workspaceOf(tree))).toEqual([
      '/B',
      '/a',
      '/a/b',
      '/a/b-',
      '/a/b.c',
      '/a/b.c/d',
      '/a-b',
      '/a.txt',
      '/é',
      '/\uffff',
      '/😀',
    ]);
  });

  it('is as found when it does not matter, with the same entries', () => {
    const tree = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`d${at % 7}/f${at}`, '']));
    const workspace = workspaceOf(tree);
    expect(walked(workspace, '/', { order: 'none' }).sort()).toEqual(walked(workspace).sort());
  });

  it('goes as deep as it was asked to', () => {
    const workspace = workspaceOf({ 'a/b/c/d': '' });
    expect([1, 2, 3].map((depth) => walked(workspace, '/', { depth }).at(-1))).toEqual(['/a', '/a/b', '/a/b/c']);
  });
});

describe('the batches of a walk', () => {
  const foldersOf = (count: number, file: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${1000 + at}/${file}`, '']));
  const sizesOf = (tree: Tree, more: Partial<WalkQuery<true>>) => {
    const { found, close } = walking(workspaceOf(tree), '/', { type: 'file', ...more });
    const sizes = [...found].map(({ length }) => length);
    close();
    return sizes;
  };

  it.each(['path', 'none'] as const)(
    'take few folders at first, and more each time up to a bound, in order: %s',
    (order) => {
      expect(sizesOf(foldersOf(200, 'f'), { order })).toEqual([3, 8, 16, 32, 64, 64, 13]);
    },
  );

  it('take few entries at first, and more each time up to a bound', () => {
    const names = Array.from({ length: 700 }, (_, at) => [`f${at}`, '']);
    expect(sizesOf(Object.fromEntries(names), {})).toEqual([16, 32, 64, 128, 256, 204]);
  });

  it('come with the first entry when it was long in coming', () => {
    const select = { ...EVERYTHING, wanted: (_: true, names: readonly string[]) => names.map((name) => name === 'g') };
    expect(sizesOf({ ...foldersOf(100, 'f'), 'd1070/g': '' }, { select })).toEqual([0, 1, 0]);
  });
});

describe('a walk that takes long to match ignore files', () => {
  const names = Array.from({ length: 400 }, (_, at) => (at % 4 === 0 ? `ignored${at}` : `f${at}`));
  const tree = {
    ...Object.fromEntries(names.map((name) => [`d${name.length}/${name}`, ''])),
    '.gitignore': 'ignored*',
  };

  /** Lets each look at the clock find it so much later. */
  function withClock(step: number): void {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += step;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
  }

  /** The first batch that holds anything, what was skipped until then, and how many batches that took. */
  function beginning(step: number) {
    withClock(step);
    const { close, found, skipped } = walking(workspaceOf(tree), '/', { gitignore: true });
    let batches = 0;
    for (const batch of found) {
      batches += 1;
      if (batch.length === 0) continue;
      close();
      return { batches, seen: { paths: batch.map(({ text }) => text), skipped: [...skipped] } };
    }
    throw new Error('it found nothing');
  }

  it('is cut at the same place however long it takes, with pauses', () => {
    const [fast, slow] = [beginning(0), beginning(100)];
    expect(slow.seen).toEqual(fast.seen);
    expect([fast.batches, fast.seen.skipped.length > 10, slow.batches > 50]).toEqual([1, true, true]);
  });

  it('gives what it has gathered when it is told to end', () => {
    withClock(100);
    const ending = new AbortController();
    const { close, found } = walking(workspaceOf(tree), '/', { gitignore: true }, ending.signal);
    const batches: Found[][] = [];
    for (const batch of found) {
      batches.push(batch);
      if (batches.length === 20) ending.abort();
    }
    close();
    expect(batches.slice(0, -1).flat()).toEqual([]);
    expect(batches.at(-1)?.length).toBeGreaterThan(0);
    expect(batches.length).toBeLessThan(24);
  });
});

describe('a walk and links', () => {
  it.each<[title: string, tree: Tree, paths: string[]]>([
    ['W01: names a link to outside and does not enter it', { dl: { linkTo: '../out' }, '../out/f': '' }, ['/dl']],
    ['W02: names a link to a folder inside once', { 'd/f': '', dl: { linkTo: 'd' } }, ['/d', '/d/f', '/dl']],
    [
      'W03: ends where a link leads up',
      { 'd/loop': { linkTo: '..' }, 'd/self': { linkTo: '.' } },
      ['/d', '/d/loop', '/d/self'],
    ],
  ])('%s', (_, tree, paths) => {
    expect(walked(workspaceOf(tree))).toEqual(paths);
  });

  it('starts at the end of a link that is asked for, and shows paths as they were asked', () => {
    expect(walked(workspaceOf({ 'd/e/f': '', l: { linkTo: 'd' } }), 'l')).toEqual(['/l/e', '/l/e/f']);
  });

  it('passes what is blocked under the path as it was asked, and as it really is', () => {
    const tree: Tree = { 'd/a': '', 'd/b': '', 'd/c': '', l: { linkTo: 'd' } };
    expect(walked(workspaceOf(tree, { policy: ['/l/a', '/d/b'] }), 'l')).toEqual(['/l/c']);
  });
});

describe('a walk and what is no regular file', () => {
  it('W09: tells its kind and does not open it', async () => {
    const { ls } = runnerOn({ p: { fifo: true }, f: '', d: null, l: { linkTo: 'f' } });
    const { entries } = await ls();
    expect(entries.map(({ path, type }: Reply) => [path, type])).toEqual([
      ['/d/', 'directory'],
      ['/f', 'file'],
      ['/l', 'symlink'],
      ['/p', 'other'],
    ]);
  });

  it('W08: gives names with control characters as they are, and names that are no text with their bytes', async () => {
    const root = plant({ 'a\nb': '', 'a\tb': '', 'a\u001b[31mb': '' });
    const names = ['a\xffb', 'a\xfeb'];
    for (const name of names) {
      const bytes = Buffer.from(name, 'latin1');
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), bytes);
    }
    const { ls, read } = runnerOf(workspaceAt(root));
    const { entries } = await ls();
    expect(pathsOf({ entries })).toEqual(['/a\tb', '/a\nb', '/a\u001b[31mb', '/a\ufffdb', '/a\ufffdb']);
    const bytes = entries.map(({ path_bytes: text }: Reply) => text).filter((text: unknown) => text !== undefined);
    expect(bytes.map((text: string) => Buffer.from(text, 'base64').toString('latin1'))).toEqual(['/a\xfeb', '/a\xffb']);
    for (const pathBytes of bytes) {
      const { content } = await read({ pathBytes, as: 'base64' });
      expect(`/${Buffer.from(content, 'base64').toString('latin1')}`).toBe(
        Buffer.from(pathBytes, 'base64').toString('latin1'),
      );
    }
  });
});

describe('a walk and the policy', () => {
  it.each<[title: string, blocked: Tree]>([
    ['W05: a blocked folder', { '.ssh/id': '', '.ssh/sub/x': '' }],
    ['W11: blocked names in other cases', { '.ENV': '', '.Ssh/f': '', Id_RSA: '' }],
    ['a blocked link', { '.env': { linkTo: 'a' } }],
    ['a blocked FIFO', { '.env': { fifo: true } }],
    ['a blocked file below an excluded folder', { 'node_modules/.env': '' }],
  ])('W10: %s changes no count and no end', async (_, blocked) => {
    const tree: Tree = { a: '', 'd/b': '', 'node_modules/c': '' };
    const [without, withBlocked] = [runnerOn(tree), runnerOn({ ...tree, ...blocked })];
    const requests: [('ls' | 'glob' | 'find')[], Record<string, unknown>] = [
      ['ls', 'glob', 'find'],
      { showDetails: false, maxResults: 2 },
    ];
    for (const operation of requests[0]) {
      for (const maxResults of [1, 2, 3, 100]) {
        const given = { maxResults, ...(operation === 'ls' ? { recursive: true } : { pattern: '*', type: 'any' }) };
        const [one, other] = await Promise.all([without[operation](given), withBlocked[operation](given)]);
        expect([pathsOf(other), other.truncated, other.skipped]).toEqual([pathsOf(one), one.truncated, one.skipped]);
      }
    }
  });

  it.skipIf(!canBeUnprivileged)('W05: does not as much as open a blocked folder', async () => {
    const root = plant({ '.ssh/id': '', f: '', 'denied/x': '' });
    for (const name of ['.ssh', 'denied']) closed(join(root, name));
    chmodSync(join(root, '..'), 0o755);
    const service = await start(root, { as: UNPRIVILEGED });
    const { skipped } = (await service.ask('/ls?recursive=true')).json();
    expect(skipped.unreadable).toBe(1);
  });
});

/** Takes all rights from a file or folder until the test is over. */
function closed(path: string, mode = 0): void {
  chmodSync(path, mode);
  onTestFinished(() => chmodSync(path, 0o700));
}

describe.skipIf(!canBeUnprivileged)(
  canBeUnprivileged ? 'a walk and rights' : 'a walk and rights (SKIPPED: needs a user without privileges)',
  () => {
    it.each(['/ls?recursive=true', '/glob?pattern=**', '/find?pattern=*', '/grep?pattern=needle'])(
      'W04: %s counts a folder that may not be read, and shows the others',
      async (request) => {
        const root = plant({ 'a/f': 'needle', 'b/f': 'needle', 'c/f': 'needle' });
        closed(join(root, 'b'));
        chmodSync(join(root, '..'), 0o755);
        const service = await start(root, { as: UNPRIVILEGED });
        const reply = (await service.ask(request)).json();
        expect(pathsOf(reply)).toEqual(expect.arrayContaining(['/a/f', '/c/f']));
        expect(reply.skipped.unreadable).toBe(1);
      },
    );

    it.each([
      '/ls?path=d',
      '/glob?pattern=*&path=d',
      '/grep?pattern=needle&path=d',
      '/grep?pattern=needle&isRegex=true&path=d',
      '/ls?path=d&folderSizes=true',
    ])('%s of a folder that may be listed but not entered does not fail', async (request) => {
      const root = plant({ 'd/f': 'needle', 'd/e/f': 'needle' });
      closed(join(root, 'd'), 0o444);
      chmodSync(join(root, '..'), 0o755);
      const service = await start(root, { as: UNPRIVILEGED });
      expect((await service.ask(request)).status).toBeLessThan(500);
    });

    it('a folder that may not be read is refused when it is what is asked for', async () => {
      const root = plant({ 'd/f': '' });
      closed(join(root, 'd'));
      chmodSync(join(root, '..'), 0o755);
      const service = await start(root, { as: UNPRIVILEGED });
      expect((await service.ask('/ls?path=d')).json().code).toBe('PERMISSION_DENIED');
    });
  },
);

describe('a walk of a large or deep tree', () => {
  it('W06: lists the first of 20,000 entries, and counts them all', async () => {
    const root = plant({});
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(root, `f${String(at).padStart(5, '0')}`), '');
    const { glob, ls } = runnerOf(workspaceAt(root));
    const some = await ls({ maxResults: 100 });
    expect([some.count, some.truncated_by, some.entries[99].path]).toEqual([100, 'maxResults', '/f00099']);
    expect((await glob({ pattern: '*', showDetails: false })).count).toBe(20_000);
  });

  it.skipIf(!hasProc)('W07: reaches the bottom of 4,000 folders with few descriptors', () => {
    const workspace = workspaceAt(deepTree(4_000));
    const before = descriptorsOf(process.pid);
    const { found, close } = walking(workspace);
    const open = new Set<number>();
    let last: Found | undefined;
    for (const batch of found) {
      open.add(descriptorsOf(process.pid));
      last = batch.at(-1) ?? last;
    }
    close();
    expect(last?.text.split('/').length).toBe(4_001);
    expect(Math.max(...open) - before).toBeLessThan(64);
    expect(descriptorsOf(process.pid)).toBe(before);
  });

  it('W07: gives the whole paths of 300 folders', async () => {
    const { glob } = runnerOf(workspaceAt(deepTree(300)));
    const reply = await glob({ pattern: '**', type: 'directory' });
    expect([reply.count, reply.matches.at(-1).path]).toEqual([300, `/${'d/'.repeat(300)}`]);
  });

  it('reads ignore rules in each of 300 folders', async () => {
    const root = deepTree(300);
    writeFileSync(join(root, 'd/d/d/.gitignore'), '*.log');
    writeFileSync(join(root, `${'d/'.repeat(250)}x.log`), '');
    const { glob } = runnerOf(workspaceAt(root));
    expect(await glob({ pattern: '**/*.log', gitignore: true })).toMatchObject({ count: 0, skipped: { ignored: 1 } });
  });
});

/** So many folders in each other, made and taken away from the outside in, since no path may be so long. */
function deepTree(levels: number): string {
  const root = plant({ d: null });
  const [top, spare] = [join(root, 'd'), join(root, 'spare')];
  for (let level = 1; level < levels; level += 1) {
    mkdirSync(spare);
    renameSync(top, join(spare, 'd'));
    renameSync(spare, top);
  }
  onTestFinished(() => {
    while (existsSync(join(top, 'd/d'))) {
      renameSync(join(top, 'd'), spare);
      rmSync(top, { recursive: true });
      renameSync(spare, top);
    }
  });
  return root;
}

describe('a walk of a tree that changes', () => {
  /** More folders than one batch takes. */
  const many = (): string => plant(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${1000 + at}/f`, ''])));

  it('goes on when folders that it has not entered yet vanish', () => {
    const root = many();
    const { found, skipped, close } = walking(workspaceAt(root));
    found.next();
    for (let at = 100; at < 300; at += 1) rmSync(join(root, `d${1000 + at}`), { recursive: true });
    const rest = [...found].flat().map(({ text }) => text);
    close();
    expect(rest.at(-1)).toBe('/d1299');
    expect(rest).not.toContain('/d1299/f');
    expect(skipped).toEqual([]);
  });

  it('does not enter a folder that has become a link to outside', () => {
    const root = many();
    mkdirSync(join(root, '../out'));
    writeFileSync(join(root, '../out/OUTSIDE'), '');
    const { found, close } = walking(workspaceAt(root));
    found.next();
    rmSync(join(root, 'd1299'), { recursive: true });
    symlinkSync('../out', join(root, 'd1299'));
    const rest = [...found].flat().map(({ text }) => text);
    close();
    expect(rest.slice(-2)).toEqual(['/d1298/f', '/d1299']);
  });

  it('goes on in the folder that it holds when that is renamed', () => {
    const root = plant(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d/d${1000 + at}/f`, ''])));
    const { found, close } = walking(workspaceAt(root));
    found.next();
    renameSync(join(root, 'd'), join(root, 'moved'));
    const rest = [...found].flat().map(({ text }) => text);
    close();
    expect(rest.at(-1)).toBe('/d/d1299/f');
  });

  it.skipIf(!hasProc).each<[how: string, end: (found: Generator<Found[], void>) => unknown]>([
    ['it is returned', (found) => found.return()],
    ['its consumer throws', (found) => expect(() => found.throw(new Error('enough'))).toThrow('enough')],
    ['it is not gone on with after its end', (found) => [...found]],
  ])('holds nothing any more when %s', (_, end) => {
    const workspace = workspaceAt(many());
    const before = descriptorsOf(process.pid);
    const { found, close } = walking(workspace);
    found.next();
    end(found);
    close();
    expect(descriptorsOf(process.pid)).toBe(before);
  });

  it.skipIf(!hasProc)('holds nothing any more when its filter throws', () => {
    const workspace = workspaceOf({ 'a/b/c/bad': '' });
    const before = descriptorsOf(process.pid);
    const wanted: Select<true>['wanted'] = (_, names) => {
      if (names.includes('bad')) throw new Error('no');
      return names.map(() => true);
    };
    expect(() => walked(workspace, '/', { select: { ...EVERYTHING, wanted } })).toThrow('no');
    expect(descriptorsOf(process.pid)).toBe(before);
  });
});

describe('a walk of a tree that means harm', () => {
  it('ends at its time limit when a .gitignore takes long for each name', { timeout: 20_000 }, async () => {
    const root = plant({ '.gitignore': '*[a]*[b]*x\n'.repeat(90_000) });
    for (let at = 0; at < 300; at += 1) writeFileSync(join(root, `${'ab'.repeat(100)}${at}`), '');
    const { run } = runnerOf(workspaceAt(root));
    const reply = JSON.parse(await run('ls', { gitignore: true, showDetails: false }, { timeoutMs: 2_000 }));
    expect(reply.entries.length + reply.skipped.ignored).toBeLessThanOrEqual(301);
  });

  it('lists a folder of links that take long to follow within its time limit', { timeout: 20_000 }, async () => {
    const root = plant({ a: null, f: '' });
    for (let at = 0; at < 39; at += 1) symlinkSync(`${'a/../'.repeat(800)}l${at + 1}`, join(root, `l${at}`));
    for (let at = 0; at < 300; at += 1) symlinkSync('l0', join(root, `m${at}`));
    const { run } = runnerOf(workspaceAt(root));
    const reply = JSON.parse(await run('ls', {}, { timeoutMs: 2_000 }));
    expect(reply.count).toBeLessThanOrEqual(341);
  });
});

const canMountApart = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.skipIf(!canMountApart)(
  canMountApart ? 'a walk and mounts' : 'a walk and mounts (SKIPPED: needs the right to mount, as root has it)',
  () => {
    /** The service with a proc file system and another one mounted inside its root, in mounts of its own. */
    function reply(root: string, request: string): Reply {
      const script = `
        mount -t proc proc "$1/d/proc" && mount -t tmpfs tmpfs "$1/d/disk" && echo needle > "$1/d/disk/f" || exit 9
        "$2" "$3" --root "$1" --socket "$1.sock" --log-level silent &
        "$2" -e '
          const http = require("http"), [socketPath, path] = process.argv.slice(1);
          const ask = () => http.get({ socketPath, path, headers: { host: "localhost" } }, (r) => r.pipe(process.stdout))
            .on("error", () => setTimeout(ask, 20));
          ask();
        ' "$1.sock" "$4"
        kill $!
      `;
      const args = ['--mount', 'sh', '-c', script, 'sh', root, process.execPath, SERVER, request];
      return JSON.parse(execFileSync('unshare', args, { encoding: 'utf8', timeout: 20_000 }));
    }

    const mounted = (): string => plant({ 'd/proc': null, 'd/disk': null, f: 'needle\n' }, scratch());

    it('does not enter what the kernel shows', () => {
      const paths = pathsOf(reply(mounted(), '/ls?recursive=true'));
      expect(paths).toEqual(['/d/', '/d/disk/', '/d/disk/f', '/d/proc/', '/f']);
    });

    it('does not search what the kernel shows', () => {
      expect(reply(mounted(), '/grep?pattern=Linux').count).toBe(0);
    });

    it('does not count what the kernel shows in the size of a folder', () => {
      const { entries } = reply(mounted(), '/ls?folderSizes=true');
      expect(entries.map(({ path, size }: Reply) => [path, size])).toEqual([
        ['/d/', 7],
        ['/f', 7],
      ]);
    });

    it.each([
      '/read?path=d/proc/version',
      '/ls?path=d/proc',
      '/read?path=d/proc/self/environ',
      '/grep?pattern=x&path=d/proc',
    ])('refuses %s', (request) => {
      expect(reply(mounted(), request)).toMatchObject({ code: 'PERMISSION_DENIED' });
    });

    it('W12: goes on in another file system that is mounted inside', () => {
      expect(pathsOf(reply(mounted(), '/grep?pattern=needle'))).toEqual(['/d/disk/f', '/f']);
    });
  },
);
