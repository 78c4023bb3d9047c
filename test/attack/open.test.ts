import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRoot, RootRefused } from '../../src/workspace/root.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { ATTEMPTS, attack, beside, OUTSIDE, patience } from '../helpers/attack.ts';
import { CANNOT_FLIP, canFlip, flip, repeat } from '../helpers/flip.ts';
import { runnerOf, workspaceAt } from '../helpers/operations.ts';
import { serviceAt } from '../helpers/service.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

const PATIENCE = patience(ATTEMPTS.opens, 20);

interface Kind {
  id: string;
  title: string;
  tree: Tree;
  /** The two names that are exchanged, from the root's parent. */
  names: [string, string];
  path: string;
  told: string[];
  refused: string[];
  /** What shows that names were exchanged meanwhile, where the answers themselves cannot. */
  probe?: (root: string) => unknown;
}

const KINDS: Kind[] = [
  {
    id: 'R01',
    title: 'a folder exchanged with an absolute link to outside',
    tree: { 'sub/d/f': 'INSIDE', 'sub/alt': { linkTo: '$OUT' } },
    names: ['ws/sub/d', 'ws/sub/alt'],
    path: 'sub/d/f',
    told: ['INSIDE'],
    refused: ['PATH_OUTSIDE_ROOT', 'NOT_FOUND'],
  },
  {
    id: 'R02',
    title: 'a folder exchanged with a relative link to outside',
    tree: { 'sub/d/f': 'INSIDE', 'sub/alt': { linkTo: '../../out' } },
    names: ['ws/sub/d', 'ws/sub/alt'],
    path: 'sub/d/f',
    told: ['INSIDE'],
    refused: ['PATH_OUTSIDE_ROOT', 'NOT_FOUND'],
  },
  {
    id: 'R03',
    title: 'a file exchanged with a link to a file outside',
    tree: { 'sub/d/f': 'INSIDE', alt: { linkTo: '$OUT/f' } },
    names: ['ws/sub/d/f', 'ws/alt'],
    path: 'sub/d/f',
    told: ['INSIDE'],
    refused: ['PATH_OUTSIDE_ROOT', 'NOT_FOUND'],
  },
  {
    id: 'R04',
    title: 'a file exchanged with a FIFO',
    tree: { 'sub/d/f': 'INSIDE', alt: { fifo: true } },
    names: ['ws/sub/d/f', 'ws/alt'],
    path: 'sub/d/f',
    told: ['INSIDE'],
    refused: ['NOT_A_FILE'],
  },
  {
    id: 'R05',
    title: 'a file exchanged with a folder',
    tree: { 'sub/d/f': 'INSIDE', 'alt/x': 'x' },
    names: ['ws/sub/d/f', 'ws/alt'],
    path: 'sub/d/f',
    told: ['INSIDE'],
    refused: ['NOT_A_FILE'],
  },
  {
    id: 'R09',
    title: 'a folder exchanged with a link to another folder inside',
    tree: { 'sub/d/f': 'INSIDE', 'other/f': 'OTHER', 'sub/alt': { linkTo: '../other' } },
    names: ['ws/sub/d', 'ws/sub/alt'],
    path: 'sub/d/f',
    told: ['INSIDE', 'OTHER'],
    refused: ['NOT_FOUND'],
  },
  {
    id: 'R10',
    title: 'a folder moved up while a link climbs out of it again',
    tree: { f: 'INSIDE', '../f': OUTSIDE, 'base/a/x': '', 'a/x': '', link: { linkTo: 'base/a/../../f' } },
    names: ['ws/base/a', 'ws/a'],
    path: 'link',
    told: ['INSIDE'],
    refused: [],
    probe: (root) => statSync(join(root, 'a')).ino,
  },
  {
    id: 'R11',
    title: 'a blocked file exchanged with an open one',
    tree: { '.env': 'SECRET', 'notes.txt': 'INSIDE' },
    names: ['ws/.env', 'ws/notes.txt'],
    path: 'notes.txt',
    // The policy is about names: what stands under an open name is open.
    told: ['INSIDE', 'SECRET'],
    refused: [],
  },
  {
    id: 'R11 through a link',
    title: 'a folder exchanged with a link to a blocked folder',
    tree: { '.ssh/f': OUTSIDE, 'docs/f': 'INSIDE', alt: { linkTo: '.ssh' } },
    names: ['ws/docs', 'ws/alt'],
    path: 'docs/f',
    told: ['INSIDE'],
    refused: ['PATH_BLOCKED', 'NOT_FOUND'],
  },
  {
    id: 'R15',
    title: 'the root exchanged with a link to outside',
    tree: { f: 'INSIDE', '../alt': { linkTo: '$OUT' } },
    names: ['ws', 'alt'],
    path: 'f',
    told: ['INSIDE'],
    refused: [],
    probe: (root) => readFileSync(join(root, 'f'), 'utf8'),
  },
  {
    id: 'links',
    title: 'a link to a file inside exchanged with one to a file outside',
    tree: { f: 'INSIDE', link: { linkTo: 'f' }, alt: { linkTo: '../out/f' } },
    names: ['ws/link', 'ws/alt'],
    path: 'link',
    told: ['INSIDE'],
    refused: ['PATH_OUTSIDE_ROOT', 'NOT_FOUND'],
  },
];

