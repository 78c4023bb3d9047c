import fc from 'fast-check';
import type { Operation } from '../../src/operations/operation.ts';
import type { Tree } from './tree.ts';

type Schema = Record<string, unknown>;

/** A tree that has something for every path and pattern below. */
export const ODD_TREE: Tree = {
  'a.txt': 'hit one\nmiss\nhit two\r\n',
  'src/a.py': 'def main():\n    return "hit"\n',
  'src/lib/b.py': 'import hit\n',
  'src/[id]/page.tsx': 'hit\n',
  'src/i/page.tsx': 'hit\n',
  '..a': 'hit\n',
  'a~': 'hit\n',
  'with space/é.txt': 'Hit é 😀\n',
  'two\nlines': 'hit\n',
  'quote\'"': 'hit\n',
  'back\\slash': 'hit\n',
  empty: '',
  'bin.dat': 'hit\0hit\n',
  'latin.txt': Buffer.from('caf\xe9 hit\n', 'latin1'),
  'utf16.txt': Buffer.from('\ufeffhit é\n', 'utf16le'),
  'long.txt': `${'x'.repeat(700)}hit${'y'.repeat(700)}\n`,
  '.hidden/h.txt': 'hit\n',
  '.gitignore': 'ignored.txt\n',
  'ignored.txt': 'hit\n',
  '.env': 'hit\n',
  'node_modules/n.js': 'hit\n',
  link: { linkTo: 'src' },
  'link.py': { linkTo: 'src/a.py' },
  out: { linkTo: '../outside' },
  dead: { linkTo: 'nowhere' },
  loop: { linkTo: 'loop' },
  fifo: { fifo: true },
};

const PATHS = [
  ...['', '/', '.', './', 'src', 'src/', '/src', './src//lib', 'src/a.py', 'src/a.py/', 'src/a.py/x', 'src/./lib/b.py'],
  ...Object.keys(ODD_TREE),
  ...['..', '../ws', 'src/..', '~', '~/x', 'src/~', './~', 'C:\\Windows', '\\\\host\\x', 'nul\0', 'file:///a.txt'],
  ...[
    'missing',
    'src/missing.py',
    'A.TXT',
    '.ENV',
    '.env/x',
    'with%20space',
    '*',
    'src/*',
    'a'.repeat(300),
    'a/'.repeat(2000),
  ],
];

const PATTERNS = [
  ...[
    'hit',
    'HIT',
    'main',
    '*',
    '*.py',
    '*.PY',
    '**',
    '**/*.py',
    'src/**/*.tsx',
    '/src/*.py',
    '*.{py,txt}',
    'src/[id]/page.tsx',
  ],
  ...[
    '[!a]*',
    '?.txt',
    'a.txt',
    'src/',
    'é',
    '.',
    '$',
    '^hit',
    'h.t',
    '(',
    ')',
    '[',
    '[]',
    '{',
    '}',
    '\\',
    '\\w+',
    '(?i)HIT',
  ],
  ...[
    '(?P<n>h)it',
    '(?=h)',
    '(h)\\1',
    '(?<n>h)it',
    'hit\\Z',
    '..',
    '../*',
    '{..,a}/x',
    '-v',
    '--pre=id',
    'a,b',
    '\0',
    '\n',
    'x'.repeat(1025),
  ],
];

const GLOBS = [
  '*',
  '*.py',
  '*.txt',
  'src',
  'src/**',
  '.*',
  'node_modules',
  '**/lib',
  '{a,b}*',
  '[',
  '',
  '..',
  '/a.txt',
];

const TEXTS: Record<string, readonly string[]> = {
  path: PATHS,
  pathBytes: ['YS50eHQ=', 'L3NyYw==', '//8=', 'YQ', '===', 'Li4veA==', 'YQA='],
  pattern: PATTERNS,
  encoding: ['utf-8', 'UTF-8', 'auto', 'latin1', 'utf-16le', 'gbk', 'shift_jis', 'klingon', 'replacement', ' utf-8 '],
};

/** What finds something: without these most inputs would come to nothing. */
const GOOD_PATTERNS = ['hit', 'hit', 'hit', 'h.t', 'i', '*', '**', '*.py', '**/*.tsx', '?*t', '^hit', '\\w+'];
const GOOD_FOLDERS = ['/', '.', 'src', 'src/', 'src/[id]', 'link', 'with space', '.hidden', 'node_modules'];
const GOOD_FILES = ['a.txt', 'src/a.py', 'link.py', 'long.txt', 'latin.txt', 'utf16.txt', 'empty', 'with space/é.txt'];

/** Inputs of an operation, good and bad, made from its own schema: a field that is added to it is in them. */
export function inputsOf({ input, list }: Operation): fc.Arbitrary<Schema> {
  const good = { pattern: GOOD_PATTERNS, path: list === undefined ? GOOD_FILES : GOOD_FOLDERS };
  const fields = Object.fromEntries(
    Object.entries(input.properties).map(([name, schema]) => [name, valuesOf(name, schema as Schema, good)]),
  );
  const always = [list === undefined ? 'path' : 'pattern'].filter((name) => name in fields);
  // A few fields at a time: an input in which everything is given is mostly refused.
  const some = fc.subarray(Object.keys(fields), { maxLength: 4 });
  return fc
    .record({
      full: fc.record(fields),
      names: mostly(
        some.map((names) => [...names, ...always]),
        some,
      ),
      more: mostly(fc.constant({}), fc.constant({ nonsense: 1 })),
    })
    .map(({ full, more, names }) => ({ ...pick(full, names), ...more }));
}

function valuesOf(name: string, schema: Schema, good: Record<string, readonly string[]>): fc.Arbitrary<unknown> {
  const { type } = schema;
  if (Array.isArray(schema['enum'])) return mostly(fc.constantFrom(...schema['enum']), fc.constant('nonsense'));
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return integers(name, Number(schema['minimum']), Number(schema['maximum']));
  if (type === 'array') return fc.array(fc.constantFrom(...GLOBS), { maxLength: 3 });
  const all = fc.constantFrom(...(TEXTS[name] ?? GLOBS));
  return name in good
    ? fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...(good[name] ?? [])) }, { weight: 1, arbitrary: all })
    : all;
}

function integers(name: string, minimum: number, maximum: number): fc.Arbitrary<number> {
  // A time that runs out on the way gives another reply each time.
  if (name === 'timeoutMs')
    return mostly(fc.constantFrom(5_000, 30_000), fc.constantFrom(minimum - 1, 30_001, maximum));
  return mostly(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 8) }),
    fc.constantFrom(minimum - 1, maximum, Math.min(maximum + 1, Number.MAX_SAFE_INTEGER)),
  );
}

function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

function pick(object: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(names.flatMap((name) => (name in object ? [[name, object[name]]] : [])));
}
