import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rgPath } from '@vscode/ripgrep';
import type { Corpus } from '../corpora/index.ts';
import { type Inputs, inputsOf, type TaskName, tasksOf } from '../tasks.ts';
import { LineCounter, linesIn } from './bytes.ts';
import type { Contender, Done, Ready, Run } from './contender.ts';
import { cpuOfChildren } from './cpu.ts';

interface Command {
  args: readonly string[];
  /** The output is read up to so many lines, and then the program is ended, as `head` does. */
  cap?: number;
  /** Lines that it prints besides its results. */
  headings?: number;
}

type Commands = Partial<Record<TaskName, Command>>;

/** A program that prints to a pipe, which is read to its end. */
function program(name: string, file: string | undefined, hint: string, commandsFor: (inputs: Inputs) => Commands) {
  return {
    name,
    missing: () => (file === undefined ? hint : undefined),
    start: async (corpus: Corpus): Promise<Ready> => {
      if (file === undefined) throw new Error(hint);
      const commands = commandsFor(inputsOf(corpus));
      const runs: Partial<Record<TaskName, Run>> = {};
      for (const task of tasksOf(corpus)) {
        const command = commands[task];
        if (command !== undefined) runs[task] = () => runCommand(file, command, corpus.root);
      }
      return { runs, notes: {}, close: async () => {} };
    },
  } satisfies Contender;
}

/** The exit code of a search that found nothing. */
const NOTHING_FOUND = 1;

export async function runCommand(file: string, { args, cap, headings = 0 }: Command, cwd: string): Promise<Done> {
  const cpuBefore = cpuOfChildren();
  const started = performance.now();
  let firstMilliseconds: number | undefined;
  const child = spawn(file, args, {
    cwd,
    env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const chunks: Buffer[] = [];
  const counter = new LineCounter();
  let capped: number | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    firstMilliseconds ??= performance.now() - started;
    if (capped !== undefined) return;
    chunks.push(chunk);
    if (cap === undefined) return;
    counter.add(chunk);
    if (counter.lines < cap) return;
    capped = performance.now() - started;
    child.kill('SIGKILL');
  });
  const [code] = await once(child, 'close');
  const milliseconds = capped ?? performance.now() - started;
  if (capped === undefined && code !== 0 && code !== NOTHING_FOUND) throw new Error(`${file} ended with ${code}`);
  const count = Math.min(linesIn(chunks) - headings, cap ?? Number.POSITIVE_INFINITY);
  const cpuMilliseconds = cpuOfChildren() - cpuBefore;
  return { milliseconds, count, cpuMilliseconds, ...(firstMilliseconds === undefined ? {} : { firstMilliseconds }) };
}

/** The first of the names under which a program is installed. */
function installed(...names: string[]): string | undefined {
  return names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined);
}

const capAt = (args: readonly string[], { cap }: Inputs): Command => ({ args, cap });

const RG = ['--no-config', '--no-ignore', '--hidden', '--color=never'];

function rgCommands(inputs: Inputs): Commands {
  const list = [...RG, '--files'];
  const literal = [...RG, '--no-heading', '-n', '-F', '-e'];
  const regex = [...RG, '--no-heading', '-n', '-e'];
  const { frequent, glob, line, log, name, rare } = inputs;
  return {
    list: { args: list },
    glob: { args: [...list, '-g', glob] },
    'glob-100': capAt([...list, '-g', glob], inputs),
    find: { args: [...list, '-g', `${name}*`] },
    'grep-rare': { args: [...literal, rare.literal, './'] },
    'grep-frequent': { args: [...literal, frequent.literal, './'] },
    'grep-frequent-100': capAt([...literal, frequent.literal, './'], inputs),
    'grep-caseless': { args: ['--ignore-case', ...literal, rare.literal, './'] },
    'regex-rare': { args: [...regex, rare.regex, './'] },
    'regex-frequent': { args: [...regex, frequent.regex, './'] },
    'regex-frequent-100': capAt([...regex, frequent.regex, './'], inputs),
    'log-rare': { args: [...literal, rare.literal, log] },
    'line-rare': { args: ['--max-columns=500', '--max-columns-preview', ...literal, rare.literal, line] },
  };
}

function fdCommands(inputs: Inputs): Commands {
  const files = ['--unrestricted', '--color=never', '--type=f'];
  // A glob without a slash is matched against names, at any depth.
  const typescript = ['--glob', inputs.glob.replace('**/', '')];
  return {
    list: { args: files },
    glob: { args: [...files, ...typescript] },
    'glob-100': { args: [...files, `--max-results=${inputs.cap}`, ...typescript] },
    find: { args: [...files, '--glob', `${inputs.name}*`] },
    ls: { args: ['--unrestricted', '--color=never', '--max-depth=1'] },
  };
}

function findCommands(inputs: Inputs): Commands {
  const files = ['.', '-type', 'f'];
  const details = ['-printf', '%p %s %T@\\n'];
  return {
    list: { args: files },
    'list-details': { args: [...files, ...details] },
    glob: { args: [...files, '-name', inputs.glob.replace('**/', '')] },
    'glob-100': capAt([...files, '-name', inputs.glob.replace('**/', '')], inputs),
    find: { args: [...files, '-name', `${inputs.name}*`] },
    ls: { args: ['.', '-mindepth', '1', '-maxdepth', '1'] },
    'ls-details': { args: ['.', '-mindepth', '1', '-maxdepth', '1', ...details] },
  };
}

function grepCommands(inputs: Inputs): Commands {
  const { frequent, log, rare } = inputs;
  return {
    'grep-rare': { args: ['-rnIF', '-e', rare.literal, '.'] },
    'grep-frequent': { args: ['-rnIF', '-e', frequent.literal, '.'] },
    'grep-frequent-100': capAt(['-rnIF', '-e', frequent.literal, '.'], inputs),
    'grep-caseless': { args: ['-rniIF', '-e', rare.literal, '.'] },
    'regex-rare': { args: ['-rnIE', '-e', rare.regex, '.'] },
    'regex-frequent': { args: ['-rnIE', '-e', frequent.regex, '.'] },
    'regex-frequent-100': capAt(['-rnIE', '-e', frequent.regex, '.'], inputs),
    'log-rare': { args: ['-nF', '-e', rare.literal, log] },
  };
}

function sedCommands({ far, log, near }: Inputs): Commands {
  return {
    'read-near': { args: ['-n', `${near.start},${near.end}p;${near.end}q`, log] },
    'read-far': { args: ['-n', `${far.start},${far.end}p;${far.end}q`, log] },
  };
}

const lsCommands = (): Commands => ({
  ls: { args: ['-AU'] },
  'ls-details': { args: ['-AlU', '--time-style=+%s'], headings: 1 },
});

/** Programs that are not installed say so in the table. */
export const commands: readonly Contender[] = [
  program('rg', rgPath, 'not installed', rgCommands),
  program('fd', installed('fd', 'fdfind'), 'not installed (`apt-get install fd-find`)', fdCommands),
  program('find', installed('find'), 'not installed', findCommands),
  program('grep -r', installed('grep'), 'not installed', grepCommands),
  program('sed', installed('sed'), 'not installed', sedCommands),
  program('ls', installed('ls'), 'not installed', lsCommands),
];
