import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { landlockAbi } from '../../src/workspace/landlock.ts';
import { run, start } from '../helpers/process.ts';
import { plant, scratch } from '../helpers/tree.ts';

const abi = landlockAbi();
const CONNECTIONS = 4;
/** Which Node leaves to programs, and the service has no use for. */
const SIGNAL = 'SIGCONT';

/**
 * A module that Node loads before the service. On a signal it tries what
 * somebody would who had taken the service over, and writes what came of it
 * into a file that was open before the wall stood.
 */
function plantIntruder(root: string): { env: Record<string, string>; report: string } {
  const folder = scratch();
  const report = join(folder, 'report');
  const module = join(folder, 'intruder.mjs');
  writeFileSync(report, '');
  writeFileSync(
    module,
    `
    import { spawnSync } from 'node:child_process';
    import fs from 'node:fs';
    import net from 'node:net';
    const [root, folder, report] = ${JSON.stringify([root, folder, report])};
    const fd = fs.openSync(report, 'a');
    const outcome = (act) => { try { act(); return 'done'; } catch ({ code }) { return code; } };
    const connecting = () => new Promise((resolve) => {
      const socket = net.connect(9, '127.0.0.1');
      socket.on('connect', () => resolve('done')).on('error', ({ code }) => resolve(code));
    });
    process.on('${SIGNAL}', async () => {
      const results = {
        read: outcome(() => fs.readFileSync(root + '/a.txt')),
        readOutside: outcome(() => fs.readFileSync(root + '/../out')),
        readSystem: outcome(() => fs.readFileSync('/etc/passwd')),
        listSystem: outcome(() => fs.readdirSync('/')),
        write: outcome(() => fs.writeFileSync(root + '/new', 'x')),
        append: outcome(() => fs.appendFileSync(root + '/a.txt', 'x')),
        remove: outcome(() => fs.unlinkSync(root + '/a.txt')),
        rename: outcome(() => fs.renameSync(root + '/a.txt', root + '/b.txt')),
        makeFolder: outcome(() => fs.mkdirSync(root + '/d')),
        makeLink: outcome(() => fs.symlinkSync('/etc', root + '/l')),
        writeOutside: outcome(() => fs.writeFileSync(folder + '/new', 'x')),
        runProgram: spawnSync('/bin/sh', ['-c', 'true']).error?.code ?? 'done',
        connect: await connecting(),
      };
      fs.writeSync(fd, JSON.stringify(results));
    });
    `,
  );
  return { env: { NODE_OPTIONS: `--import=${pathToFileURL(module)}` }, report };
}

/** What a service that was taken over can do, which runs with these arguments. */
async function taken(args: readonly string[]): Promise<Record<string, string>> {
  const root = plant({ 'a.txt': 'needle\n', '../out': 'OUTSIDE' });
  const { env, report } = plantIntruder(root);
  const service = await start(root, { args, env });
  service.kill(SIGNAL);
  await vi.waitUntil(() => statSync(report).size > 0, { timeout: 20_000, interval: 20 });
  return JSON.parse(readFileSync(report, 'utf8'));
}

describe.skipIf(abi === 0)(abi > 0 ? 'the second wall' : 'the second wall (SKIPPED: needs Landlock)', () => {
  it('leaves a service that was taken over nothing but reading the root', async () => {
    const { connect, read, ...denied } = await taken(['--landlock', 'on']);
    expect([read, connect]).toEqual(['done', abi < CONNECTIONS ? 'ECONNREFUSED' : 'EACCES']);
    expect(denied).toEqual(Object.fromEntries(Object.keys(denied).map((what) => [what, 'EACCES'])));
  });

  it('is what denies it: without it the same can be done', async () => {
    const { connect, ...done } = await taken(['--landlock', 'off']);
    expect(connect).toBe('ECONNREFUSED');
    // The file has its other name by then, or is gone.
    const { rename, ...others } = done;
    expect(rename).toBe('ENOENT');
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((what) => [what, 'done'])));
  });

  it('is told by the service, and keeps it from nothing that it does', async () => {
    const root = plant({ 'a.txt': 'needle\n', 'd/b.txt': 'x' });
    const service = await start(root, { args: ['--landlock', 'on', '--socket', join(scratch(), 's')] });
    const replies = [
      await service.ask('/readyz'),
      await service.ask('/grep?pattern=n[e]edle&isRegex=true'),
      await service.ask('/glob?pattern=**'),
      await service.ask('/find?pattern=(%3F<%3Da)%5C.txt&isRegex=true'),
      await service.ask('/read?path=a.txt&encoding=gbk'),
      await service.ask('/read/raw?path=a.txt'),
      await service.ask('/docs/'),
      await service.ask('/mcp', { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect([replies[0]?.json().landlock, replies[1]?.json().count]).toEqual([`abi ${abi}`, 1]);
  });
});

it.skipIf(abi > 0)('a kernel without Landlock is refused where it is wanted', async () => {
  const { code, stderr } = await run({ args: ['--root', plant({}), '--landlock', 'on'] });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^fs-sidecar: --landlock on: [^\n]*\n$/)]);
});