/** Node has no function for leases. */
const hasPython = spawnSync('python3', ['-c', 'import fcntl; fcntl.F_SETLEASE']).status === 0;

/** Whether a process can have mounts of its own. */
const canMountApart = (() => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '--bind', '/', '/'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!canFlip)(canFlip ? 'opening a path while names are exchanged' : `opening (${CANNOT_FLIP})`, () => {
  for (const kind of KINDS) {
    const name = `${kind.id}: ${kind.title}`;
    it(`${name} lets nothing out`, { timeout: PATIENCE }, async (context) => {
      const { root, workspace } = plantKind(kind);
      await flip(beside(root, kind.names[0]), beside(root, kind.names[1]));
      const probed = new Set<unknown>();
      const race = await attack(context, {
        table: 'opens',
        kind: name,
        allowed: kind.told,
        attempt: () => {
          probed.add(kind.probe?.(root));
          return read(workspace, kind.path);
        },
        ...(kind.probe === undefined ? {} : { isMet: () => probed.size > 1 }),
      });
      expect(race.escaped).toEqual([]);
      expect([...race.refusals].filter((code) => !kind.refused.includes(code))).toEqual([]);
      expect(race.leaked).toBe(0);
      expect(race.isMet).toBe(true);
    });
  }

  it('a link that a listing tells of never has a target outside', { timeout: PATIENCE }, async (context) => {
    const root = plant({ f: 'INSIDE', link: { linkTo: 'f' }, '../alt': { linkTo: `../${OUTSIDE}` } });
    const { ls } = runnerOf(workspaceAt(root));
    await flip(join(root, 'link'), beside(root, 'alt'));
    const race = await attack(context, {
      table: 'opens',
      kind: 'the target of a link in ls',
      allowed: ['/f', 'no target'],
      attempt: async () => {
        const { entries } = await ls();
        return entries.find(({ path }: { path: string }) => path === '/link').target ?? 'no target';
      },
    });
    expect(race.escaped).toEqual([]);
    expect(race.isMet).toBe(true);
  });

  it('a root exchanged with a link to a system folder is that root, or refused', {
    timeout: PATIENCE,
  }, async (context) => {
    const root = plant({ f: 'INSIDE', '../alt': { linkTo: '/etc' } });
    const { ino } = statSync(root);
    await flip(root, beside(root, 'alt'));
    const race = await attack(context, {
      table: 'opens',
      kind: 'the root at the start',
      allowed: ['INSIDE', 'refused'],
      attempt: () => {
        const opened = openedAt(root);
        return opened === ino ? 'INSIDE' : String(opened);
      },
    });
    expect(race.escaped).toEqual([]);
    expect(race.isMet).toBe(true);
  });
});

describe.skipIf(!canMountApart)(
  canMountApart
    ? 'a link through another process'
    : 'a link through another process (SKIPPED: needs the right to mount, as root has it)',
  () => {
    it('R17: is refused, although the kernel shows its target under a path inside', async () => {
      const folder = scratch();
      mkdirSync(join(folder, 'out'));
      writeFileSync(join(folder, 'out/f'), OUTSIDE);
      const root = plant({ 'd/f': 'INSIDE' }, folder);
      const pid = await mountApart(join(folder, 'out'), join(root, 'd'));
      symlinkSync(`/proc/${pid}/root${root}/d/f`, join(root, 'link'));
      expect(readFileSync(join(root, 'link'), 'utf8')).toBe(OUTSIDE);
      expect(() => read(workspaceAt(root), 'link')).toThrow(expect.objectContaining({ code: 'PATH_OUTSIDE_ROOT' }));
    });
  },
);

