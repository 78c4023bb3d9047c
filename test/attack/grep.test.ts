import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ATTEMPTS, attack, OUTSIDE, patience } from '../helpers/attack.ts';
import { CANNOT_FLIP, canFlip, flip, repeat } from '../helpers/flip.ts';
import { pathsOf, type Reply, runnerOf, runnerOn, workspaceAt } from '../helpers/operations.ts';
import { childrenOf, hasProc, peakMemoryOf } from '../helpers/proc.ts';
import { start } from '../helpers/process.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

interface Kind {
  title: string;
  tree: Tree;
  /** What lies outside, beside the root. */
  out?: Tree;
  /** The two names that are exchanged, from the root. */
  names: [string, string];
  input: Record<string, unknown>;
}

/** A text is looked for by the service itself, a regex by ripgrep: in the file's text, or over several lines in the file, which it is handed. */
function inEachWay(kind: Kind): Kind[] {
  if (kind.input['isRegex'] !== undefined) return [kind];
  const asRegex = { ...kind.input, isRegex: true };
  return [
    { ...kind, title: `${kind.title}, as a text` },
    { ...kind, title: `${kind.title}, as a regex`, input: asRegex },
    { ...kind, title: `${kind.title}, as a regex over several lines`, input: { ...asRegex, multiline: true } },
  ];
}

/** A search that waits for something runs into this, in milliseconds; a quiet one takes a hundredth of it. */
const TIME = 2_000;
const PATIENCE = patience(ATTEMPTS.greps, TIME);

/** A file `f` that is exchanged with a link to another outside, of that content. */
function asLink(inside: string | Buffer, outside: string | Buffer): Pick<Kind, 'tree' | 'out' | 'names'> {
  return { tree: { 'd/f': inside, alt: { linkTo: '../out/f' } }, out: { f: outside }, names: ['d/f', 'alt'] };
}

const KINDS: Kind[] = [
  {
    title: 'R08: a match in a folder exchanged with a link to outside',
    tree: { 'd/f': 'a needle INSIDE\n', alt: { linkTo: '../out' } },
    out: { f: `a needle ${OUTSIDE}\n`, [`${OUTSIDE}.txt`]: 'a needle\n' },
    names: ['d', 'alt'],
    input: { pattern: 'needle', context: 2 },
  },
  {
    title: 'R08: the count of a file exchanged with a link to outside',
    ...asLink('needle\n', 'needle\nneedle\nneedle\n'),
    input: { pattern: 'needle', output: 'count' },
  },
  {
    title: 'the number of a line that stands elsewhere outside',
    ...asLink('0123456\nneedle\n', '0\n2\n4\n6\nneedle\n'),
    input: { pattern: 'needle' },
  },
  {
    title: 'a match outside, where the file inside is one long line',
    ...asLink('A'.repeat(600_000), 'one\ntwo\nneedle\n'),
    input: { pattern: 'needle', maxLineLength: 10 },
  },
  {
    title: 'an empty line outside, behind the end of the file inside',
    ...asLink('A', 'one\n\ntwo\n'),
    input: { pattern: '^$', isRegex: true },
  },
  {
    title: 'a match over several lines, of which the file inside has the first',
    ...asLink('-----BEGIN KEY-----\nnothing\n', '-----BEGIN KEY-----\nneedle\n'),
    input: { pattern: 'BEGIN KEY-----\\nnee', isRegex: true, multiline: true },
  },
  {
    title: 'a match in a binary file outside',
    ...asLink('A', 'A=1\0NEEDLE=needle\0B=2\0'),
    input: { pattern: 'NEEDLE=nee' },
  },
  {
    title: 'a match in a file exchanged with a link to a folder outside that has one',
    tree: { 'd/f': 'A', alt: { linkTo: '../out' } },
    out: { f: `needle ${OUTSIDE}\n` },
    names: ['d/f', 'alt'],
    input: { pattern: 'needle' },
  },
  {
    title: 'a match in a file exchanged with a folder that has one',
    tree: { 'd/f': 'A', 'node_modules/x': 'needle\n' },
    names: ['d/f', 'node_modules'],
    input: { pattern: 'needle' },
  },
  {
    title: 'a match in a file exchanged with a link to a blocked one',
    tree: { 'd/f': 'A'.repeat(100_000), '.env': `needle ${OUTSIDE}`, alt: { linkTo: '.env' } },
    names: ['d/f', 'alt'],
    input: { pattern: 'needle', maxLineLength: 10 },
  },
  {
    title: 'a file exchanged with a FIFO, for which nobody waits',
    tree: { 'd/f': 'needle\n', alt: { fifo: true } },
    names: ['d/f', 'alt'],
    input: { pattern: 'needle' },
  },
  {
    title: 'a file outside that may not be read',
    tree: { 'd/f': 'needle\n', alt: { linkTo: '../out/f' } },
    out: { f: { content: 'needle\n', mode: 0 } },
    names: ['d/f', 'alt'],
    input: { pattern: 'needle' },
  },
  {
    title: 'R12: a folder exchanged with a blocked one',
    tree: { '.ssh/f': 'needle one\n', 'docs/f': 'needle two\n' },
    names: ['.ssh', 'docs'],
    input: { pattern: 'needle' },
  },
];

