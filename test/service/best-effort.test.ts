import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { run, start } from '../helpers/process.ts';
import { plant } from '../helpers/tree.ts';

/** Runs a command in mounts of its own, where nothing of the kernel shows under /proc. */
const WITHOUT_PROC = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$0" "$@"'];

const [unshare = '', ...rest] = WITHOUT_PROC;
const canHideProc =
  spawnSync(unshare, [...rest, process.execPath, '-e', "process.exit(fs.existsSync('/proc/self') ? 1 : 0)"]).status ===
  0;
const title = canHideProc
  ? 'a system without /proc'
  : 'a system without /proc (SKIPPED: needs Linux and the right to mount, as root has it)';

it.skipIf(!canHideProc)(`${title} is refused in one line, which names what would accept it`, async () => {
  const { code, stderr, stdout } = await run({ args: ['--root', plant({}), '--port', '0'], through: WITHOUT_PROC });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^fs-sidecar: [^\n]*--allow-best-effort\n$/)]);
});

it.skipIf(!canHideProc)(`${title} is served when the operator accepts it, and says so`, async () => {
  const root = plant({ 'a.txt': 'needle\n', link: { linkTo: '../out' }, '../out/f': 'OUTSIDE', '.env': 'needle' });
  const service = await start(root, { args: ['--allow-best-effort'], through: WITHOUT_PROC });
  const started = await service.log.line(({ msg }) => String(msg).startsWith('listening on'));
  expect(started['msg']).toContain('containment: best-effort');
  // The walls are the same while nothing moves.
  const wanted = Object.entries({
    '/readyz': { status: 'ready', containment: 'best-effort' },
    '/read?path=a.txt': { content: 'needle\n' },
    '/glob?pattern=**': { count: 1, matches: [{ path: '/a.txt' }] },
    '/grep?pattern=needle': { count: 1, matches: [{ path: '/a.txt' }] },
    '/grep?pattern=n[e]edle&isRegex=true': { count: 1, matches: [{ path: '/a.txt' }] },
    // ripgrep cannot be handed files that are open, and that is told.
    '/grep?pattern=n[e]edle&isRegex=true&multiline=true': { count: 0, skipped: { unreadable: 1 } },
    '/read?path=link/f': { code: 'PATH_OUTSIDE_ROOT' },
    '/read?path=.env': { code: 'PATH_BLOCKED' },
  });
  const replies = await Promise.all(wanted.map(([path]) => service.ask(path)));
  expect(replies.map((answer) => answer.json())).toMatchObject(wanted.map(([, reply]) => reply));
});
