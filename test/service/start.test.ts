import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SETTINGS, type SettingShape, variableOf } from '../../src/settings.ts';
import { type Launch, run, SERVER, start } from '../helpers/process.ts';
import { plant, scratch } from '../helpers/tree.ts';

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const SECRET = 'hunter2-5f0c';

/** How a start that is refused ends. */
async function refused(launch: Launch) {
  const { code, stderr, stdout } = await run(launch);
  return { code, stdout, lines: stderr.trimEnd().split('\n') };
}

describe('the command line', () => {
  it('is built', () => {
    expect(existsSync(SERVER), 'npm run build comes before these tests').toBe(true);
  });

  it('--help lists every setting by its flag, or by its variable where it has no flag', async () => {
    const { code, stdout } = await run({ args: ['--help'] });
    const names = Object.entries<SettingShape>(SETTINGS).map(([name, { onlyVariable }]) =>
      onlyVariable === true ? variableOf(name) : `--${name}`,
    );
    expect([code, names.filter((name) => !new RegExp(`^ +${name}\\b`, 'm').test(stdout))]).toEqual([0, []]);
  });

  it('--help is shown whatever else is wrong', async () => {
    expect(await run({ args: ['--help', '--port', 'x'] })).toMatchObject({ code: 0, stderr: '' });
  });

  it('--version is that of the package', async () => {
    expect(await run({ args: ['--version'] })).toMatchObject({ code: 0, stdout: `${PACKAGE.version}\n`, stderr: '' });
  });

  it.each([
    ['an unknown flag', ['--prot', '80'], /--prot/],
    ['a flag without its value', ['--port'], /--port/],
    ['an empty flag', ['--root='], /--root/],
    ['a value for a switch', ['--allow-root=yes'], /--allow-root/],
    ['a word that belongs to no flag', ['serve'], /serve/],
    ['the token, which others could read there', ['--token', SECRET], /--token/],
  ])('refuses %s in one line', async (_, args, name) => {
    expect(await refused({ args })).toEqual({ code: 2, stdout: '', lines: [expect.stringMatching(name)] });
  });
});