describe.skipIf(!canFlip)(canFlip ? 'searching while names are exchanged' : `searching (${CANNOT_FLIP})`, () => {
  for (const kind of KINDS.flatMap(inEachWay)) {
    it(`${kind.title}: is told as it is inside, or not at all`, { timeout: PATIENCE }, async (context) => {
      const root = plantKind(kind);
      const { run } = runnerOf(workspaceAt(root));
      const facts = async () => factsOf(JSON.parse(await run('grep', kind.input, { timeoutMs: TIME })));
      const [a, b] = kind.names.map((name) => join(root, name)) as [string, string];
      const quiet = [...(await facts()), ...(await exchanged(a, b, facts))];
      await flip(a, b);
      const probed = new Set<number>();
      const race = await attack(context, {
        table: 'greps',
        kind: kind.title,
        allowed: quiet,
        attempt: () => {
          probed.add(lstatSync(a).ino);
          return facts();
        },
        isMet: () => probed.size > 1,
      });
      expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
    });
  }
});

describe('searching while a file changes', () => {
  it('R13: a file that is emptied and written again never makes a search fail', {
    timeout: PATIENCE,
  }, async (context) => {
    const line = 'a needle in a line that is not short\n';
    const root = plant({ f: line.repeat(100) });
    const { grep } = runnerOf(workspaceAt(root));
    await repeat(`fs.writeFileSync(names[0], ${JSON.stringify(line)}.repeat(100))`, join(root, 'f'));
    const race = await attack(context, {
      table: 'greps',
      kind: 'R13: a file emptied and written again',
      allowed: [line.trimEnd()],
      attempt: async () => {
        const { matches } = await grep({ pattern: 'needle', isRegex: true });
        return matches.map(({ text }: { text: string }) => text);
      },
    });
    expect(race).toMatchObject({ escaped: [], leaked: 0, isMet: true });
  });
});

