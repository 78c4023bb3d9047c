import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DOCUMENT } from '../contenders/paths.ts';
import { documentWithSoak } from '../document.ts';
import { measuredOn } from '../machine.ts';
import { type Check, checksTable } from './check.ts';
import { sigterm } from './ending.ts';
import { fullPipe } from './full-pipe.ts';
import { mix } from './mix.ts';
import { overload } from './overload.ts';
import { scarceDescriptors } from './scarce.ts';
import { plantSoaked } from './tree.ts';

const USAGE = `npm run soak -- [options]

  --minutes N   how long the mix of everything goes on (3)
  --only REGEX  of the scenarios' names (all)
  --write       puts the tables into docs/benchmarks.md
`;

const { minutes, only, write } = optionsOrUsage();
const SCENARIOS: Record<string, (root: string) => Promise<Check[]>> = {
  'everything at once': (root) => mix(root, minutes, say),
  'more searches than may run': overload,
  'too few descriptors': scarceDescriptors,
  'a log that nobody reads': fullPipe,
  'SIGTERM under load': sigterm,
};

/** Uses the built service hard, on a tree of its own and over loopback alone, and looks at what is left afterwards. */
const root = mkdtempSync(join(tmpdir(), 'fs-sidecar-soak-'));
try {
  const tables = [`${measuredOn()}; the mix for ${minutes} minutes.\n`];
  plantSoaked(root);
  for (const [name, scenario] of Object.entries(SCENARIOS).filter(([name]) => only.test(name))) {
    const checks = await scenario(root);
    tables.push(`### ${name}\n\n${checksTable(checks)}`);
    process.stdout.write(`${tables.at(-1)}\n`);
    if (checks.some(({ isMet }) => !isMet)) process.exitCode = 1;
  }
  if (write) writeFileSync(DOCUMENT, documentWithSoak(readFileSync(DOCUMENT, 'utf8'), tables.join('\n')));
} finally {
  rmSync(root, { recursive: true, force: true });
}

function optionsOrUsage(): { minutes: number; only: RegExp; write: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '3' },
        only: { type: 'string', default: '' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit();
    }
    if (!(Number(values.minutes) > 0)) throw new Error('--minutes is a number above 0');
    return { minutes: Number(values.minutes), only: new RegExp(values.only), write: values.write };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
