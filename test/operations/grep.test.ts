import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { pathsOf, type Reply, runnerOn } from '../helpers/operations.ts';
import { skipped } from '../helpers/skipped.ts';

/** `line:text` of each match in a tree of one file. */
async function linesOf(content: string, fields: Record<string, unknown>): Promise<string[]> {
  const { matches }: Reply = await eitherWay(runnerOn({ a: content }).grep, fields);
  return matches.map(({ line, text }: { line: number; text: string }) => `${line}:${text}`);
}

describe('the reply', () => {
  test('holds path, line and text of each matching line, and nothing else', async () => {
    const { grep } = runnerOn({ 'src/main.py': 'import os\n\ndef main():\n    pass\n', 'src/b': 'no' });

    expect(await grep({ pattern: 'main', path: 'src' })).toEqual({
      path: '/src/',
      pattern: 'main',
      matches: [{ path: '/src/main.py', line: 3, text: 'def main():' }],
      count: 1,
      truncated: false,
      skipped: skipped(),
    });
  });

  test('on one file shows its path without a slash', async () => {
    expect(await runnerOn({ 'd/a': 'x\n' }).grep({ pattern: 'x', path: 'd/a' })).toMatchObject({
      path: '/d/a',
      matches: [{ path: '/d/a', line: 1, text: 'x' }],
    });
  });

  test('has a line once, however often it matches', async () => {
    expect(await linesOf('x x x\n', { pattern: 'x' })).toEqual(['1:x x x']);
  });

  test.each([[undefined], ['a']])('on a file that has no content is empty: path %s', async (path) => {
    expect(await runnerOn({ a: '' }).grep({ pattern: '^', isRegex: true, path })).toMatchObject({
      matches: [],
      count: 0,
    });
  });
});

describe('a pattern is text', () => {
  const special = [
    'a.b',
    'f(x)',
    '[1]',
    '$HOME',
    '^',
    'a|b',
    '\\d',
    '{2}',
    '*',
    '?',
    '-e',
    '--files',
    '-',
    '--',
    '#',
    ' ',
    '\t',
    'é',
    '😀',
  ];

  test.each(special)('by default, and finds itself: %j', async (pattern) => {
    expect(await linesOf(`before\n<${pattern}>\nafter axb 5 ff aa\n`, { pattern })).toContain(`2:<${pattern}>`);
  });

  test('by default, and finds nothing else', async () => {
    expect(await linesOf('axb\na.b\n', { pattern: 'a.b' })).toEqual(['2:a.b']);
  });

  test('and a regex with isRegex', async () => {
    expect(await linesOf('axb\na.b\nab\n', { pattern: 'a.b', isRegex: true })).toEqual(['1:axb', '2:a.b']);
  });

  test.each([['-v'], ['--count'], ['-e'], ['-'], ['--']])('with isRegex, too, and no option: %s', async (pattern) => {
    expect(await linesOf(`x\n<${pattern}>\n`, { pattern, isRegex: true })).toEqual([`2:<${pattern}>`]);
  });

  test.each([
    ['a NUL', 'a\0b', {}],
    ['a NUL, as a regex', 'a\0b', { isRegex: true }],
    ['a line feed without multiline', 'a\nb', {}],
    ['a line feed without multiline, as a regex', 'a\nb', { isRegex: true }],
    ['an escaped line feed without multiline', 'a\\nb', { isRegex: true }],
  ])('and is refused when it holds %s', async (_, pattern, fields) => {
    await expect(runnerOn({ a: 'x' }).grep({ pattern, ...fields })).rejects.toMatchObject({ code: 'PATTERN_INVALID' });
  });
});

describe('case', () => {
  const content = 'Straße\nSTRASSE\nÉTÉ\nété\n';

  test.each([
    [{ pattern: 'été' }, ['4:été']],
    [{ pattern: 'été', caseSensitive: false }, ['3:ÉTÉ', '4:été']],
    [{ pattern: 'É.É', isRegex: true, caseSensitive: false }, ['3:ÉTÉ', '4:été']],
    [{ pattern: '(?i)É.É', isRegex: true }, ['3:ÉTÉ', '4:été']],
  ])('matters unless told otherwise: %j', async (fields, lines) => {
    expect(await linesOf(content, fields)).toEqual(lines);
  });
});

describe('wordRegexp', () => {
  test('wants whole words', async () => {
    const content = 'main\nmaintain\nmain()\n_main\ndomain main\nmaïn\n';

    expect(await linesOf(content, { pattern: 'main', wordRegexp: true })).toEqual([
      '1:main',
      '3:main()',
      '5:domain main',
    ]);
  });

  test('holds for each alternative of a regex', async () => {
    expect(await linesOf('ab\na\nb\nxb\n', { pattern: 'a|b', isRegex: true, wordRegexp: true })).toEqual([
      '2:a',
      '3:b',
    ]);
  });
});

