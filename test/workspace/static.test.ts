import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import sandbox from '../fixtures/sandbox.json' with { type: 'json' };
import { workspaceAt } from '../helpers/operations.ts';
import { serviceAt } from '../helpers/service.ts';
import { scratch } from '../helpers/tree.ts';

interface Case {
  id: string;
  path: string;
  expected: string;
  tree: string | readonly string[];
}

/** A device can be made by root alone, and not in a container that was denied it. */
const canMakeDevices = (() => {
  try {
    execFileSync('sh', ['-c', 'd=$(mktemp -d) && trap "rm -r $d" EXIT && mknod $d/z c 1 5'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

for (const { property, cases } of sandbox.groups) {
  describe(property, () => {
    for (const given of cases) {
      const needsDevice = given.tree.includes('#z');
      const title = `${given.id} ${JSON.stringify(given.path.slice(0, 40))} answers ${given.expected}`;
      describe.skipIf(needsDevice && !canMakeDevices)(
        needsDevice && !canMakeDevices ? `${title} (SKIPPED: needs the right to make devices)` : title,
        () => {
          it('when it is opened', async () => {
            const root = await planted(given);
            expect(acceptable(given)).toContain(opened(root, given.path));
          });

          it('when it is asked for over HTTP', async () => {
            const root = await planted(given);
            const { get } = await serviceAt(root);
            const reply = await get('/read/raw', { path: given.path });
            const answer = reply.statusCode === 200 ? `OK:${reply.body}` : reply.json().code;
            expect(acceptable(given).map((code) => (code === 'DIR' ? 'NOT_A_FILE' : code))).toContain(answer);
          });
        },
      );
    }
  });
}

it('answers all cases', () => {
  expect(sandbox.groups.flatMap(({ cases }) => cases)).toHaveLength(101);
});

/** What a case allows: `OK:` with the content, `DIR`, or an error's code. `OK` alone is any content. */
function acceptable({ expected, tree }: Case): string[] {
  const content = (Array.isArray(tree) ? tree : []).find((plant) => plant.startsWith('m0'))?.split('=')[1] ?? 'T';
  return expected.split('_OR_').map((answer) => (answer === 'OK' ? `OK:${content}` : answer));
}

function opened(root: string, path: string): string {
  const workspace = workspaceAt(root);
  try {
    const located = workspace.locate({ path });
    located.handle.close();
    if (located.stats.isDirectory()) return 'DIR';
    const file = workspace.openFile({ path });
    try {
      return `OK:${file.read(0, 100)}`;
    } finally {
      file.close();
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** `outside` and `ROOT-evil` lie beside the root, which is what a link may not lead to. */
async function planted({ tree }: Case): Promise<string> {
  const folder = scratch();
  const root = join(folder, 'ROOT');
  write(join(root, '.'), undefined);
  write(join(folder, 'outside/secret'), 'SECRET');
  write(join(folder, 'outside/sub/deep'), 'DEEP');
  write(join(folder, 'ROOT-evil/secret'), 'SECRET');
  for (const plant of typeof tree === 'string' ? sandbox.names : tree) await put(root, plant);
  return root;
}

/**
 * `name=content` a file, `name/` a folder, `a->b` a link (`$R` the root, `$O`
 * what is outside), `a<=b` a hard link, `|p` a FIFO, `@s` a socket, `#z` a
 * device, `m0:` a file and `m0d:` a file's folder that nobody may read.
 */
async function put(root: string, plant: string): Promise<void> {
  const [, mark = '', rest = ''] = /^(m0d?:|[|@#])?(.*)$/s.exec(plant) ?? [];
  const [, name = rest, means = '', value = ''] = /^(.*?)(->|<=|=)(.*)$/s.exec(rest) ?? [];
  const path = join(root, name);
  await MAKERS[`${mark.replace(/m0d?:/, '')}${means}`]?.(path, value, root);
  if (mark.startsWith('m0')) deny(mark === 'm0d:' ? dirname(path) : path);
}

const MAKERS: Record<string, (path: string, value: string, root: string) => unknown> = {
  '': (path) => write(path, undefined),
  '=': write,
  '->': (path, target, root) => link(root, path, target),
  '<=': (path, name, root) => linkSync(join(root, name), path),
  '|': (path) => execFileSync('mkfifo', [path]),
  '#': (path) => execFileSync('mknod', [path, 'c', '1', '5']),
  '@': listenAt,
};

function write(path: string, content: string | undefined): void {
  mkdirSync(content === undefined ? path : dirname(path), { recursive: true });
  if (content !== undefined) writeFileSync(path, content);
}

function link(root: string, path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target.replace('$R', root).replace('$O', join(dirname(root), 'outside')), path);
}

function deny(path: string): void {
  chmodSync(path, 0);
  onTestFinished(() => chmodSync(path, 0o700));
}

async function listenAt(path: string): Promise<void> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
}
