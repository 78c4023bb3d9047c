import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { fnmatchRules } from '../../src/operations/patterns.ts';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';
import { openRoot, toRoot } from '../../src/workspace/root.ts';
import { isProvable, TreeCache } from '../../src/workspace/tree-cache.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { CAN_BE_DENIED, underFileModes } from '../helpers/denied.ts';
import { pathsOf, runnerOf } from '../helpers/operations.ts';
import { descriptorsOf, hasProc } from '../helpers/proc.ts';
import { plant, scratch } from '../helpers/tree.ts';

const policy = Policy.of(POLICY_SETS.secrets);
const LONG_AGO = new Date('2020-01-01');

/** A little more than the longest tick of a kernel's clock, in milliseconds. */
const GRAIN = 12;

/** Two ways to ask of a tree: with a memory, and without. As each request does, both read the policy anew. */
function askers(root: string, maxBytes = 1024 * 1024) {
  const held = toRoot(openRoot(root, false));
  const cache = new TreeCache(maxBytes, GRAIN);
  const cached = () => runnerOf(Workspace.at(held, policy, { maxReadBytes: 1024, cache }));
  const fresh = () => runnerOf(Workspace.at(held, policy, { maxReadBytes: 1024 }));
  return { cache, cached, fresh };
}

/** Lets the clock go on until folders that changed before can be remembered. */
async function settle(): Promise<void> {
  await setTimeout(GRAIN + 2);
}

const list = { recursive: true, showDetails: false };

const QUESTIONS: [operation: string, input: Record<string, unknown>][] = [
  ['ls', { recursive: true }],
  ['ls', { recursive: true, gitignore: true }],
  ['find', { path: 'a', pattern: '*' }],
  ['glob', { pattern: '**/[afé]*', type: 'any' }],
];

/** The reply, or what is wrong with the question: the folder may be gone, blocked or a file by now. */
async function answerOf(asker: ReturnType<typeof runnerOf>, operation: string, input: Record<string, unknown>) {
  return asker.run(operation, input).catch((error: Error) => error.message);
}

