import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';
import { openRoot, toRoot } from '../../src/workspace/root.ts';
import { TreeCache } from '../../src/workspace/tree-cache.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { pathsOf, runnerOf } from '../helpers/operations.ts';
import { plant, scratch } from '../helpers/tree.ts';

const policy = Policy.of(POLICY_SETS.secrets);
const LONG_AGO = new Date('2020-01-01');

/** A little more than the longest tick of a kernel's clock, in milliseconds. */
const GRAIN = 12;

function workspaces(root: string, maxBytes = 1024 * 1024) {
  const held = toRoot(openRoot(root, false));
  const cache = new TreeCache(maxBytes, GRAIN);
  const cached = Workspace.at(held, policy, { maxReadBytes: 1024, cache });
  const fresh = Workspace.at(held, policy, { maxReadBytes: 1024 });
  return { cache, cached: runnerOf(cached), fresh: runnerOf(fresh) };
}

/** Lets the clock go on until folders that changed before can be remembered. */
async function settle(): Promise<void> {
  await setTimeout(GRAIN + 2);
}

const list = { recursive: true, showDetails: false };

/** Something that can happen to a tree, on a few names so that they meet. */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const place = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'));
const change = fc.oneof(
  fc.record({ do: fc.constant('file' as const), at: place, name }),
  fc.record({ do: fc.constant('folder' as const), at: place, name }),
  fc.record({ do: fc.constant('link' as const), at: place, name }),
  fc.record({ do: fc.constant('remove' as const), at: place, name }),
  fc.record({ do: fc.constant('move' as const), at: place, name, to: place }),
);

function apply(root: string, one: typeof change extends fc.Arbitrary<infer T> ? T : never): void {
  const path = join(root, one.at, one.name);
  try {
    if (one.do === 'file') writeFileSync(path, 'x');
    else if (one.do === 'folder') mkdirSync(path);
    else if (one.do === 'link') symlinkSync('a', path);
    else if (one.do === 'remove') rmSync(path, { recursive: true });
    else renameSync(path, join(root, one.to, one.name));
  } catch {
    // Not every change is possible on every tree.
  }
}

it('every answer equals a fresh walk, whatever is created, moved and deleted between requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      const root = plant({ 'a/b/c/f': 'x', 'b/a': null, 'c/g': 'x' });
      const { cache, cached, fresh } = workspaces(root);
      for (const changes of [[], ...rounds]) {
        await settle();
        await cached.ls(list);
        const before = cache.hits;
        await cached.ls(list);
        expect(cache.hits).toBeGreaterThan(before);
        for (const one of changes) apply(root, one);
        expect(await cached.ls(list)).toEqual(await fresh.ls(list));
        expect(await cached.glob({ pattern: '**/[af]*', type: 'any' })).toEqual(
          await fresh.glob({ pattern: '**/[af]*', type: 'any' }),
        );
      }
    }),
    { numRuns: 60 },
  );
});

it('a change within the same tick of the clock is seen', async () => {
  const root = plant({ 'd/a': 'x' });
  const { cached } = workspaces(root);
  for (let round = 0; round < 200; round += 1) {
    writeFileSync(join(root, 'd', `f${round}`), '');
    const { count } = await cached.ls({ path: 'd' });
    writeFileSync(join(root, 'd', `g${round}`), '');
    expect((await cached.ls({ path: 'd' })).count).toBe(count + 1);
  }
});

it('setting a folder’s time back does not hide a change in it', async () => {
  const root = plant({ 'd/a': 'x' });
  utimesSync(join(root, 'd'), LONG_AGO, LONG_AGO);
  const { cached } = workspaces(root);
  await settle();
  await cached.ls({ path: 'd' });
  writeFileSync(join(root, 'd/b'), 'x');
  utimesSync(join(root, 'd'), LONG_AGO, LONG_AGO);
  expect(pathsOf(await cached.ls({ path: 'd' }))).toEqual(['/d/a', '/d/b']);
});

it('a folder that is replaced by a link to outside is not answered from memory', async () => {
  const folder = scratch();
  const root = plant({ 'd/a': 'x', 'd/e/b': 'x' }, folder);
  const { cached } = workspaces(root);
  await settle();
  await cached.ls({ recursive: true });
  renameSync(join(root, 'd'), join(folder, 'moved'));
  symlinkSync(join(folder, 'moved'), join(root, 'd'));
  expect(pathsOf(await cached.ls({ recursive: true }))).toEqual(['/d']);
});

it('a tree larger than the memory it may take is answered all the same', async () => {
  const root = plant(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at}/f`, 'x'])));
  const { cached, fresh } = workspaces(root, 4096);
  await settle();
  await cached.ls(list);
  expect(await cached.ls(list)).toEqual(await fresh.ls(list));
});
