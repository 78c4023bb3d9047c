import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ServiceSettings, serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, type Tree } from '../helpers/tree.ts';

type Query = Record<string, string>;

// biome-ignore lint/suspicious/noExplicitAny: replies are read as tests expect them
async function ask(tree: Tree, path: string, query: Query, settings: ServiceSettings = {}): Promise<any> {
  const { get } = await serviceOf(tree, settings);
  return (await get(path, query)).json();
}

const hitsOf = (reply: { matches: { path: string; line: number }[] }) =>
  reply.matches.map(({ path, line }) => `${path}:${line}`);

describe('C21: a pattern or a name that begins with a dash', () => {
  const tree: Tree = { 'a.md': 'cargo build --release\nx -> y\n- [ ] todo\n', '-f.txt': '--release\n' };

  it.each([
    ['--release', ['/-f.txt:1', '/a.md:1']],
    ['->', ['/a.md:2']],
    ['- [ ]', ['/a.md:3']],
    ['--pre=id', []],
    ['-v', []],
    ['--', ['/-f.txt:1', '/a.md:1']],
  ])('the pattern %s is no option', async (pattern, hits) => {
    expect(hitsOf(await ask(tree, '/grep', { pattern }))).toEqual(hits);
  });

  it('the file -f.txt is read and searched', async () => {
    expect((await ask(tree, '/read', { path: '-f.txt' })).content).toBe('--release\n');
    expect(hitsOf(await ask(tree, '/grep', { pattern: 'release', path: '-f.txt' }))).toEqual(['/-f.txt:1']);
  });
});

describe('C22: a text file with one NUL', () => {
  const tree: Tree = {
    'n.ts': 'hello TOKEN here\0more\n',
    'late.txt': `TOKEN early\n${'padding\n'.repeat(150_000)}\0`,
    'b.txt': 'TOKEN\n',
  };

  it('is counted, wherever the NUL stands, and does not hide other files', async () => {
    const reply = await ask(tree, '/grep', { pattern: 'TOKEN' });
    expect([hitsOf(reply), reply.skipped.binary]).toEqual([['/b.txt:1'], 2]);
  });

  it('is counted when it is the one file that is searched', async () => {
    for (const path of ['n.ts', 'late.txt']) {
      expect(await ask(tree, '/grep', { pattern: 'TOKEN', path })).toMatchObject({ count: 0, skipped: { binary: 1 } });
    }
  });

  it('is refused by read as binary, with what to send instead', async () => {
    expect(await ask(tree, '/read', { path: 'n.ts' })).toMatchObject({
      status: 415,
      code: 'FILE_IS_BINARY',
      detail: expect.stringMatching(/as=base64.*\/read\/raw/),
    });
  });
});

describe("C25: grep's line is read's line", () => {
  const tree: Tree = {
    'm.py': 'def a():\n    pass\n\n\f\ndef b():\n    TARGET = 1\n',
    'u.txt': 'x\u2028y\n\vz\nTARGET\n',
  };

  it.each([
    ['m.py', 6, '    TARGET = 1\n'],
    ['u.txt', 3, 'TARGET\n'],
  ])('in %s', async (path, line, content) => {
    expect((await ask(tree, '/grep', { pattern: 'TARGET', path })).matches).toMatchObject([{ line }]);
    expect(await ask(tree, '/read', { path, startLine: `${line}`, endLine: `${line}` })).toMatchObject({
      content,
      total_lines: line,
    });
  });
});

describe('C27: a last line without a line feed', () => {
  const tree: Tree = { 'n.txt': 'x1\nx2\nx3', 'y.txt': 'x1\nx2\nx3\n', 'b.txt': 'x\n\n' };

  it.each([
    ['n.txt', 'x1\nx2\nx3', 3],
    ['y.txt', 'x1\nx2\nx3\n', 3],
    ['b.txt', 'x\n\n', 2],
  ])('%s is given as it is, and has its number of lines', async (path, content, lines) => {
    expect(await ask(tree, '/read', { path })).toMatchObject({ content, total_lines: lines, truncated: false });
  });

  it('is a line like any other', async () => {
    const [first, last] = [
      { startLine: '1', endLine: '2' },
      { startLine: '3', endLine: '3' },
    ];
    expect(await ask(tree, '/read', { path: 'n.txt', ...first })).toMatchObject({
      total_lines: 3,
      next: { startLine: 3 },
    });
    expect((await ask(tree, '/read', { path: 'n.txt', ...last })).content).toBe('x3');
  });

  it('and no line follows a line feed at the end', async () => {
    expect(await ask(tree, '/read', { path: 'y.txt', startLine: '4' })).toMatchObject({ status: 416, total_lines: 3 });
  });
});