describe('a setting that cannot be used', () => {
  it.each([
    ['FS_PORT', SECRET],
    ['FS_PORT', '70000'],
    ['FS_PORT', '-1'],
    ['FS_PORT', '8080.5'],
    ['FS_MAX_RESULTS', '0'],
    ['FS_MAX_RESULTS', '1e3'],
    ['FS_MAX_READ_BYTES', '15'],
    ['FS_TIMEOUT_MS', '0'],
    ['FS_TIMEOUT_MS', '99999999999'],
    ['FS_CONCURRENCY', '0'],
    ['FS_CONCURRENCY', '1025'],
    ['FS_MAX_WAITING', '-1'],
    ['FS_MAX_BODY_BYTES', '10'],
    ['FS_MAX_HEADER_BYTES', '100'],
    ['FS_HEADERS_TIMEOUT_MS', '0'],
    ['FS_REQUEST_TIMEOUT_MS', '9999'],
    ['FS_MAX_JSON_DEPTH', '257'],
    ['FS_MAX_PATTERN_LENGTH', '1025'],
    ['FS_MAX_ALTERNATIVES', '1001'],
    ['FS_MAX_LINE_LENGTH', '100001'],
    ['FS_MAX_REGEX_MB', '0'],
    ['FS_MAX_OUTPUT_MB', '0'],
    ['FS_LOG_LEVEL', SECRET],
    ['FS_POLICY', SECRET],
    ['FS_ALLOW_ROOT', SECRET],
    ['FS_ALLOW_REMOTE', SECRET],
    ['FS_ALLOW_ORIGIN', SECRET],
    ['FS_TOKEN_FILE', `/nonexistent/${SECRET}`],
    ['FS_BLOCKED_FILE', `/nonexistent/${SECRET}`],
  ])('%s=%s ends the start with status 2 and one line that names it and not its value', async (name, value) => {
    const { code, lines, stdout } = await refused({ args: ['--root', plant({})], env: { [name]: value } });
    expect([code, stdout, lines]).toEqual([2, '', [expect.stringContaining(name)]]);
    if (value.includes(SECRET)) expect(lines[0]).not.toContain(SECRET);
  });

  it.each([
    [['--port', 'eighty'], '--port'],
    [['--policy', 'lax'], '--policy'],
    [['--max-results', '0'], '--max-results'],
    [['--log-level', 'loud'], '--log-level'],
    [['--allow-origin', 'localhost:3000'], '--allow-origin'],
    [['--allow-origin', 'http://localhost/page'], '--allow-origin'],
    [['--token-file', '/nonexistent/token'], '--token-file'],
  ])('%j is told by its flag', async (args, name) => {
    const { code, lines } = await refused({ args: ['--root', plant({}), ...args] });
    expect([code, lines]).toEqual([2, [expect.stringContaining(name)]]);
  });

  it.each(['..', 'a/../b', '/', '!', '{..,a}'])(
    'the blocked pattern %s, which can block nothing, stops the start',
    async (pattern) => {
      const { code, lines } = await refused({ args: ['--root', plant({}), '--blocked', pattern] });
      expect([code, lines]).toEqual([2, [expect.stringContaining(pattern)]]);
    },
  );

  it('a blocked pattern in a file stops the start, too', async () => {
    const file = join(scratch(), 'rules');
    writeFileSync(file, '# rules\nok\na/../b\n');
    const { code, lines } = await refused({ args: ['--root', plant({}), '--blocked-file', file] });
    expect([code, lines]).toEqual([2, [expect.stringContaining('a/../b')]]);
  });

  it('a token given twice is refused, and neither is told', async () => {
    const file = join(scratch(), 'token');
    writeFileSync(file, 'another\n');
    const { code, lines } = await refused({
      args: ['--root', plant({}), '--token-file', file],
      env: { FS_TOKEN: SECRET },
    });
    expect([code, lines]).toEqual([2, [expect.stringMatching(/^(?!.*hunter2)(?!.*another).*FS_TOKEN/)]]);
  });

  it.each(['', '\n', '  \n'])('a token file whose first line is %j is refused', async (content) => {
    const file = join(scratch(), 'token');
    writeFileSync(file, content);
    const { code, lines } = await refused({ args: ['--root', plant({}), '--token-file', file] });
    expect([code, lines]).toEqual([2, [expect.stringContaining('--token-file')]]);
  });

  it('an empty variable counts as unset', async () => {
    const names = Object.keys(SETTINGS).filter((name) => name !== 'root' && name !== 'port');
    const env = Object.fromEntries(names.map((name) => [variableOf(name), '']));
    const service = await start(plant({ 'a.txt': 'a' }), { env });
    expect((await service.ask('/ls')).json().count).toBe(1);
  });
});

