import { describe, expect, test } from 'vitest';
import { pathsOf, runnerOn } from '../helpers/operations.ts';

type Name = 'ls' | 'find' | 'glob' | 'grep' | 'read';
type Fields = Record<string, unknown>;

/** What an operation wants at least. */
const NEEDED: Record<Name, Fields> = {
  ls: {},
  find: { pattern: '*' },
  glob: { pattern: '*' },
  grep: { pattern: 'x' },
  read: { path: 'a' },
};

function act(operation: Name, fields: Fields) {
  return runnerOn({ a: 'x\n' })[operation]({ ...NEEDED[operation], ...fields });
}

const BOUNDED: [operation: Name, field: string, bad: number[], good: number[]][] = [
  ['ls', 'depth', [0, -1, 1.5], [1, 100]],
  ...(['ls', 'find', 'glob', 'grep'] as const).map((name): [Name, string, number[], number[]] => [
    name,
    'maxResults',
    [0, -1, 2.5],
    [1, 1_000_000],
  ]),
  ...(['ls', 'find', 'glob', 'grep', 'read'] as const).map((name): [Name, string, number[], number[]] => [
    name,
    'timeoutMs',
    [0, -1],
    [1, 30_000],
  ]),
  ['grep', 'before', [-1, 21], [0, 20]],
  ['grep', 'after', [-1, 21], [0, 20]],
  ['grep', 'context', [-1, 21], [0, 20]],
  ['grep', 'maxMatchesPerFile', [0], [1]],
  ['grep', 'maxLineLength', [0], [1, 10_000]],
  ['read', 'startLine', [0, -1], [1]],
  ['read', 'endLine', [-1], [0, 1]],
  ['read', 'maxBytes', [-1], [0, 10]],
  ['read', 'startColumn', [0], [1]],
  ['read', 'startByte', [-1], [0]],
];

describe('a number out of bounds is refused, naming the field and its bounds', () => {
  test.each(BOUNDED.flatMap(([name, field, bad]) => bad.map((value) => [name, field, value] as const)))(
    '%s %s=%d',
    async (name, field, value) => {
      await expect(act(name, { [field]: value })).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: expect.stringMatching(new RegExp(`'${field}' must be a whole number from \\d+ to \\d+`)),
        members: { errors: [{ pointer: `#/${field}` }] },
      });
    },
  );

  test.each(BOUNDED.flatMap(([name, field, , good]) => good.map((value) => [name, field, value] as const)))(
    'and one within is taken: %s %s=%d',
    async (name, field, value) => {
      expect(await act(name, { [field]: value })).toHaveProperty('path');
    },
  );
});

describe('a word that is none of its field is refused', () => {
  test.each<[Name, string]>([
    ['ls', 'type'],
    ['find', 'type'],
    ['glob', 'type'],
    ['ls', 'sort'],
    ['grep', 'output'],
    ['read', 'as'],
  ])('%s %s', async (name, field) => {
    await expect(act(name, { [field]: 'nonsense' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      members: { errors: [{ pointer: `#/${field}`, detail: expect.stringContaining('one of') }] },
    });
  });
});

describe('a field that an operation does not have is refused', () => {
  test.each<[Name, string, string]>([
    ['ls', 'showDetail', 'showDetails'],
    ['find', 'casesensitive', 'caseSensitive'],
    ['glob', 'max_results', 'maxResults'],
    ['grep', 'maxresults', 'maxResults'],
    ['grep', 'regex', 'isRegex'],
    ['read', 'start_line', 'startLine'],
  ])('by %s, naming the nearest: %s is %s', async (name, field, nearest) => {
    await expect(act(name, { [field]: 1 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(`nearest is '${nearest}'`),
      members: { errors: [{ pointer: `#/${field}` }] },
    });
  });
});

describe('a pattern', () => {
  test.each(['find', 'glob', 'grep'] as const)('is needed by %s', async (name) => {
    for (const pattern of [undefined, null, '']) {
      await expect(runnerOn({})[name]({ pattern })).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        members: { errors: [{ pointer: '#/pattern' }] },
      });
    }
  });

  test.each(['find', 'glob', 'grep'] as const)('is given back by %s as it was sent', async (name) => {
    const pattern = ' \tÄ[x] ';

    expect((await act(name, { pattern })).pattern).toBe(pattern);
  });
});

describe('a list of globs', () => {
  const tree = { 'a.ts': '', 'b.js': '', 'c{d,e}.md': '', 'x,y': '' };

  test.each([
    ['an array', ['*.ts', '*.js'], ['/a.ts', '/b.js']],
    ['text with commas', '*.ts, *.js', ['/a.ts', '/b.js']],
    ['an array in text', '["*.ts", "x,y"]', ['/a.ts', '/x,y']],
    ['text whose commas stand in braces', 'c{d,e}.md', ['/c{d,e}.md']],
    ['nothing: null', null, ['/a.ts', '/b.js', '/c{d,e}.md', '/x,y']],
    ['nothing: an empty text', '', ['/a.ts', '/b.js', '/c{d,e}.md', '/x,y']],
  ])('may be %s', async (_, includeGlob, paths) => {
    expect(pathsOf(await runnerOn(tree).ls({ includeGlob }))).toEqual(paths);
  });

  test('of noise is replaced by one of the caller, and taken for null', async () => {
    const { find } = runnerOn({ 'dist/x': '', 'own/x': '' });
    const found = async (excludeGlob: unknown) => pathsOf(await find({ pattern: 'x', excludeGlob }));

    expect([await found(null), await found(['own']), await found([])]).toEqual([
      ['/own/x'],
      ['/dist/x'],
      ['/dist/x', '/own/x'],
    ]);
  });
});
