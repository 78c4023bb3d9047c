import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landlockAbi } from '../../src/workspace/landlock.ts';
import { ATTEMPTS, type AttackRow, attack, OUTSIDE, patience } from '../helpers/attack.ts';
import { CANNOT_FLIP, canFlip, flip } from '../helpers/flip.ts';
import { pathsOf, type Reply } from '../helpers/operations.ts';
import { workerAt } from '../helpers/pool.ts';
import { plant, type Tree } from '../helpers/tree.ts';

interface Kind {
  table: AttackRow['table'];
  title: string;
  operation: keyof typeof TOLD;
  input: Record<string, unknown>;
  /** The two names that are exchanged, from the root. */
  names: [string, string];
  allowed: string[];
}

const TREE: Tree = {
  'sub/d/f': 'needle INSIDE\n',
  'alt/folder': { linkTo: '../../out' },
  'alt/file': { linkTo: '../../out/f' },
  '../out/f': `needle ${OUTSIDE}\n`,
  [`../out/${OUTSIDE}`]: 'needle\n',
};
const FOLDER: Kind['names'] = ['sub/d', 'alt/folder'];
const FILE: Kind['names'] = ['sub/d/f', 'alt/file'];

/** What a reply gives away. */
const TOLD = {
  read: ({ content }: Reply): string[] => [content],
  glob: pathsOf,
  grep: ({ matches }: Reply): string[] => matches.map(({ text }: Reply) => text),
};

const KINDS: Kind[] = [
  {
    table: 'opens',
    title: 'a folder exchanged with a link to outside',
    operation: 'read',
    input: { path: 'sub/d/f' },
    names: FOLDER,
    allowed: ['needle INSIDE\n'],
  },
  {
    table: 'opens',
    title: 'a file exchanged with a link to a file outside',
    operation: 'read',
    input: { path: 'sub/d/f' },
    names: FILE,
    allowed: ['needle INSIDE\n'],
  },
  {
    table: 'walks',
    title: 'glob over a folder exchanged with a link to outside',
    operation: 'glob',
    input: { pattern: '**' },
    names: FOLDER,
    allowed: ['/sub/d/f', '/alt/folder/f'],
  },
  {
    table: 'greps',
    title: 'grep by ripgrep in a file exchanged with a link to a file outside',
    operation: 'grep',
    input: { pattern: 'needle', isRegex: true, path: 'sub' },
    names: FILE,
    allowed: ['needle INSIDE'],
  },
];

const abi = landlockAbi();
const WALLS: [title: string, isConfined: boolean][] = [
  ['without Landlock', false],
  ...(abi > 0 ? [['with Landlock', true] satisfies [string, boolean]] : []),
];

describe.skipIf(!canFlip)(canFlip ? 'a worker of the service while names are exchanged' : CANNOT_FLIP, () => {
  for (const { allowed, input, names, operation, table, title } of KINDS) {
    for (const [wall, isConfined] of WALLS) {
      it(`${title}: lets nothing out ${wall}`, { timeout: patience(ATTEMPTS[table], 500) }, async (context) => {
        const root = plant(TREE);
        const ask = workerAt(root, isConfined);
        await flip(join(root, names[0]), join(root, names[1]));
        const race = await attack(context, {
          table,
          kind: `a worker ${wall}: ${title}`,
          allowed,
          attempt: async () => TOLD[operation](await ask(operation, input)),
        });
        expect(race).toMatchObject({ escaped: [], isMet: true });
      });
    }
  }
});