describe('settings', () => {
  it('a flag goes before its variable', async () => {
    const service = await start(plant({ a: '', b: '', c: '' }), {
      args: ['--max-results', '2'],
      env: { FS_MAX_RESULTS: '1' },
    });
    expect((await service.ask('/ls')).json().count).toBe(2);
  });

  it('the root may be a variable', async () => {
    const root = plant({ 'a.txt': 'a' });
    const { code, stderr } = await run({ args: ['--port', '0', '--socket', join(root, 's')], env: { FS_ROOT: root } });
    // A socket inside the root is refused: so the root was read.
    expect([code, stderr]).toEqual([2, expect.stringContaining('--socket')]);
  });

  it('the root is the folder that it is started in, without another', async () => {
    const root = plant({ 'here.txt': '' });
    const service = await start('.', { cwd: root });
    expect((await service.ask('/ls')).json().entries).toMatchObject([{ path: '/here.txt' }]);
  });

  it.each([
    ['the default set', [], ['/k.pem', '/open.txt', '/private/']],
    ['the strict set', ['--policy', 'strict'], ['/open.txt', '/private/']],
    ['no set', ['--policy', 'none'], ['/.env', '/k.pem', '/open.txt', '/private/']],
    [
      'patterns of its own, and an exception',
      ['--blocked', 'private/', '--blocked', '!.env'],
      ['/.env', '/k.pem', '/open.txt'],
    ],
  ])('the policy may be %s', async (_, args, paths) => {
    const root = plant({ '.env': '', 'k.pem': '', 'open.txt': '', 'private/x': '' });
    const service = await start(root, { args });
    expect((await service.ask('/ls')).json().entries.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('blocked patterns may be a variable with commas, and hold some in braces and brackets', async () => {
    const root = plant({ a: '', 'b.x': '', 'b.y': '', ',': '', d: '' });
    const service = await start(root, { env: { FS_BLOCKED: 'a, b.{x,y},[,]' } });
    expect((await service.ask('/ls')).json().entries).toMatchObject([{ path: '/d' }]);
  });

  it('commas inside braces and brackets of such a variable belong to the pattern', async () => {
    const root = plant({ 'd/a.pem': '', 'd/b.pem': '', 'd/c.pem': '', 'x,': '', x1: '', y: '' });
    const service = await start(root, { env: { FS_BLOCKED: '**/{a,b}.pem, x[,1], [y]' } });
    const { matches } = (await service.ask('/glob?pattern=**')).json();
    expect(matches).toMatchObject([{ path: '/d/c.pem' }]);
  });

  it.each([
    ['a variable', { env: { FS_BLOCKED: 'x,**/{a,b.pem' } }],
    ['a flag', { args: ['--blocked', '**/{a,b.pem'] }],
    ['a flag that closes what was not opened', { args: ['--blocked', '**/a,b}.pem'] }],
  ])('a brace that has no other half, in %s, stops the start', async (_, { args = [], env = {} }: Launch) => {
    const { code, lines } = await refused({ args: ['--root', plant({}), ...args], env });
    expect([code, lines]).toEqual([2, [expect.stringMatching(/blocked pattern '.*' cannot work: .*brace/)]]);
  });

  it('the token may stand on the first line of a file', async () => {
    const file = join(scratch(), 'token');
    writeFileSync(file, `${SECRET}\nsecond line\n`);
    const service = await start(plant({}), { args: ['--token-file', file] });
    const replies = [
      await service.ask('/ls'),
      await service.ask('/ls', { headers: { authorization: `Bearer ${SECRET}` } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([401, 200]);
  });

  it('--max-read-bytes bounds a read', async () => {
    const service = await start(plant({ 'a.txt': 'x'.repeat(100) }), { args: ['--max-read-bytes', '16'] });
    expect((await service.ask('/read?path=a.txt')).json()).toMatchObject({
      content: 'x'.repeat(16),
      truncated: true,
      truncated_by: 'limit',
    });
  });

  it('what a request may be, and may cost, is bounded as the settings say', async () => {
    const settings = {
      'max-body-bytes': 2000,
      'max-header-bytes': 2000,
      'max-json-depth': 5,
      'max-pattern-length': 20,
      'max-alternatives': 3,
      'max-line-length': 10,
      'max-regex-mb': 1,
      'max-output-mb': 1,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const service = await start(plant({ 'a.txt': 'a line that is long\n'.repeat(200_000) }), { args });
    const statuses = [
      await service.execute({ action: 'ls', x: ' '.repeat(2000) }),
      await service.ask(`/ls?path=${'a'.repeat(2000)}`),
      await service.execute({ action: 'ls', input: { x: [[[[1]]]] } }),
      await service.ask(`/glob?excludeGlob=x&pattern=${'a'.repeat(21)}`),
      await service.ask('/glob?excludeGlob=x&pattern={a,b,c,d}'),
      await service.ask(`/grep?excludeGlob=x&isRegex=true&pattern=${encodeURIComponent('\\w{60}')}`),
    ].map(({ status }) => status);
    const lines = (await service.ask('/grep?excludeGlob=x&isRegex=true&pattern=lo[n]g&maxResults=190000')).json();
    expect(statuses).toEqual([413, 431, 400, 400, 400, 400]);
    expect(lines).toMatchObject({ truncated: true, truncated_by: 'limit' });
    expect(lines.matches[0].text).toHaveLength(10);
  });

  it.each([
    ['headers', '', 408],
    ['a body', 'POST /execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n', 408],
  ])('a caller has as long for %s as the settings say', async (_, bytes, status) => {
    const args = ['--headers-timeout-ms', '200', '--request-timeout-ms', '300'];
    const { address } = await start(plant({}), { args });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write(bytes);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('the log says where it listens, on what, and how well it is contained', async () => {
    const root = plant({});
    const { address, log } = await start(root);
    const line = await log.line(({ msg }) => String(msg).startsWith('listening on'));
    expect(line['msg']).toMatch(
      new RegExp(`^listening on ${address}, root ${root}, containment:? (strict|best-effort)`),
    );
  });
});

describe('an .agentignore of more than 64 KiB', () => {
  it('is told to the operator once, whichever thread meets it', async () => {
    const service = await start(plant({ '.agentignore': `x\n${'#\n'.repeat(40_000)}`, x: '' }));
    const listings = await Promise.all(Array.from({ length: 8 }, () => service.ask('/ls')));
    await service.ask('/ls');
    const warnings = service.log.lines.filter(({ level }) => level === 40);
    expect(listings.map((answer) => answer.json().count)).toEqual(listings.map(() => 1));
    expect(warnings).toMatchObject([{ msg: expect.stringMatching(/\.agentignore is larger than 64 KiB/) }]);
  });
});

describe('the root', () => {
  it.each(['/', '/etc', '/proc', '/sys', '/dev', '/usr', '/root', '/etc/', '/tmp/../etc', '/etc/ssl', '/nonexistent'])(
    '%s is refused in one line',
    async (root) => {
      const { code, lines } = await refused({ args: ['--root', root] });
      expect([code, lines]).toEqual([2, [expect.stringContaining('--root')]]);
    },
  );

  it('that is a file is refused', async () => {
    const root = plant({ 'a.txt': '' });
    expect(await refused({ args: ['--root', join(root, 'a.txt')] })).toMatchObject({ code: 2, lines: [/--root/] });
  });

  it.each([
    ['itself', 'home'],
    ['through a link', 'link'],
    ['below its keys', 'home/.ssh/sub'],
  ])('that is the home folder is refused: %s', async (_, path) => {
    const folder = scratch();
    const home = plant({ '.ssh/sub/x': '', 'work/a.txt': '' }, folder);
    symlinkSync(home, join(folder, 'link'));
    const root = join(folder, path.replace(/^home/, 'ws'));
    const { code, lines } = await refused({ args: ['--root', root], env: { HOME: home } });
    expect([code, lines]).toEqual([2, [expect.stringContaining('--allow-root')]]);
  });

  it('may be a folder in the home folder', async () => {
    const home = plant({ 'work/a.txt': '' });
    const service = await start(join(home, 'work'), { env: { HOME: home } });
    expect((await service.ask('/ls')).json().count).toBe(1);
  });

  it('may be a link to a system folder no more than the folder itself', async () => {
    const link = join(scratch(), 'link');
    symlinkSync('/etc', link);
    expect((await refused({ args: ['--root', link] })).code).toBe(2);
  });

  it.each([
    ['a flag', { args: ['--allow-root'] }],
    ['a variable', { env: { FS_ALLOW_ROOT: 'true' } }],
  ])('is served all the same when the operator insists by %s', async (_, launch: Launch) => {
    const home = plant({ 'a.txt': '' });
    const service = await start(home, { ...launch, env: { HOME: home, ...launch.env } });
    expect((await service.ask('/ls')).json().count).toBe(1);
  });

  it('may not hold the token file', async () => {
    const root = plant({ token: SECRET });
    const { code, lines } = await refused({ args: ['--root', root, '--token-file', join(root, 'token')] });
    expect([code, lines]).toEqual([2, [expect.stringMatching(/^(?!.*hunter2).*--token-file.*inside the root/)]]);
  });

  it('may not hold the token file behind a link', async () => {
    const folder = scratch();
    const root = plant({ token: SECRET }, folder);
    symlinkSync(join(root, 'token'), join(folder, 'link'));
    expect((await refused({ args: ['--root', root, '--token-file', join(folder, 'link')] })).code).toBe(2);
  });

  it('may not hold the socket', async () => {
    const root = plant({});
    expect((await refused({ args: ['--root', root, '--socket', join(root, 's')] })).code).toBe(2);
  });

  it('stays the folder that it was at the start, whatever takes its name', async () => {
    const folder = scratch();
    const root = plant({ 'first.txt': '' }, folder);
    const service = await start(root);
    execFileSync('mv', [root, join(folder, 'moved')]);
    plant({ 'second.txt': '' }, folder);
    expect((await service.ask('/ls')).json().entries).toMatchObject([{ path: '/first.txt' }]);
  });
});

describe('the address', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.com'])('%s is refused without a token', async (host) => {
    const { code, lines } = await refused({ args: ['--root', plant({}), '--host', host] });
    expect([code, lines]).toEqual([2, [expect.stringMatching(/--host.*--allow-remote/)]]);
  });

  it.each(['127.0.0.1', 'localhost', '127.0.0.2'])('%s is local', async (host) => {
    const service = await start(plant({}), { args: ['--host', host] });
    expect((await service.ask('/ls')).status).toBe(200);
  });

  it('of which another process makes use ends the start in one line', async () => {
    const { address } = await start(plant({}));
    const { code, stderr } = await run({ args: ['--root', plant({}), '--port', new URL(address).port] });
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      1,
      [expect.stringMatching(/address already in use|EADDRINUSE/)],
    ]);
  });
});

describe('a unix socket', () => {
  it('is for the owner alone', async () => {
    const socket = join(scratch(), 's');
    const service = await start(plant({ 'a.txt': 'a' }), { args: ['--socket', socket] });
    expect([statSync(socket).mode & 0o777, (await service.ask('/read?path=a.txt')).json().content]).toEqual([
      0o600,
      'a',
    ]);
  });

  it('that a killed process left is taken over', async () => {
    const socket = join(scratch(), 's');
    const killed = await start(plant({}), { args: ['--socket', socket] });
    killed.kill('SIGKILL');
    await killed.ended;
    const isLeft = existsSync(socket);
    const service = await start(plant({ 'a.txt': 'a' }), { args: ['--socket', socket] });
    expect([isLeft, (await service.ask('/ls')).status]).toEqual([true, 200]);
  });

  it('that somebody listens on is not taken away', async () => {
    const socket = join(scratch(), 's');
    const first = await start(plant({}), { args: ['--socket', socket] });
    const { code, lines } = await refused({ args: ['--root', plant({}), '--socket', socket] });
    expect([code, lines, (await first.ask('/ls')).status]).toEqual([2, [expect.stringContaining('--socket')], 200]);
  });

  it('where a file lies leaves that file as it is', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, 'precious');
    await start(plant({}), { args: ['--socket', file] }).catch(() => undefined);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('precious');
  });

  it('is gone when the service has ended', async () => {
    const socket = join(scratch(), 's');
    const service = await start(plant({}), { args: ['--socket', socket] });
    service.kill('SIGTERM');
    await service.ended;
    expect(existsSync(socket)).toBe(false);
  });
});