describe('searching in a tree that means harm', () => {
  it.each(['--pre=id', '-f/etc/passwd', '--', '-', '--files', '-e'])(
    'G01, G02: takes the pattern %s for the text that it is',
    async (pattern) => {
      const { grep } = runnerOn({ f: `a line with ${pattern} in it\nroot:x:0:0\n` });
      const { matches } = await grep({ pattern, caseSensitive: false });
      expect(matches).toEqual([{ path: '/f', line: 1, text: `a line with ${pattern} in it` }]);
    },
  );

  it.each(['--pre=id', '-', '-f', '--files', '-e'])('takes a file called %s for the file that it is', async (name) => {
    const { grep } = runnerOn({ [name]: 'needle\n', other: 'needle\n' });
    expect(pathsOf(await grep({ pattern: 'needle', isRegex: true }))).toEqual([`/${name}`, '/other']);
    expect(pathsOf(await grep({ pattern: 'needle', isRegex: true, path: name }))).toEqual([`/${name}`]);
  });

  it.each(['.ignore', '.gitignore', '.rgignore', '.git/info/exclude'])(
    'G03: does not wait for a FIFO called %s',
    async (name) => {
      const { grep } = runnerOn({ [name]: { fifo: true }, f: 'needle\n' });
      expect(pathsOf(await grep({ pattern: 'needle', gitignore: true }))).toEqual(['/f']);
    },
  );

  it.each(['.ignore', '.gitignore', '.rgignore'])('G04: is not led by rules outside that %s links to', async (name) => {
    const { grep } = runnerOn({ [name]: { linkTo: '../rules' }, '../rules': '*.txt\nf.txt\n', 'f.txt': 'needle\n' });
    expect(await grep({ pattern: 'needle', gitignore: true })).toMatchObject({ count: 1, skipped: { ignored: 0 } });
  });

  it.each(['.ignore', '.gitignore', '.rgignore'])(
    'G05: is not led by %s in the folder above the root',
    async (name) => {
      const { grep } = runnerOn({ [`../${name}`]: '*\n', 'f.txt': 'needle\n' });
      expect(pathsOf(await grep({ pattern: 'needle', gitignore: true }))).toEqual(['/f.txt']);
    },
  );

  it('G06: is not led by a configuration that the environment names', async () => {
    const config = join(plant({ config: '--invert-match\n' }), 'config');
    vi.stubEnv('RIPGREP_CONFIG_PATH', config);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { grep } = runnerOn({ f: 'needle\nhay\n' });
    expect((await grep({ pattern: 'needle', isRegex: true })).matches).toEqual([
      { path: '/f', line: 1, text: 'needle' },
    ]);
  });

  it('G07: shows a window of a line of 20 MB', async () => {
    const { grep } = runnerOn({ f: 'a'.repeat(20 * 1024 * 1024) });
    for (const isRegex of [false, true]) {
      const { matches } = await grep({ pattern: 'a', isRegex });
      expect(matches).toEqual([{ path: '/f', line: 1, text: 'a'.repeat(500), clipped: true, column: 1 }]);
    }
  });

  it('G08: counts a sparse file of a terabyte and does not search it', async () => {
    const root = plant({ huge: '', f: 'needle\n' });
    truncateSync(join(root, 'huge'), 2 ** 40);
    expect(await runnerOf(workspaceAt(root)).grep({ pattern: 'needle' })).toMatchObject({
      matches: [{ path: '/f' }],
      skipped: { too_large: 1 },
    });
  });

  it('G09: refuses to search a blocked file by its name', async () => {
    await expect(runnerOn({ '.env': 'needle' }).grep({ pattern: 'needle', path: '.env' })).rejects.toMatchObject({
      code: 'PATH_BLOCKED',
    });
  });

  it.each(['.env', '*', '**', '.*', '!x', '{.env,f}', '/.env', '.ENV'])(
    'G10: finds nothing in a blocked file with includeGlob %s',
    async (includeGlob) => {
      const { grep } = runnerOn({ '.env': 'needle', '.ssh/f': 'needle', 'd/.env': 'needle' });
      const given = { pattern: 'needle', includeGlob: [includeGlob], excludeGlob: [], includeHidden: true };
      expect((await grep(given)).count).toBe(0);
    },
  );

  it('G11: refuses a regex that is too large once it is compiled', async () => {
    const { grep } = runnerOn({ f: 'a' });
    await expect(grep({ pattern: '(a{1000}){1000}', isRegex: true })).rejects.toMatchObject({
      code: 'PATTERN_INVALID',
    });
  });

  it.skipIf(!hasProc)('G11: a regex with more states than there is memory for takes little of it', async () => {
    const service = await start(plant({ f: randomLetters(4_000_000).replace(/.{2000}/g, '$&\n') }));
    const pattern = encodeURIComponent('[ab]*a[ab]{300}c');
    const reply = service.ask(`/grep?isRegex=true&timeoutMs=5000&pattern=${pattern}`);
    let isDone = false;
    void reply.finally(() => {
      isDone = true;
    });
    const peaks = [0];
    await vi.waitUntil(
      () => {
        peaks.push(...childrenOf(service.pid).map(memoryOf));
        return isDone;
      },
      { timeout: 20_000, interval: 20 },
    );
    expect((await reply).status).toBe(200);
    expect(Math.max(...peaks)).toBeLessThan(256 * 1024 * 1024);
  });

  it('G13: opens nothing where a found file has become a link to outside', () => {
    const root = plant({ f: 'needle\n', '../out': OUTSIDE });
    const workspace = workspaceAt(root);
    const start = workspace.locate({});
    rmSync(join(root, 'f'));
    symlinkSync('../out', join(root, 'f'));
    expect(workspace.openerAt(start).open('f', () => {})).toBeUndefined();
    start.handle.close();
  });

  it.each([
    [
      'a line that looks like the note on a binary file',
      'needle: binary file matches (found "\\0" byte around offset 3)',
    ],
    ['a line that looks like a hit', './other\u001f1:1:0:needle'],
    ['a line that looks like the note on a long line', '[Omitted long matching line] needle'],
  ])('is not misled by %s', async (_, line) => {
    for (const tree of [{ f: `${line}\n` }, { f: `${line}\n`, other: '' }]) {
      const { grep } = runnerOn(tree);
      const wanted = { matches: [{ path: '/f', line: 1, text: line }], skipped: { binary: 0 } };
      for (const given of [{ path: '/' }, { path: 'f' }]) {
        expect(await grep({ pattern: 'needle', isRegex: true, ...given })).toMatchObject(wanted);
        expect(await grep({ pattern: 'needle', ...given })).toMatchObject(wanted);
      }
    }
  });

  it.each(['x\n./other', 'x\n./other\n1:1:0:needle', 'x: binary file matches (found "\\0" byte around offset 3)\n'])(
    'is not misled by a file called %j',
    async (name) => {
      const { grep } = runnerOn({ [name]: 'a needle\n', other: 'hay\n' });
      for (const isRegex of [false, true]) {
        expect((await grep({ pattern: 'needle', isRegex })).matches).toEqual([
          { path: `/${name}`, line: 1, text: 'a needle' },
        ]);
      }
    },
  );

  it('counts the only file of a folder as binary when it is', async () => {
    const { grep } = runnerOn({ f: 'A\0needle' });
    for (const isRegex of [false, true]) {
      expect(await grep({ pattern: 'needle', isRegex })).toMatchObject({ matches: [], skipped: { binary: 1 } });
    }
  });
});

