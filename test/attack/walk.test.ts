import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Policy } from '../../src/workspace/policy.ts';
import { openRoot, toRoot } from '../../src/workspace/root.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { ATTEMPTS, attack, OUTSIDE, patience } from '../helpers/attack.ts';
import { CANNOT_FLIP, canFlip, flip, repeat } from '../helpers/flip.ts';
import { pathsOf, type Reply, runnerOf, workspaceAt } from '../helpers/operations.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

type Runner = ReturnType<typeof runnerOf>;

interface Kind {
  title: string;
  tree: Tree;
  /** The two names that are exchanged, from the root. */
  names: [string, string];
  /** What a run tells: paths, or whatever else could give something away. */
  run: (operations: Runner) => Promise<string[]>;
  /** All that it may tell. */
  allowed: string[];
}

const PATIENCE = patience(ATTEMPTS.walks, 100);
const DEEP = 60;
const DEEP_NAMES = Array.from({ length: DEEP }, (_, level) => `n${level}`);

const toOutside: Pick<Kind, 'tree' | 'names'> = {
  tree: { 'sub/d/in.txt': 'INSIDE', 'sub/d/n/in2.txt': 'INSIDE', 'z.txt': '', alt: { linkTo: '../out' } },
  names: ['sub/d', 'alt'],
};
const INSIDE = ['/alt', '/alt/', '/alt/in.txt', '/alt/n/', '/alt/n/in2.txt', '/z.txt', '/sub/'].concat([
  '/sub/d',
  '/sub/d/',
  '/sub/d/in.txt',
  '/sub/d/n/',
  '/sub/d/n/in2.txt',
]);

const KINDS: Kind[] = [
  {
    title: 'R06: ls of a folder exchanged with a link to outside',
    ...toOutside,
    run: async ({ ls }) => pathsOf(await ls({ path: 'sub/d' })),
    allowed: INSIDE,
  },
  {
    title: 'R07: glob over a folder exchanged with a link to outside',
    ...toOutside,
    run: async ({ glob }) => pathsOf(await glob({ pattern: '**', type: 'any' })),
    allowed: INSIDE,
  },
  {
    title: 'R07: find over a folder exchanged with a link to outside',
    ...toOutside,
    run: async ({ find }) => pathsOf(await find({ pattern: '*', type: 'any' })),
    allowed: INSIDE,
  },
  {
    title: 'R07: a recursive ls of a folder exchanged with a link to outside',
    ...toOutside,
    run: async ({ ls }) => pathsOf(await ls({ recursive: true })),
    allowed: INSIDE,
  },
  {
    title: 'R07: folder sizes of a folder exchanged with a link to outside',
    ...toOutside,
    run: async ({ ls }) => {
      const { entries } = await ls({ folderSizes: true });
      return entries.filter(({ is_dir: isFolder }: Reply) => isFolder).map(({ size }: Reply) => `${size ?? 'none'}`);
    },
    // With a file of 1,000 bytes outside.
    allowed: ['0', '6', '12', 'none'],
  },
  {
    title: 'R09: glob over a folder exchanged with a link to a folder inside',
    tree: { 'sub/d/in.txt': '', 'other/in3.txt': '', 'sub/alt': { linkTo: '../other' } },
    names: ['sub/d', 'sub/alt'],
    run: async ({ glob }) => pathsOf(await glob({ pattern: '**' })),
    allowed: ['/other/in3.txt', '/sub/d/in.txt', '/sub/alt/in.txt'],
  },
  {
    title: 'R12: glob over a folder exchanged with a blocked folder',
    tree: { '.ssh/key.txt': '', 'docs/in.txt': '' },
    names: ['.ssh', 'docs'],
    run: async ({ glob }) => pathsOf(await glob({ pattern: '**', type: 'any' })),
    allowed: ['/docs/', '/docs/in.txt', '/docs/key.txt'],
  },
  {
    title: 'a glob deeper than folders are held open, over a folder exchanged with a link to outside',
    tree: {
      [`${DEEP_NAMES.join('/')}/in.txt`]: '',
      [`${DEEP_NAMES.join('/')}/z/in.txt`]: '',
      alt: { linkTo: '../deep' },
    },
    names: [DEEP_NAMES.slice(0, 5).join('/'), 'alt'],
    run: async ({ glob }) => pathsOf(await glob({ pattern: '**/*.txt' })),
    allowed: ['', '/z'].flatMap((below) => [
      `/${DEEP_NAMES.join('/')}${below}/in.txt`,
      `/alt/${DEEP_NAMES.slice(5).join('/')}${below}/in.txt`,
    ]),
  },
  {
    title: 'ignore rules in a file exchanged with a link to outside',
    tree: { '.gitignore': 'b.txt', 'a.txt': '', 'b.txt': '', alt: { linkTo: '../out/rules' } },
    names: ['.gitignore', 'alt'],
    run: async ({ glob }) => [pathsOf(await glob({ pattern: '*.txt', gitignore: true })).join(' ')],
    // The rules outside ignore a.txt.
    allowed: ['/a.txt', '/a.txt /b.txt'],
  },
  {
    title: 'ignore rules in a file exchanged with a FIFO',
    tree: { '.gitignore': 'b.txt', 'a.txt': '', 'b.txt': '', alt: { fifo: true } },
    names: ['.gitignore', 'alt'],
    run: async ({ glob }) => [pathsOf(await glob({ pattern: '*.txt', gitignore: true })).join(' ')],
    allowed: ['/a.txt', '/a.txt /b.txt'],
  },
];

