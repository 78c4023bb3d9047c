import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratch } from './tree.ts';

/** renameat2(2) with RENAME_EXCHANGE, until killed or orphaned. Says so once it has worked; with three arguments, ends then. */
const IN_C = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **names) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int first = 1;; first = 0) {
    if (syscall(SYS_renameat2, AT_FDCWD, names[1], AT_FDCWD, names[2], 2) != 0 && first) return 1;
    if (first && write(1, "flips\\n", 6) != 6) return 1;
    if (count > 3) return 0;
  }
}`;
const IN_PYTHON = `
import ctypes, os, platform, sys
libc = ctypes.CDLL(None)
libc.prctl(1, 9)
number = {'x86_64': 316, 'aarch64': 276}[platform.machine()]
a, b = [os.fsencode(name) for name in sys.argv[1:3]]
exchange = lambda: libc.syscall(number, -100, a, -100, b, 2)
if exchange() != 0: sys.exit(1)
print('flips', flush=True)
while len(sys.argv) == 3: exchange()
`;

/** How two names are exchanged here: a program's bytes, or an interpreter; undefined when nothing can. */
type Flipper = { binary: Buffer } | { interpreter: string[] };
const FLIPPER = flipper();

/** Whether names can be exchanged fast enough for races. */
export const canFlip = FLIPPER !== undefined;
/** For the titles of tests that are skipped. */
export const CANNOT_FLIP = 'SKIPPED: needs Linux, a file system that can exchange names, and cc or python3';

/** Exchanges two names as fast as it can, from another process, until the test is over. Resolves when it has begun. */
export async function flip(a: string, b: string): Promise<void> {
  if (FLIPPER === undefined) throw new Error(CANNOT_FLIP);
  await begun(spawnFlipper(FLIPPER, [a, b]));
}

/**
 * Runs `step`, the body of a JavaScript function of `fs` and `names`, over and
 * over in another process until the test is over. Resolves when it has begun.
 */
export async function repeat(step: string, ...names: string[]): Promise<void> {
  // Without the check an orphan would go on for ever: no signal says that the parent is gone.
  const program = `
    const fs = require('fs'), names = process.argv.slice(1), parent = process.ppid;
    const step = () => { ${step} };
    step();
    fs.writeSync(1, 'steps\\n');
    while (process.ppid === parent) for (let left = 100; left > 0; left--) step();
  `;
  await begun(spawn(process.execPath, ['-e', program, ...names], { stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function begun(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  if (child.stdout === null) throw new Error('the child has no output');
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(([code]) => Promise.reject(new Error(`the process that was to disturb ended with ${code}`))),
  ]);
}

function spawnFlipper(how: Flipper, args: string[]): ChildProcess {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  if ('interpreter' in how) {
    const [command = '', ...options] = how.interpreter;
    return spawn(command, [...options, ...args], { stdio });
  }
  const program = join(scratch(), 'flip');
  writeFileSync(program, how.binary, { mode: 0o700 });
  return spawn(program, args, { stdio });
}

/** The fastest way of exchanging names that is seen to work. */
function flipper(): Flipper | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-flip-'));
  try {
    const names = ['a', 'b'].map((name) => join(folder, name));
    for (const name of names) writeFileSync(name, '');
    const works = (command: string, ...options: string[]) =>
      spawnSync(command, [...options, ...names, 'once'], { stdio: 'ignore' }).status === 0;
    const program = join(folder, 'flip');
    if (compiles(program) && works(program)) return { binary: readFileSync(program) };
    return works('python3', '-c', IN_PYTHON) ? { interpreter: ['python3', '-c', IN_PYTHON] } : undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compiles(program: string): boolean {
  try {
    execFileSync('cc', ['-O2', '-x', 'c', '-o', program, '-'], { input: IN_C, stdio: ['pipe', 'ignore', 'ignore'] });
    return true;
  } catch {
    return false;
  }
}