describe('searches under way', () => {
  it('G12: a search ends when its caller goes away', async () => {
    const service = await start(plantSlow());
    const gone = new AbortController();
    const reply = service.ask(SLOW, { signal: gone.signal }).catch(() => 'gone');
    await vi.waitUntil(() => childrenOf(service.pid).length > 0, { timeout: 10_000, interval: 10 });
    gone.abort();
    expect(await reply).toBe('gone');
    await vi.waitUntil(() => childrenOf(service.pid).length === 0, { timeout: 1_000, interval: 10 });
  });

  it('G14: more searches than can wait are told to come back, and a listing is answered meanwhile', async () => {
    const service = await start(plantSlow(), { args: ['--concurrency', '1'] });
    const callers = Array.from({ length: 12 }, () => new AbortController());
    const searches = callers.map(({ signal }) => service.ask(SLOW, { signal }).catch(() => undefined));
    const refused = await Promise.race(searches);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
    expect((await service.ask('/ls')).status).toBe(200);
    for (const caller of callers) caller.abort();
    await Promise.all(searches);
  });
});

/** The letters a and b in no order that a matcher could make use of; the same ones each time. */
function randomLetters(length: number): string {
  let state = 1;
  const next = () => {
    // The constants of Numerical Recipes, section 7.1.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 'a' : 'b';
  };
  return Array.from({ length }, next).join('');
}

/** The most memory that a process has had so far; nothing when it is gone. */
function memoryOf(pid: number): number {
  try {
    return peakMemoryOf(pid);
  } catch {
    return 0;
  }
}

/** A search that takes seconds: through files that are large and hold next to nothing. */
const SLOW = '/grep?pattern=needle&isRegex=true&timeoutMs=20000';

function plantSlow(): string {
  const names = Array.from({ length: 16 }, (_, at) => `f${at}`);
  const root = plant(Object.fromEntries(names.map((name) => [name, ''])));
  for (const name of names) truncateSync(join(root, name), 2 ** 31);
  return root;
}

/** What a reply tells, one text for each fact. */
function factsOf({ matches, skipped, truncated }: Reply): string[] {
  const met = Object.entries(skipped).filter(([, count]) => count !== 0);
  return [...matches, ...met, ...(truncated ? ['truncated'] : [])].map((fact) => JSON.stringify(fact));
}

/** What `run` gives while two names are exchanged. */
async function exchanged(a: string, b: string, run: () => Promise<string[]>): Promise<string[]> {
  const exchange = () => {
    renameSync(a, `${a}.tmp`);
    renameSync(b, a);
    renameSync(`${a}.tmp`, b);
  };
  exchange();
  const got = await run();
  exchange();
  return got;
}

function plantKind({ out = {}, tree }: Kind): string {
  const folder = scratch();
  mkdirSync(join(folder, 'ws'));
  const beside = Object.entries(out).map(([name, what]) => [`../out/${name}`, what]);
  return plant({ ...tree, ...Object.fromEntries(beside) }, folder);
}
