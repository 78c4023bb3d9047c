import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathsOf } from '../helpers/operations.ts';
import { planter } from '../helpers/planter.ts';
import type { Tree } from '../helpers/tree.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** The files that git lists as neither tracked nor ignored, by the .gitignore files of the tree alone. */
function leftByGit(root: string): string[] {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', HOME: root };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  git('init', '-q', '.');
  const listed = git('-c', 'core.ignoreCase=false', 'ls-files', '-z', '-o', '--exclude-per-directory=.gitignore');
  rmSync(join(root, '.git'), { recursive: true });
  return listed
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => `/${path}`);
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Plants trees in one workspace and compares what of each is left. */
function comparer(): (tree: Tree) => Promise<void> {
  const { find, plantRun, root } = planter();
  return async (tree) => {
    const path = plantRun(tree);
    const ours = pathsOf(await find({ pattern: '*', path, gitignore: true, excludeGlob: [] }));
    const git = leftByGit(join(root, path)).map((left) => path + left);
    expect(ours.sort(byBytes)).toEqual(git.sort(byBytes));
  };
}

// Names are ASCII: git's `?` and brackets take a byte, where gitignore(5) says a character.
const TREE: Tree = Object.fromEntries(
  [
    'a',
    'b',
    'a.c',
    'x y',
    'd/a',
    'd/b.c',
    'd/e/a',
    'd/e/f/b',
    'e/a',
    'e/d/a.c',
    'e/d/e/b',

    '{a,b}',
    '#a',
    '!a',
  ].map((path) => [path, '']),
);

describe.skipIf(!hasGit)('git leaves the same files (skipped without git)', () => {
  test.each([
    ['a/'],
    ['/a'],
    ['*'],
    ['*\n!*/\n!*.c'],
    ['/*\n!/d\n/d/*\n!/d/e'],
    ['d/**'],
    ['d/**\n!d/a'],
    ['d/**/\n!d/a'],
    ['**'],
    ['**/'],
    ['/**'],
    ['**/a'],
    ['**/d/**/a'],
    ['d/**/a'],
    ['d/**/*'],
    ['e/*/a*'],
    ['d/*\n!d/e\nd/e/*\n!d/e/f'],
    ['?'],
    ['[!a]'],
    ['[^a]'],
    ['[a-b].c'],
    ['[[:alpha:]]'],
    ['a**c'],
    ['**.c'],
    ['d**'],
    ['\\#a'],
    ['\\!a'],
    ['!a'],
    ['a\\'],
    ['\\a'],
    ['x y'],
    ['x\\ y'],
    ['a \nb\t'],
    ['{a,b}'],
    ['d/'],
    ['/d/'],
    ['d/e/'],
    ['/'],
    ['//'],
    ['!'],
    ['!/'],
    ['./a'],
    ['d//a'],
    ['d/./a'],
    ['../a'],
    ['\ufeffa'],
    ['a\r\nb\r'],
  ])('with the rules %j', async (rules) => {
    await comparer()({ ...TREE, '.gitignore': `${rules}\n` });
  });

  const segment = fc.constantFrom('a', 'b', 'd', 'e', '*', '**', '?', '*.c', '[ab]', '[!a]', 'a*');
  const rule = fc
    .record({
      not: fc.constantFrom('', '', '!'),
      lead: fc.constantFrom('', '', '/'),
      names: fc.array(segment, { minLength: 1, maxLength: 3 }),
      tail: fc.constantFrom('', '', '/'),
    })
    .map(({ not, lead, names, tail }) => `${not}${lead}${names.join('/')}${tail}`);
  const file = fc.array(rule, { maxLength: 4 }).map((rules) => rules.join('\n'));

  // Each run starts git twice and plants a tree, so there are few.
  test('with any rules, in nested files too', { timeout: 120_000 }, async () => {
    const compare = comparer();
    await fc.assert(
      fc.asyncProperty(file, file, file, (top, inD, inE) =>
        compare({ ...TREE, '.gitignore': top, 'd/.gitignore': inD, 'd/e/.gitignore': inE }),
      ),
      { numRuns: 60 },
    );
  });
});
