import { describe, expect, test } from 'vitest';
import { type Reply, runnerOn } from '../helpers/operations.ts';
import type { Tree } from '../helpers/tree.ts';

type Case = [operation: 'find' | 'glob' | 'grep', fields: Record<string, unknown>, tree: Tree, hint: RegExp];

async function hintsOf(...[operation, fields, tree]: [Case[0], Case[1], Tree]): Promise<string[] | undefined> {
  const reply: Reply = await runnerOn(tree)[operation](fields);
  expect(reply.count).toBe(0);
  return reply.hints;
}

describe('when nothing matches, a hint says that', () => {
  test.each<Case>([
    ['find', { pattern: 'readme', caseSensitive: true }, { README: '' }, /caseSensitive=false/],
    ['glob', { pattern: 'src/readme.*' }, { 'src/README.md': '' }, /caseSensitive=false/],
    ['grep', { pattern: 'hello' }, { a: 'HELLO\n' }, /caseSensitive=false/],
    ['find', { pattern: 'main' }, { 'main.py': '' }, /\*main\*/],
    ['find', { pattern: '^main.*py$' }, { 'main.py': '' }, /isRegex=true/],
    ['grep', { pattern: 'def \\w+' }, { a: 'def main\n' }, /isRegex=true/],
    ['grep', { pattern: 'a.*b' }, { a: 'a and b\n' }, /isRegex=true/],
    ['find', { pattern: 'src' }, { 'src/a': '' }, /type=any/],
    ['glob', { pattern: 'a/src' }, { 'a/src/b': '' }, /type=any/],
    ['glob', { pattern: 'main.py', type: 'directory' }, { 'main.py': '' }, /type=any/],
    ['glob', { pattern: 'app/main.py' }, { 'src/app/main.py': '' }, /\*\*\/app\/main\.py/],
    ['grep', { pattern: 'main', wordRegexp: true }, { a: 'maintain\n' }, /wordRegexp=false/],
    ['find', { pattern: 'x.js' }, { 'node_modules/x.js': '' }, /\/node_modules\b/],
    ['glob', { pattern: '*.js' }, { 'a/dist/x.js': '' }, /\/a\/dist\b/],
    ['grep', { pattern: 'hit' }, { 'build/a': 'hit\n' }, /\/build\b/],
  ])('%s %j would match otherwise', async (operation, fields, tree, hint) => {
    expect(await hintsOf(operation, fields, tree)).toEqual([expect.stringMatching(hint)]);
  });

  test('several things were left out', async () => {
    const folders = Array.from({ length: 7 }, (_, at) => `d${at}`);
    const tree = Object.fromEntries(folders.map((folder) => [`${folder}/dist/x`, 'hit']));

    expect(await hintsOf('grep', { pattern: 'hit' }, tree)).toEqual([
      expect.stringMatching(/\/d0\/dist, \/d1\/dist, \/d2\/dist, \/d3\/dist, \/d4\/dist and 2 more/),
    ]);
  });

  test('several changes would help, each by itself', async () => {
    const hints = await hintsOf('find', { pattern: 'Main', caseSensitive: true }, { main: '', 'Main.py': '' });

    expect(hints).toEqual([expect.stringMatching(/caseSensitive=false/), expect.stringMatching(/\*Main\*/)]);
  });
});

describe('no hint is given', () => {
  test.each<[operation: 'find' | 'glob' | 'grep', fields: Record<string, unknown>, tree: Tree]>([
    ['find', { pattern: 'nothing', caseSensitive: true }, { a: '' }],
    ['glob', { pattern: 'src/nothing' }, { 'src/a': '' }],
    ['grep', { pattern: 'Nothing' }, { a: 'text\n' }],
    ['grep', { pattern: 'x$' }, { a: 'text\n' }],
    ['grep', { pattern: 'a.*[' }, { a: 'a b\n' }],
    ['grep', { pattern: 'nothing', wordRegexp: true }, { a: 'text\n' }],
    ['find', { pattern: '*' }, {}],
  ])('by %s %j when no change would help', async (operation, fields, tree) => {
    expect(await hintsOf(operation, fields, tree)).toBeUndefined();
  });

  test.each<[operation: 'find' | 'glob' | 'grep', fields: Record<string, unknown>]>([
    ['find', { pattern: '*.pem', caseSensitive: true }],
    ['find', { pattern: 'key' }],
    ['glob', { pattern: 'a/KEY.pem' }],
    ['glob', { pattern: 'key.pem' }],
    ['grep', { pattern: 'SECRET' }],
    ['grep', { pattern: 'secr.t' }],
  ])('by %s %j about what the policy blocks', async (operation, fields) => {
    const { [operation]: act } = runnerOn({ 'a/key.pem': 'secret\n' }, { policy: ['*.pem'] });

    expect((await act(fields)).hints).toBeUndefined();
  });

  test.each<[operation: 'find' | 'glob' | 'grep', fields: Record<string, unknown>]>([
    ['find', { pattern: 'a' }],
    ['glob', { pattern: 'a' }],
    ['grep', { pattern: 'text' }],
  ])('by %s when something matches, whatever was left out', async (operation, fields) => {
    const { [operation]: act } = runnerOn({ a: 'text\n', A: 'TEXT\n', 'node_modules/a': 'text\n' });

    expect(await act(fields)).not.toHaveProperty('hints');
  });

  test('by a list', async () => {
    expect(await runnerOn({}).ls()).not.toHaveProperty('hints');
  });
});

test('a hint looks where the request looked, and nowhere else', async () => {
  const tree = { 'a/x': 'text\n', 'b/y': 'TEXT\n' };

  expect(await hintsOf('grep', { pattern: 'Text', path: 'a', includeGlob: ['z'] }, tree)).toBeUndefined();
});

test('as text, hints stand in the last line', async () => {
  const text = await runnerOn({ README: '' }).run('find', { pattern: 'readme', caseSensitive: true }, { form: 'text' });

  expect(text).toMatch(/^\[No results\. .*caseSensitive=false.*\]\n$/);
});