describe('reading a file while it changes', () => {
  const rewrite = "fs.writeFileSync(names[0], 'x'.repeat(1000))";

  it('R13: a file that is emptied and written again never makes a read fail', {
    timeout: PATIENCE,
  }, async (context) => {
    const root = plant({ f: 'x'.repeat(1000) });
    const { read } = runnerOf(workspaceAt(root));
    await repeat(rewrite, join(root, 'f'));
    const race = await attack(context, {
      table: 'opens',
      kind: 'R13: a file emptied and written again',
      allowed: ['', 'x'.repeat(1000)],
      attempt: async () => (await read({ path: 'f' })).content,
    });
    expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
  });

  it('R13: a file that is emptied and written again never makes its bytes fail', {
    timeout: PATIENCE,
  }, async (context) => {
    const root = plant({ f: 'x'.repeat(1000) });
    const { get } = await serviceAt(root);
    await repeat(rewrite, join(root, 'f'));
    const lengths = new Set<number>();
    const race = await attack(context, {
      table: 'opens',
      kind: 'R13: the bytes of a file emptied and written again',
      // What was announced and is not there any more can only be broken off.
      allowed: ['200', 'broken off'],
      attempt: () =>
        get('/read/raw', { path: 'f' }).then(
          ({ body, statusCode }) => {
            lengths.add(body.length);
            return `${statusCode}`;
          },
          () => 'broken off',
        ),
      isMet: () => lengths.size > 1,
    });
    expect(race).toMatchObject({ escaped: [], isMet: true });
  });

  it('R14: a file that grows as fast as it can is cut at the most that a read gives', async () => {
    const root = plant({ f: 'x\n'.repeat(64 * 1024) });
    const { read } = runnerOf(workspaceAt(root, { maxReadBytes: 64 * 1024 }));
    const grow =
      "const { size } = fs.statSync(names[0]); size < 16e6 ? fs.appendFileSync(names[0], 'x\\n'.repeat(5e5)) : fs.truncateSync(names[0], 128 * 1024)";
    await repeat(grow, join(root, 'f'));
    const sizes = new Set<number>();
    for (let left = 30; left > 0 || sizes.size < 2; left -= 1) {
      const reply = await read({ path: 'f' });
      expect(reply).toMatchObject({ truncated: true, truncated_by: 'limit', end_line: 32 * 1024 });
      sizes.add(reply.size);
    }
    expect(sizes.size).toBeGreaterThan(1);
  });

  it('a file that is read to its end while it grows ends where it ended when it was opened', async () => {
    const root = plant({ f: 'x\n'.repeat(100) });
    const { read } = runnerOf(workspaceAt(root));
    await repeat(
      "fs.statSync(names[0]).size < 1e6 ? fs.appendFileSync(names[0], 'x\\n') : fs.truncateSync(names[0], 200)",
      join(root, 'f'),
    );
    const replies = [];
    for (let left = 300; left > 0; left -= 1) replies.push(await read({ path: 'f' }));
    expect(
      replies.filter(({ content, size, total_lines: lines }) => content.length > size || lines > size / 2),
    ).toEqual([]);
  });
});

describe.skipIf(!hasPython)(
  hasPython ? 'a file that another process has a lease on' : 'a leased file (SKIPPED: needs python3)',
  () => {
    const REFUSALS = ['BUSY', 'PERMISSION_DENIED', 'NOT_FOUND'];

    it('is read, or refused in terms of the catalogue', async () => {
      const root = plant({ f: 'INSIDE' });
      await lease(join(root, 'f'));
      const answer = await runnerOf(workspaceAt(root))
        .read({ path: 'f' })
        .then(
          ({ content }) => content,
          (error) => error.code,
        );
      expect(['INSIDE', ...REFUSALS]).toContain(answer);
    });

    it.each([{}, { isRegex: true }])('does not keep others from being found with %j', async (more) => {
      const root = plant({ f: 'needle', g: 'needle' });
      await lease(join(root, 'f'));
      const { run } = runnerOf(workspaceAt(root));
      const reply = JSON.parse(await run('grep', { pattern: 'needle', ...more }, { timeoutMs: 5_000 }));
      expect(reply.matches).toContainEqual({ path: '/g', line: 1, text: 'needle' });
    });
  },
);

/** Takes a lease on a file (fcntl(2)) until the test is over: whoever opens it has to wait, or is told to. */
async function lease(path: string): Promise<void> {
  const program = [
    'import fcntl, os, signal, sys',
    'signal.signal(signal.SIGIO, signal.SIG_IGN)',
    'fcntl.fcntl(os.open(sys.argv[1], os.O_RDWR), fcntl.F_SETLEASE, fcntl.F_WRLCK)',
    'print("leased", flush=True)',
    'sys.stdin.read()',
  ];
  const child = spawn('python3', ['-c', program.join('\n'), path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
}

function plantKind({ tree }: Kind): { root: string; workspace: Workspace } {
  const folder = scratch();
  const out = join(folder, 'out');
  mkdirSync(out);
  writeFileSync(join(out, 'f'), OUTSIDE);
  const planted = Object.entries(tree).map(([name, what]) => [
    name,
    typeof what === 'object' && what !== null && 'linkTo' in what ? { linkTo: what.linkTo.replace('$OUT', out) } : what,
  ]);
  const root = plant(Object.fromEntries(planted), folder);
  return { root, workspace: workspaceAt(root) };
}

/** Tells the folder that a root's name leads to by its number, or that it is refused. */
function openedAt(root: string): number | string {
  try {
    const { held } = openRoot(root, false);
    if (!('fd' in held)) return held.path;
    try {
      const { ino } = fstatSync(held.fd);
      return ino === statSync('/etc').ino ? OUTSIDE : ino;
    } finally {
      closeSync(held.fd);
    }
  } catch (error) {
    if (error instanceof RootRefused) return 'refused';
    throw error;
  }
}

/** Mounts a folder over another in a process of its own, and gives its number. */
async function mountApart(folder: string, over: string): Promise<number> {
  const script = 'mount --bind "$0" "$1" && echo mounted && read line';
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, folder, over], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

function read(workspace: Workspace, path: string): string {
  const file = workspace.openFile({ path });
  try {
    return file.read(0, 100).toString();
  } finally {
    file.close();
  }
}
