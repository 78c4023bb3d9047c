import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type GrepInput, grep } from '../../src/operations/grep.ts';
import { checkInput } from '../../src/operations/input.ts';
import { fnmatchRules } from '../../src/operations/patterns.ts';
import { Handle } from '../../src/workspace/handle.ts';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';
import { openRoot, type Root, toRoot } from '../../src/workspace/root.ts';
import type { Select } from '../../src/workspace/walk.ts';
import { type Part, Workspace } from '../../src/workspace/workspace.ts';
import { plant } from '../helpers/tree.ts';

const policy = Policy.of([...POLICY_SETS.secrets, '/a2/b/blocked', 'a3/b2']);

/** Folders of several depths and sizes, with names to be blocked and excluded in many of them. */
const TREE = Object.fromEntries(
  Array.from({ length: 8 }, (_, a) =>
    Array.from({ length: 8 }, (_, b) =>
      Array.from({ length: 5 }, (_, c) => [`a${a}/b${a === 2 ? '' : b}/é${c}/f${b}`, `a${a}/b${b}/c${c}/out/x`]),
    ),
  )
    .flat(3)
    .concat('a2/b/blocked/x', 'a2/b/.env', 'a4/b1/c1/deep/deeper/deepest/f', 'l/f')
    .map((path) => [path, '']),
);

const EVERYTHING: Select<true> = { start: true, wanted: (_, names) => names.map(() => true), enter: () => true };

function walkOf(workspace: Workspace, path: string, order: 'path' | 'none', signal?: AbortSignal) {
  const start = workspace.locateDirectory({ path });
  const skipped: string[] = [];
  const exclude = fnmatchRules(['out']);
  const query = { order, depth: 6, hidden: true, gitignore: false, exclude, type: 'any', details: false } as const;
  const found = workspace.walk(start, { ...query, select: EVERYTHING }, (_, at) => skipped.push(String(at)), signal);
  return { found, skipped, close: () => start.handle.close() };
}

/** What a walk finds, and all those to whom it or they give parts, whenever `isAsked` says so. */
function walked(root: Root, path: string, isAsked: () => boolean, order: 'path' | 'none' = 'none') {
  const found: string[] = [];
  const skipped: string[] = [];
  const parts: (Part | undefined)[] = [undefined];
  let count = 0;
  while (parts.length > 0) {
    const part = parts.pop();
    const workspace = Workspace.at(root, policy, { maxReadBytes: 1024, part });
    const walk = walkOf(workspace, path, order);
    for (const batch of walk.found) {
      found.push(...batch.map(({ text }) => text));
      const given = isAsked() ? workspace.split() : undefined;
      if (given === undefined) continue;
      parts.push(given);
      count += 1;
    }
    skipped.push(...walk.skipped);
    walk.close();
  }
  return { records: { found: found.sort(), skipped: skipped.sort() }, parts: count };
}

/** The lines with a text that one search finds, and all those to whom it or they give parts. */
async function searched(root: Root, isAsked: () => boolean) {
  const found: string[] = [];
  const skipped: string[] = [];
  const parts: (Part | undefined)[] = [undefined];
  let shares = 0;
  while (parts.length > 0) {
    shares += 1;
    const workspace = Workspace.at(root, policy, { maxReadBytes: 1024, part: parts.pop() });
    const { input } = checkInput(grep.input, { pattern: 'needle', sort: 'none' }, 'json');
    const skip = (reason: string, at?: string) => skipped.push(`${reason} ${at}`);
    const run = grep.start(input as GrepInput, { workspace, skip, signal: new AbortController().signal });
    for await (const batch of run.records) {
      found.push(...batch.map(({ line, path }) => `${path}:${line}`));
      const given = isAsked() ? workspace.split() : undefined;
      if (given !== undefined) parts.push(given);
    }
    run.close();
  }
  return { records: { found: found.sort(), skipped: skipped.sort() }, shares };
}