describe('multiline', () => {
  const content = 'begin\n  one\nend\nbegin\nend end\n';

  test('lets a match span lines, whose record is the first of them', async () => {
    expect(await linesOf(content, { pattern: 'begin\nend', multiline: true })).toEqual(['4:begin']);
    expect(await linesOf(content, { pattern: 'begin\\s+\\w+\\s+end', isRegex: true, multiline: true })).toEqual([
      '1:begin',
      '4:begin',
    ]);
  });

  test('gives a record a match, but a line once', async () => {
    expect(await linesOf(content, { pattern: 'end', multiline: true })).toEqual(['3:end', '5:end end']);
  });

  test.each([[undefined], ['a']])(
    'gives the same lines as without it where no match spans any: path %s',
    async (path) => {
      const { grep } = runnerOn({ a: content });
      const fields = { pattern: 'e\\w', isRegex: true, path };

      expect((await grep({ ...fields, multiline: true })).matches).toEqual((await grep(fields)).matches);
    },
  );

  test('spans lines of the one file that is asked for, too', async () => {
    const reply = await runnerOn({ a: content }).grep({ pattern: 'begin\nend', multiline: true, path: 'a' });

    expect(reply.matches).toEqual([{ path: '/a', line: 4, text: 'begin' }]);
  });

  test('shows the rest of the match as context', async () => {
    const reply = await runnerOn({ a: content }).grep({
      pattern: 'begin\n.*\nend',
      isRegex: true,
      multiline: true,
      context: 1,
    });

    expect(reply.matches).toEqual([{ path: '/a', line: 1, text: 'begin', before: [], after: ['  one'] }]);
  });

  test('lets `.` cross lines when the pattern says so', async () => {
    expect(await linesOf(content, { pattern: '(?s)one.*end', isRegex: true, multiline: true })).toEqual(['2:  one']);
  });
});

describe('what is searched', () => {
  const tree = {
    'a.py': 'hit\n',
    '.b.py': 'hit\n',
    'src/c.py': 'hit\n',
    'src/d.js': 'hit\n',
    'src/test/e.py': 'hit\n',
    'node_modules/f.py': 'hit\n',
  };
  const searched = async (fields: Record<string, unknown>) =>
    pathsOf(await eitherWay(runnerOn(tree).grep, { pattern: 'hit', ...fields }));

  test.each<[string, Record<string, unknown>, string[]]>([
    ['is everything but the noise', {}, ['/.b.py', '/a.py', '/src/c.py', '/src/d.js', '/src/test/e.py']],
    ['is the folder alone without recursive', { recursive: false }, ['/.b.py', '/a.py']],
    ['is what does not begin with a dot without includeHidden', { includeHidden: false, recursive: false }, ['/a.py']],
    ['is what includeGlob names at any depth', { includeGlob: ['e.*', '*.js'] }, ['/src/d.js', '/src/test/e.py']],
    ['is what includeGlob names below the path', { path: 'src', includeGlob: ['test/*.py'] }, ['/src/test/e.py']],
    ['is what includeGlob with a slash names from the path on alone', { includeGlob: ['test/*.py'] }, []],
    [
      'is not what excludeGlob names at any depth',
      { excludeGlob: ['test', '*.js', 'node_modules'] },
      ['/.b.py', '/a.py', '/src/c.py'],
    ],
    ['is not what excludeGlob names below the path', { path: 'src', excludeGlob: ['test/**', '/d.js'] }, ['/src/c.py']],
    ['is what both leave', { includeGlob: ['*.py'], excludeGlob: ['src', '.*', 'node_modules'] }, ['/a.py']],
    ['is not brought back by an include', { includeGlob: ['node_modules/**', '.b.py'], includeHidden: false }, []],
    ['is a noise folder that the path names', { path: 'node_modules' }, ['/node_modules/f.py']],
    [
      'is the file that the path names, whatever the globs',
      { path: 'a.py', excludeGlob: ['*.py'], includeGlob: ['*.js'] },
      ['/a.py'],
    ],
  ])('%s', async (_, fields, paths) => {
    expect(await searched(fields)).toEqual(paths);
  });

  test('is never what the policy blocks', async () => {
    const { grep } = runnerOn({ '.env': 'hit\n', 'd/.ssh/config': 'hit\n', 'd/a': 'hit\n' });

    expect(pathsOf(await grep({ pattern: 'hit', includeGlob: ['.env', 'a', 'config'] }))).toEqual(['/d/a']);
  });

  test('is no FIFO', async () => {
    const { grep } = runnerOn({ a: 'hit\n', pipe: { fifo: true } });

    expect(pathsOf(await grep({ pattern: 'hit' }))).toEqual(['/a']);
    await expect(grep({ pattern: 'hit', path: 'pipe' })).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  });
});

describe('output', () => {
  const tree = { a: 'hit\nno\nhit hit\n', b: 'no\n', 'd/c': 'hit\n' };

  test('=files gives each file once', async () => {
    expect((await eitherWay(runnerOn(tree).grep, { pattern: 'hit', output: 'files' })).matches).toEqual([
      { path: '/a' },
      { path: '/d/c' },
    ]);
  });

  test('=count gives the number of matching lines, of files that have any', async () => {
    expect((await eitherWay(runnerOn(tree).grep, { pattern: 'hit', output: 'count' })).matches).toEqual([
      { path: '/a', count: 2 },
      { path: '/d/c', count: 1 },
    ]);
  });

  test.each([
    ['files', [{ path: '/a' }]],
    ['count', [{ path: '/a', count: 2 }]],
  ])('=%s is told of one file, too, and context does not matter', async (output, matches) => {
    expect((await eitherWay(runnerOn(tree).grep, { pattern: 'hit', output, path: 'a', context: 3 })).matches).toEqual(
      matches,
    );
  });

  test.each([
    ['lines', '/a:1:hit\n/a:3:hit hit\n/d/c:1:hit\n'],
    ['files', '/a\n/d/c\n'],
    ['count', '/a:2\n/d/c:1\n'],
  ])('=%s has a form as text', async (output, text) => {
    expect(await runnerOn(tree).run('grep', { pattern: 'hit', output }, { form: 'text' })).toBe(text);
  });
});