describe('C28: a range past the end, and the empty file', () => {
  const tree: Tree = { 'five.txt': '1\n2\n3\n4\n5\n', 'empty.txt': '' };

  it('a range past the end is told with the number of lines, and not as an empty file', async () => {
    const reply = await ask(tree, '/read', { path: 'five.txt', startLine: '100' });
    expect(reply).toMatchObject({ status: 416, code: 'RANGE_PAST_END', total_lines: 5 });
    expect(reply.detail).not.toMatch(/empty/);
  });

  it('an end past the end is the real end', async () => {
    const query = { path: 'five.txt', startLine: '4', endLine: '99' };
    expect(await ask(tree, '/read', query)).toMatchObject({ content: '4\n5\n', end_line: 5 });
  });

  it.each([{}, { startLine: '1', endLine: '10' }])('the empty file with %j is read', async (range: Query) => {
    expect(await ask(tree, '/read', { path: 'empty.txt', ...range })).toMatchObject({
      content: '',
      total_lines: 0,
      truncated: false,
    });
  });
});

describe('C29: maxBytes cuts no character in two', () => {
  const tree: Tree = { 'e.txt': 'abc€€', 'm.txt': 'a🌍b', 'bad.txt': Buffer.from('ok\xff', 'latin1') };

  it.each([
    ['e.txt', '5', 'abc', true],
    ['e.txt', '6', 'abc€', true],
    ['e.txt', '9', 'abc€€', false],
    ['m.txt', '3', 'a', true],
    ['m.txt', '5', 'a🌍', true],
    ['e.txt', '0', 'abc€€', false],
  ])('%s up to %s bytes', async (path, maxBytes, content, truncated) => {
    const reply = await ask(tree, '/read', { path, maxBytes });
    expect([reply.content, reply.truncated, reply.lossy]).toEqual([content, truncated, undefined]);
  });

  it('bytes that are no text are replaced, and that is told', async () => {
    expect(await ask(tree, '/read', { path: 'bad.txt' })).toMatchObject({ content: 'ok\ufffd', lossy: true });
  });
});

describe('C31: UTF-16, and byte order marks', () => {
  const le = Buffer.from('hello κόσμε\n', 'utf16le');
  const tree: Tree = {
    'le.txt': Buffer.concat([Buffer.from('fffe', 'hex'), le]),
    'be.txt': Buffer.concat([Buffer.from('feff', 'hex'), Buffer.from(le).swap16()]),
    'nobom.txt': le,
    'bom8.txt': '\ufefftest one\n',
  };

  it.each([
    ['le.txt', {}],
    ['be.txt', {}],
    ['nobom.txt', { encoding: 'utf-16le' }],
  ])('%s is read', async (path, query: Query) => {
    expect((await ask(tree, '/read', { path, ...query })).content).toBe('hello κόσμε\n');
  });

  it('text is found in what a mark tells to be UTF-16', async () => {
    expect(hitsOf(await ask(tree, '/grep', { pattern: 'κόσμε' }))).toEqual(['/be.txt:1', '/le.txt:1']);
  });

  it('text is found in UTF-16 without a mark when it is asked for as that', async () => {
    const query = { pattern: 'κόσμε', path: 'nobom.txt', encoding: 'utf-16le' };
    expect((await ask(tree, '/grep', query)).matches).toEqual([{ path: '/nobom.txt', line: 1, text: 'hello κόσμε' }]);
  });

  it('a mark is not the first character of a line', async () => {
    const { matches } = await ask(tree, '/grep', { pattern: '^test', isRegex: 'true' });
    expect(matches).toEqual([{ path: '/bom8.txt', line: 1, text: 'test one' }]);
  });
});