it('a search that gives parts away finds with those who have them what it finds alone', async () => {
  const contents = ['needle', 'no', 'a\nneedle\nneedle\n', 'needle\0'];
  const files = Object.keys(TREE).map((path, at): [string, string] => [path, contents[at % contents.length] ?? '']);
  const root = toRoot(openRoot(plant(Object.fromEntries(files)), false));
  const alone = await searched(root, () => false);
  const shared = await searched(root, () => true);

  expect(shared.records).toEqual(alone.records);
  expect(shared.shares).toBeGreaterThan(2);
  expect([alone.records.found.length > 100, alone.records.skipped.length > 50]).toEqual([true, true]);
});

describe('a walk that gives parts away', () => {
  const rootOf = () => toRoot(openRoot(plant(TREE), false));

  it('finds with those who have them what it finds alone, each entry once', () => {
    const root = rootOf();
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), fc.constantFrom('/', 'a1', 'a2/b'), (asked, path) => {
        const alone = walked(root, path, () => false);
        const shared = walked(root, path, () => asked.next().value === true);
        expect(shared.records).toEqual(alone.records);
      }),
      { numRuns: 15 },
    );
    expect(walked(root, '/', () => true).parts).toBeGreaterThan(2);
    expect(walked(root, '/', () => false).records.skipped.length).toBeGreaterThan(200);
  });

  it('gives none when the order matters', () => {
    expect(walked(rootOf(), '/', () => true, 'path').parts).toBe(0);
  });

  /** What is found of a part that a walk at `path` gave away, after `change`. */
  function foundAfter(root: string, path: string, change: () => void): string[] {
    const held = toRoot(openRoot(root, false));
    const workspace = Workspace.at(held, policy, { maxReadBytes: 1024 });
    const walk = walkOf(workspace, path, 'none');
    walk.found.next();
    const part = workspace.split();
    walk.close();
    change();
    const other = walkOf(Workspace.at(held, policy, { maxReadBytes: 1024, part }), path, 'none');
    const texts = [...other.found].flat().map(({ text }) => text);
    other.close();
    return texts;
  }

  it('ends with all its parts when it is told to, and closes nothing that is not its own', () => {
    const root = rootOf();
    const workspace = Workspace.at(root, policy, { maxReadBytes: 1024 });
    const lead = walkOf(workspace, '/', 'none');
    lead.found.next();
    const part = workspace.split();
    lead.close();
    const ending = new AbortController();
    const other = walkOf(Workspace.at(root, policy, { maxReadBytes: 1024, part }), '/', 'none', ending.signal);
    const close = vi.spyOn(Handle.prototype, 'close');
    onTestFinished(() => close.mockRestore());
    expect(part?.folders.length).toBeGreaterThan(1);
    other.found.next();
    ending.abort();
    for (const _ of other.found);
    other.close();
    const closed = close.mock.contexts;
    expect(closed.length).toBe(new Set(closed).size);
  });

  it('gives the policy as it stood', () => {
    const root = plant({ ...TREE, '.agentignore': 'f1\n' });
    const found = foundAfter(root, 'a0', () => renameSync(join(root, '.agentignore'), join(root, 'other')));
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((text) => text.endsWith('/f1'))).toEqual([]);
  });

  it('gives what is below the folder that it began in, wherever a link leads by now', () => {
    const root = plant({ ...TREE, current: { linkTo: 'a0' } });
    const found = foundAfter(root, 'current', () => {
      unlinkSync(join(root, 'current'));
      symlinkSync('a1', join(root, 'current'));
    });
    expect(found).toEqual(foundAfter(plant({ ...TREE, current: { linkTo: 'a0' } }), 'current', () => {}));
    expect(found[0]).toMatch(/^\/current\//);
  });

  it('gives nothing that another folder in the place of the first could make incomplete', () => {
    const root = plant(TREE);
    const replace = () => {
      renameSync(join(root, 'a0'), join(root, 'moved'));
      renameSync(join(root, 'a1'), join(root, 'a0'));
    };
    expect(() => foundAfter(root, 'a0', replace)).toThrow(expect.objectContaining({ code: 'BUSY' }));
  });
});