describe.skipIf(!canFlip)(canFlip ? 'walking while names are exchanged' : `walking (${CANNOT_FLIP})`, () => {
  for (const kind of KINDS) {
    it(`${kind.title}: tells nothing of outside`, { timeout: PATIENCE }, async (context) => {
      const root = plantKind(kind.tree);
      const operations = runnerOf(workspaceAt(root));
      await flip(join(root, kind.names[0]), join(root, kind.names[1]));
      const { allowed, title } = kind;
      const race = await attack(context, { table: 'walks', kind: title, allowed, attempt: () => kind.run(operations) });
      expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
    });
  }

  it('what a file under the name of .agentignore blocks is never read through a link', {
    timeout: PATIENCE,
  }, async (context) => {
    const place = plantKind({ '.agentignore': 'b.txt', 'a.txt': '', 'b.txt': '', alt: { linkTo: '../out/rules' } });
    const root = toRoot(openRoot(place, false));
    await flip(join(place, '.agentignore'), join(place, 'alt'));
    const race = await attack(context, {
      table: 'walks',
      kind: '.agentignore exchanged with a link',
      allowed: ['/a.txt', '/a.txt /b.txt'],
      attempt: async () => {
        const { glob } = runnerOf(Workspace.at(root, Policy.of([]), { maxReadBytes: 1024 }));
        return pathsOf(await glob({ pattern: '*.txt' })).join(' ');
      },
    });
    expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
  });
});

describe('walking while folders come and go', () => {
  it('R16: a folder that is deleted while it is listed is empty or not there', {
    timeout: PATIENCE,
  }, async (context) => {
    const root = plant({ 'd/e/f': '' });
    const { glob, ls } = runnerOf(workspaceAt(root));
    const step =
      "fs.rmSync(names[0], { recursive: true }); fs.mkdirSync(names[0] + '/e', { recursive: true }); fs.writeFileSync(names[0] + '/e/f', '')";
    await repeat(step, join(root, 'd'));
    const race = await attack(context, {
      table: 'walks',
      kind: 'R16: a folder deleted while it is open',
      allowed: ['/d/', '/d/e/', '/d/e/f'],
      attempt: async () => {
        const below = await glob({ pattern: '**', type: 'any' });
        return [...pathsOf(below), ...pathsOf(await ls({ path: 'd/e' }))];
      },
    });
    expect([...race.refusals].filter((code) => code !== 'NOT_FOUND')).toEqual([]);
    expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
  });
});

/** `out` lies beside the root, with a name, a size and rules that no reply may show; `deep` is a tree of the same names. */
function plantKind(tree: Tree): string {
  const folder = scratch();
  const out = join(folder, 'out');
  mkdirSync(join(out, 'n'), { recursive: true });
  writeFileSync(join(out, `${OUTSIDE}.txt`), 'x'.repeat(1000));
  writeFileSync(join(out, `n/${OUTSIDE}2.txt`), '');
  writeFileSync(join(out, 'rules'), 'a.txt');
  const deep = join(folder, 'deep', ...DEEP_NAMES.slice(5), 'z');
  mkdirSync(deep, { recursive: true });
  for (const place of [deep, join(deep, '..')]) writeFileSync(join(place, `${OUTSIDE}.txt`), '');
  return plant(tree, folder);
}
