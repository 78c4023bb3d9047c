import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eitherWay } from '../helpers/either-way.ts';
import { pathsOf, runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { plant } from '../helpers/tree.ts';

const isLinux = process.platform === 'linux';

const ODD_NAMES = [
  ' leading and trailing ',
  '-rf',
  '--files',
  'a\nb',
  'tab\there',
  'quote\'s "and" `more`',
  '$(echo)',
  '{a,b}',
  '[x]',
  '*',
  '?',
  '!neg',
  '#hash',
  'back\\slash',
  'C:\\Windows',
  'a..b',
  '..a',
  'a~',
  '~tilde',
  'é',
  'e\u0301',
  '日本語',
  '😀',
  '\u2028line',
  '\u202etxt',
  '\u001b[31mred',
  'colon:1:2',
  'x'.repeat(255),
];

describe('a name such as', () => {
  test.each(ODD_NAMES)('%j is listed, found, globbed and searched, and its path can be sent back', async (name) => {
    const { find, glob, grep, ls, read } = runnerOn({ [`d/${name}`]: 'needle\n', 'd/other': 'hay\n' });
    const path = `/d/${name}`;

    expect([
      pathsOf(await ls({ path: 'd' })).filter((shown) => shown !== '/d/other'),
      pathsOf(await find({ pattern: name.replaceAll(/[[*?]/g, '[$&]') })),
      pathsOf(await glob({ pattern: `d/${name.replaceAll(/[[\]*?{}\\]/g, '\\$&')}` })),
      pathsOf(await eitherWay(grep, { pattern: 'needle' })),
      (await read({ path })).content,
      pathsOf(await eitherWay(grep, { pattern: 'needle', path })),
    ]).toEqual([[path], [path], [path], [path], 'needle\n', [path]]);
  });

  test.each(ODD_NAMES)('%j can be a folder', async (name) => {
    const { grep, ls } = runnerOn({ [`d/${name}/f`]: 'needle\n' });
    const folder = `/d/${name}/`;

    expect([
      pathsOf(await ls({ path: 'd' })),
      pathsOf(await ls({ path: folder })),
      pathsOf(await eitherWay(grep, { pattern: 'needle' })),
    ]).toEqual([[folder], [`${folder}f`], [`${folder}f`]]);
  });

  test.skipIf(!isLinux)('that differ in their normal form alone are two files (Linux only)', async () => {
    const { read } = runnerOn({ é: 'composed', 'e\u0301': 'decomposed' });

    expect([(await read({ path: 'é' })).content, (await read({ path: 'e\u0301' })).content]).toEqual([
      'composed',
      'decomposed',
    ]);
  });
});

describe.skipIf(!isLinux)('a name that is not UTF-8 (Linux only: other systems refuse it)', () => {
  function runner(names: readonly string[]) {
    const root = plant({ other: '' });
    for (const name of names) writeFileSync(Buffer.from(join(root, name), 'latin1'), 'needle\n');
    return runnerOf(workspaceAt(root));
  }
  const bytesOf = (path: string) => Buffer.from(path, 'latin1').toString('base64');

  test('is shown with U+FFFD and its bytes by ls, find, glob and grep', async () => {
    const { find, glob, grep, ls } = runner(['caf\xe9']);
    const shown = { path: '/caf\ufffd', path_bytes: bytesOf('/caf\xe9') };

    const replies = [
      await find({ pattern: 'caf?' }),
      await glob({ pattern: 'caf*' }),
      await eitherWay(grep, { pattern: 'needle' }),
    ];

    expect([(await ls()).entries[0], ...replies.map(({ matches }) => matches[0])]).toMatchObject([
      shown,
      shown,
      shown,
      shown,
    ]);
  });

  test('is read and searched by its bytes, and the reply shows them', async () => {
    const { grep, read } = runner(['caf\xe9']);
    const pathBytes = bytesOf('/caf\xe9');

    expect([
      await read({ pathBytes }),
      (await eitherWay(grep, { pathBytes, pattern: 'needle' })).matches[0],
    ]).toMatchObject([
      { path: '/caf\ufffd', path_bytes: pathBytes, content: 'needle\n' },
      { path: '/caf\ufffd', path_bytes: pathBytes, line: 1 },
    ]);
  });

  test('is not merged with another that is shown in the same way', async () => {
    const { grep, ls } = runner(['\xe8', '\xe9']);
    const bytes = [bytesOf('/\xe8'), bytesOf('/\xe9')];
    const bytesIn = (records: { path_bytes?: string }[]) => records.flatMap(({ path_bytes }) => path_bytes ?? []);

    expect([bytesIn((await ls()).entries), bytesIn((await eitherWay(grep, { pattern: 'needle' })).matches)]).toEqual([
      bytes,
      bytes,
    ]);
  });

  test('counts as a file of its own for maxFiles', async () => {
    const { grep } = runner(['\xe8', '\xe9']);

    expect(await eitherWay(grep, { pattern: 'needle', maxFiles: 1 })).toMatchObject({ count: 1, truncated: true });
  });

  test('stands where its bytes sort', async () => {
    const { ls } = runner(['z', '\xff', '\xc3\xa9']);

    expect(pathsOf(await ls())).toEqual(['/other', '/z', '/é', '/\ufffd']);
  });

  test('has the slash of a folder in its bytes, too', async () => {
    const root = plant({ other: '' });
    mkdirSync(Buffer.from(join(root, 'd\xe9'), 'latin1'));
    const { ls } = runnerOf(workspaceAt(root));

    const [entry] = (await ls({ type: 'directory' })).entries;

    expect([entry.path, entry.path_bytes, (await ls({ pathBytes: entry.path_bytes })).path_bytes]).toEqual([
      '/d\ufffd/',
      bytesOf('/d\xe9/'),
      bytesOf('/d\xe9/'),
    ]);
  });
});

describe('pathBytes', () => {
  test('of a UTF-8 path is that path', async () => {
    const { read } = runnerOn({ 'd/é': 'x' });
    const reply = await read({ pathBytes: Buffer.from('/d/é').toString('base64') });

    expect([reply.path, reply.path_bytes, reply.content]).toEqual(['/d/é', undefined, 'x']);
  });

  test.each([null, undefined])('is taken beside a path that is %j', async (path) => {
    expect((await runnerOn({ 'd/x': '' }).ls({ path, pathBytes: 'ZA==' })).path).toBe('/d/');
  });

  test('is not taken beside path', async () => {
    await expect(runnerOn({}).ls({ path: 'a', pathBytes: 'YQ==' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('that is no base64 is refused', async () => {
    await expect(runnerOn({}).ls({ pathBytes: 'a*b' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('is held to the rules on paths', async () => {
    const pathBytes = Buffer.from('a/../b').toString('base64');

    await expect(runnerOn({}).ls({ pathBytes })).rejects.toMatchObject({ code: 'PATH_INVALID' });
  });
});