/** Something that can happen to a tree, on a few names so that they meet. */
const name = fc.constantFrom('a', 'b', 'c', 'd', 'é');
const place = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'));
const change = fc.record({
  do: fc.constantFrom(
    ...(['write', 'write', 'folder', 'link', 'remove', 'move', 'move', 'exchange', 'lead out'] as const),
    ...(['grow', 'date', 'mode', 'ignore', 'block', 'ask'] as const),
  ),
  at: place,
  name,
  to: place,
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Makes the change, where it is possible on the tree as it is. */
function apply(root: string, { at, do: action, name, to }: Change): void {
  const path = join(root, at, name);
  const other = join(root, to, name);
  const aside = join(root, '..', `aside-${performance.now()}`);
  const actions: Record<Change['do'], () => void> = {
    write: () => writeFileSync(path, 'x'),
    folder: () => mkdirSync(path),
    link: () => symlinkSync('a', path),
    remove: () => rmSync(path, { recursive: true }),
    move: () => renameSync(path, other),
    exchange: () => {
      renameSync(path, aside);
      renameSync(other, path);
      renameSync(aside, other);
    },
    'lead out': () => {
      renameSync(path, aside);
      symlinkSync(aside, path);
    },
    grow: () => appendFileSync(path, 'more'),
    date: () => utimesSync(path, LONG_AGO, LONG_AGO),
    mode: () => chmodSync(path, 0o700),
    ignore: () => writeFileSync(join(root, at, '.gitignore'), `${name}\n`),
    block: () => writeFileSync(join(root, '.agentignore'), `${name}\n`),
    ask: () => {},
  };
  try {
    actions[action]();
  } catch {
    // Nothing has changed, or half of it.
  }
}

/** Changes the tree round by round and asks both ways after each; gives how many listings were used again. */
async function compare(rounds: readonly Change[][]): Promise<number> {
  const root = plant({ 'a/b/c/f': 'x', 'b/a': null, 'c/g': 'x', 'd/a/é/b': 'x' });
  const { cache, cached, fresh } = askers(root);
  for (const changes of rounds) {
    await settle();
    await cached().ls(list);
    for (const one of changes) {
      apply(root, one);
      // Remembers what it may, in the very tick in which the next change comes.
      if (one.do === 'ask') await cached().ls(list);
    }
    for (const [operation, input] of QUESTIONS)
      expect(await answerOf(cached(), operation, input)).toBe(await answerOf(fresh(), operation, input));
  }
  return cache.hits;
}

it('every answer equals a fresh walk, whatever changes between requests', async () => {
  const rounds = fc.array(fc.array(change, { minLength: 3, maxLength: 8 }), { minLength: 5, maxLength: 10 });
  let used = 0;
  await fc.assert(
    fc.asyncProperty(rounds, async (rounds) => {
      used += await compare(rounds);
    }),
    { numRuns: 25 },
  );
  expect(used).toBeGreaterThan(1000);
});

it('a change within the same tick of the clock is seen', async () => {
  const root = plant({ 'd/a': 'x' });
  const { cached } = askers(root);
  for (let round = 0; round < 200; round += 1) {
    writeFileSync(join(root, 'd', `f${round}`), '');
    const { count } = await cached().ls({ path: 'd', showDetails: false });
    writeFileSync(join(root, 'd', `g${round}`), '');
    expect((await cached().ls({ path: 'd', showDetails: false })).count).toBe(count + 1);
  }
});

it('setting a folder’s time back does not hide a change in it', async () => {
  const root = plant({ 'd/a': 'x' });
  utimesSync(join(root, 'd'), LONG_AGO, LONG_AGO);
  const { cached } = askers(root);
  await settle();
  await cached().ls({ path: 'd' });
  writeFileSync(join(root, 'd/b'), 'x');
  utimesSync(join(root, 'd'), LONG_AGO, LONG_AGO);
  expect(pathsOf(await cached().ls({ path: 'd' }))).toEqual(['/d/a', '/d/b']);
});

it('a folder that is replaced by a link to outside is not answered from memory', async () => {
  const folder = scratch();
  const root = plant({ 'd/a': 'x', 'd/e/b': 'x' }, folder);
  const { cached } = askers(root);
  await settle();
  await cached().ls({ recursive: true });
  renameSync(join(root, 'd'), join(folder, 'moved'));
  symlinkSync(join(folder, 'moved'), join(root, 'd'));
  expect(pathsOf(await cached().ls({ recursive: true }))).toEqual(['/d']);
});

it('what files are is asked anew, though their folder is remembered', async () => {
  const root = plant({ 'd/a': 'x', 'd/b': 'x' });
  const { cache, cached } = askers(root);
  await settle();
  await cached().ls({ path: 'd' });
  appendFileSync(join(root, 'd/a'), 'more');
  utimesSync(join(root, 'd/b'), LONG_AGO, LONG_AGO);
  const { entries } = await cached().ls({ path: 'd' });
  expect(cache.hits).toBe(1);
  expect(entries[0].size).toBe(5);
  expect(entries[1].modified_at).toBe('2020-01-01T00:00:00Z');
});

it.runIf(CAN_BE_DENIED)(
  'a folder that was closed is counted as unreadable, and one that was opened is read',
  async () => {
    const root = plant({ 'd/a': 'x', 'e/b': 'x' });
    chmodSync(join(root, '..'), 0o755);
    const { cached } = askers(root);
    await underFileModes(async () => {
      await settle();
      expect((await cached().ls(list)).skipped.unreadable).toBe(0);
    });
    chmodSync(join(root, 'd'), 0);
    await underFileModes(async () => {
      expect((await cached().ls(list)).skipped.unreadable).toBe(1);
    });
    chmodSync(join(root, 'd'), 0o755);
    await underFileModes(async () => {
      expect(pathsOf(await cached().ls(list))).toContain('/d/a');
    });
  },
);

it('a tree larger than the memory it may take is answered all the same', async () => {
  const root = plant(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at}/f`, 'x'])));
  const { cached, fresh } = askers(root, 4096);
  await settle();
  await cached().ls(list);
  expect(await cached().ls(list)).toEqual(await fresh().ls(list));
});

/** A memory with room for about half of 60 folders; counts what a list of one of them uses again. */
async function tightly(): Promise<(path: string) => Promise<number>> {
  const folders = Array.from({ length: 60 }, (_, at) => [`d${at}/${'x'.repeat(100)}`, '']);
  const { cache, cached } = askers(plant(Object.fromEntries(folders)), 20 * 1024);
  await settle();
  return async (path) => {
    const before = cache.hits;
    await cached().run('ls', { ...list, path });
    return cache.hits - before;
  };
}

function passMinutes(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000);
  onTestFinished(() => void vi.useRealTimers());
}

it('a tree larger than its memory is answered from memory in part, until that is of no more use', async () => {
  const hitsOf = await tightly();
  await hitsOf('/');
  const again = await hitsOf('/');
  expect([again > 10, again < 50]).toEqual([true, true]);
  expect([await hitsOf('d9'), await hitsOf('d9')]).toEqual([0, 0]);

  passMinutes(2);
  expect([await hitsOf('d9'), await hitsOf('d9')]).toEqual([0, 1]);
});

it('what was used lately stays, however much comes in for what was not', async () => {
  const hitsOf = await tightly();
  await hitsOf('/');
  passMinutes(2);
  expect(await hitsOf('d0')).toBe(1);
  for (let at = 0; at < 60; at += 1) await hitsOf(`d${at}`);
  expect([await hitsOf('d0'), await hitsOf('d1'), await hitsOf('d59')]).toEqual([1, 1, 0]);
  passMinutes(2);
  expect([await hitsOf('d59'), await hitsOf('d59')]).toEqual([0, 1]);
});

describe('the times of a folder prove that it is the same', () => {
  const settledBefore = Date.UTC(2026, 0);
  const before: [number, number] = [settledBefore / 1000 - 1, 999_000_000 - 1];
  const after: [number, number] = [settledBefore / 1000, 1];
  const folder = { ctime: before, mtime: before, nlink: 2 };
  const merged = { ...folder, nlink: 1 };
  const coarse: [number, number] = [1_600_000_000, 0];

  test.each([
    ['when it has not changed lately', folder, 'always', true],
    ['on a file system that counts no links of folders', merged, 'always', true],
    ['not when it changed lately', { ...folder, ctime: after }, 'always', false],
    ['not when its time was set to come', { ...folder, mtime: after }, 'always', false],
    ['not when its clock shows whole seconds', { ...folder, ctime: coarse }, 'always', false],
    ['when its layer is the only one', folder, 'in one layer', true],
    ['not when it is merged from several layers', merged, 'in one layer', false],
    ['not on a file system that may remember', folder, 'never', false],
  ] as const)('%s', (_, times, proof, expected) => {
    expect(isProvable(times, proof, settledBefore)).toBe(expected);
  });
});

it.skipIf(!hasProc)('what is remembered of a deep tree is told with few descriptors, details and all', async () => {
  const root = scratch();
  const levels = 300;
  mkdirSync(join(root, 'd/'.repeat(levels)), { recursive: true });
  writeFileSync(join(root, 'd/'.repeat(levels), 'f'), '');
  const held = toRoot(openRoot(root, false));
  const cache = new TreeCache(1024 * 1024, GRAIN);
  await settle();
  const before = descriptorsOf(process.pid);
  const most = () => {
    const workspace = Workspace.at(held, policy, { maxReadBytes: 1024, cache });
    const start = workspace.locateDirectory({});
    const query = { order: 'path', depth: 999, hidden: true, gitignore: false, type: 'any', details: true } as const;
    const select = {
      start: true,
      wanted: (_: true, names: readonly string[]) => names.map(() => true),
      enter: (): true => true,
    };
    const found = workspace.walk(start, { ...query, exclude: fnmatchRules([]), select }, () => {});
    let open = 0;
    let count = 0;
    for (const batch of found) {
      open = Math.max(open, descriptorsOf(process.pid) - before);
      count += batch.filter(({ details }) => details !== undefined).length;
    }
    start.handle.close();
    return { open, count };
  };
  most();
  const { open, count } = most();
  expect(cache.hits).toBeGreaterThan(levels);
  expect(count).toBe(levels + 1);
  expect(open).toBeLessThan(60);
});
