import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Attacks the containment as the tests of `test/attack` do, many more times,
 * and prints what came of it as Markdown, with what the walls cost. Fails when
 * anything got out. Arguments choose files of `test/attack` by the beginnings of
 * their names, and leave the costs out; from the first option on they are
 * vitest's. The numbers of attempts can be set: ATTACK_OPENS, ATTACK_WALKS,
 * ATTACK_GREPS.
 */
const ATTEMPTS = { ATTACK_OPENS: '200000', ATTACK_WALKS: '10000', ATTACK_GREPS: '3000' };

/** What a test of an attack tells of it: `AttackRow` of the tests. */
interface Row {
  table: 'opens' | 'walks' | 'greps';
  kind: string;
  attempts: number;
  inside: number;
  refused: number;
  escapes: number;
  milliseconds: number;
}

/** As much of vitest's JSON report as is needed. */
interface Report {
  testResults: {
    assertionResults: { fullName: string; status: string; failureMessages?: string[]; meta?: { attack?: Row } }[];
  }[];
}

const TABLES: Record<Row['table'], string> = { opens: 'Opening a path', walks: 'Walking', greps: 'Searching' };
const MICROSECONDS = 1000;

const report = run();
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const rows = tests.flatMap(({ meta }) => meta?.attack ?? []);
const failed = tests.filter(({ status }) => status === 'failed');

for (const table of ['opens', 'walks', 'greps'] as const) {
  if (rows.some((row) => row.table === table)) process.stdout.write(`${tableOf(table)}\n`);
}
const counts = ['passed', 'failed', 'skipped'].map(
  (end) => `${tests.filter(({ status }) => status === end).length} ${end}`,
);
process.stdout.write(
  `Tests, with the cases that do not move and the counts of open descriptors: ${counts.join(', ')}.\n\n`,
);
if (process.argv.length === 2) {
  spawnSync(process.execPath, [fileURLToPath(new URL('overhead.js', import.meta.url))], { stdio: 'inherit' });
}
for (const { failureMessages = [], fullName } of failed) {
  process.stdout.write(`FAILED: ${fullName}\n${failureMessages[0]?.split('\n')[0] ?? ''}\n\n`);
}
if (failed.length > 0 || rows.length === 0 || rows.some(({ escapes }) => escapes > 0)) process.exitCode = 1;

function run(): Report {
  const folder = mkdtempSync(join(tmpdir(), 'fs-sidecar-attack-'));
  const output = join(folder, 'report.json');
  try {
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const options = [
      'run',
      ...chosen(process.argv.slice(2)),
      '--no-file-parallelism',
      '--reporter=json',
      `--outputFile=${output}`,
    ];
    spawnSync(process.execPath, [vitest, ...options], {
      env: { ...ATTEMPTS, ...process.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return JSON.parse(readFileSync(output, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The test files, and what is handed on to vitest. */
function chosen(given: readonly string[]): string[] {
  const options = given.findIndex((word) => word.startsWith('-'));
  const names = options === -1 ? given : given.slice(0, options);
  const files = names.map((name) => `test/attack/${name}`);
  return [...(files.length === 0 ? ['test/attack', 'test/workspace/static'] : files), ...given.slice(names.length)];
}

function tableOf(table: Row['table']): string {
  const unit = table === 'opens' ? 'µs each' : 'ms each';
  const header = `| ${TABLES[table]} | attempts | inside | refused | escapes | ${unit} |\n| --- | ---: | ---: | ---: | ---: | ---: |\n`;
  return (
    header +
    rows
      .filter((row) => row.table === table)
      .map(lineOf)
      .join('')
  );
}

function lineOf({ attempts, escapes, inside, kind, milliseconds, refused, table }: Row): string {
  const each = milliseconds / attempts;
  const shown = table === 'opens' ? Math.round(each * MICROSECONDS) : each.toFixed(1);
  const cells = [kind, ...[attempts, inside, refused, escapes].map((count) => count.toLocaleString('en')), shown];
  return `| ${cells.join(' | ')} |\n`;
}