describe('C32: legacy encodings', () => {
  const tree: Tree = {
    'g.txt': Buffer.from('d6d0cec4b2e2cad40a', 'hex'),
    'sj.txt': Buffer.from('836583588367'.concat('0a'), 'hex'),
    'l1.txt': Buffer.from('caf\xe9\n', 'latin1'),
  };

  it.each([
    ['g.txt', 'gbk', '中文测试\n'],
    ['sj.txt', 'shift_jis', 'テスト\n'],
    ['l1.txt', 'latin1', 'café\n'],
  ])('%s is read as %s', async (path, encoding, content) => {
    expect(await ask(tree, '/read', { path, encoding })).toEqual(expect.objectContaining({ content }));
  });

  it('are told to be no UTF-8 where none is named', async () => {
    expect(await ask(tree, '/read', { path: 'g.txt' })).toMatchObject({
      lossy: true,
      encoding: 'utf-8',
      content: expect.stringContaining('\ufffd'),
    });
  });

  it('that nobody knows are refused', async () => {
    expect(await ask(tree, '/read', { path: 'g.txt', encoding: 'klingon' })).toMatchObject({
      status: 400,
      code: 'ENCODING_UNKNOWN',
      detail: expect.stringContaining('klingon'),
    });
  });
});

describe('C45: one very long line', () => {
  const tree: Tree = { 'm.js': `${'é'.repeat(3_000_000)}MATCHME${'y'.repeat(2_000_000)}\n` };

  it('is shown around the match', async () => {
    const reply = await ask(tree, '/grep', { pattern: 'MATCHME' });
    const [match] = reply.matches;
    expect(match).toMatchObject({ line: 1, clipped: true, column: 3_000_001 });
    expect(match.text).toMatch(/^é*MATCHMEy*$/);
    expect([...match.text].length).toBeLessThanOrEqual(500);
    expect(reply.truncated).toBe(false);
  });

  it("is read up to the server's limit, with the place to go on", async () => {
    const query = { path: 'm.js', startLine: '1', endLine: '1' };
    const reply = await ask(tree, '/read', query, { maxReadBytes: 1_000_001 });
    expect([reply.content.length, reply.truncated, reply.truncated_by, reply.next]).toEqual([
      500_000,
      true,
      'limit',
      { startLine: 1, startColumn: 500_001 },
    ]);
  });
});

describe('C50: a colon in a name', () => {
  const tree: Tree = { 'device_2026:06_syslog.log': 'k: v http://x:1\n', 'dir:name/file.txt': 'k: v\n' };

  it('does not cut paths or lines', async () => {
    expect((await ask(tree, '/grep', { pattern: 'k: v' })).matches).toEqual([
      { path: '/device_2026:06_syslog.log', line: 1, text: 'k: v http://x:1' },
      { path: '/dir:name/file.txt', line: 1, text: 'k: v' },
    ]);
  });

  it('does not do so when that file alone is searched', async () => {
    const query = { pattern: 'k: v', path: 'dir:name/file.txt' };
    expect((await ask(tree, '/grep', query)).matches).toEqual([{ path: '/dir:name/file.txt', line: 1, text: 'k: v' }]);
  });
});

describe.skipIf(process.platform !== 'linux')(
  'C52: names that are not UTF-8 (skipped where names must be text)',
  () => {
    async function withBadNames() {
      const root = plant({ 'ok.txt': 'hit\n' });
      for (const byte of [0xfe, 0xff]) {
        const path = Buffer.concat([Buffer.from(`${root}/bad_`), Buffer.from([byte]), Buffer.from('.txt')]);
        writeFileSync(path, `hit ${byte}\n`);
        // A folder with such names cannot be removed by a tool that takes them for text.
        onTestFinished(() => rmSync(path));
      }
      return serviceAt(root);
    }

    it.each([
      ['/ls', {}],
      ['/grep', { pattern: 'hit' }],
      ['/find', { pattern: '*.txt' }],
      ['/glob', { pattern: '*.txt' }],
    ])('are all shown by %s, each with its bytes', async (path, query: Query) => {
      const { get } = await withBadNames();
      const reply = (await get(path, query)).json();
      const shown = (reply.entries ?? reply.matches).map((record: Record<string, string>) => [
        record['path'],
        record['path_bytes'] === undefined ? undefined : Buffer.from(record['path_bytes'], 'base64').toString('latin1'),
      ]);
      expect(shown).toEqual([
        ['/bad_\ufffd.txt', '/bad_\xfe.txt'],
        ['/bad_\ufffd.txt', '/bad_\xff.txt'],
        ['/ok.txt', undefined],
      ]);
    });

    it('are read by their bytes', async () => {
      const { get } = await withBadNames();
      const [, second] = (await get('/ls')).json().entries;
      expect((await get('/read', { pathBytes: second.path_bytes })).json().content).toBe('hit 255\n');
    });
  },
);
