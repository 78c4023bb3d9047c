import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { contenders } from './contenders/index.ts';
import { DOCUMENT, PROJECT } from './contenders/paths.ts';
import { Corpora, type Corpus } from './corpora/index.ts';
import { documentWith } from './document.ts';
import { type Findings, findingsIn, keepFindings, merged } from './findings.ts';
import { measuredOn } from './machine.ts';
import { type Options, PHASES, type Phase, readOptions, USAGE } from './options.ts';
import { type ComparePlan, compare, type Result } from './phases/compare.ts';
import { drawGrowth, growth, isOfGrowth } from './phases/growth.ts';
import { health, healthTable } from './phases/health.ts';
import { rates } from './phases/rates.ts';
import { starts } from './phases/starts.ts';
import { streams } from './phases/streams.ts';
import { comparisons, measuredLines, overview } from './report.ts';
import { SCALES, type Scale } from './scale.ts';
import { targetsTable } from './targets.ts';

/** Compares the service with its peers and prints tables in Markdown; all samples go to a file. */
const options = optionsOrUsage();
const scale: Scale = SCALES[options.scale];
mkdirSync(options.cache, { recursive: true });
const corpora = new Corpora(options.cache, PROJECT, say);
const findings = findingsIn(options.json);
const measured = `${measuredOn()}; scale ${options.scale}, ${options.rounds} rounds.`;
const plan: Omit<ComparePlan, 'took'> = {
  measured,
  rounds: options.rounds,
  isWanted: (corpus, task, contender) => options.only.test(`${corpus.name}: ${task} ${contender}`),
};

/** What each phase does; it prints what it finds on the way, or leaves that to the end. */
const RUNS: Record<Phase, () => Promise<void>> = {
  starts: async () => {
    const corpus = corpora.tree(Math.max(...scale.trees));
    const isWanted = (name: string) => options.only.test(`${corpus.name}: start ${name}`);
    const found = await starts(corpus, options.rounds, isWanted);
    keep('starts', found);
    print(found.text);
  },
  compare: async () => {
    const took = (results: readonly Result[]) => {
      const samples = merged(findings.compare?.samples ?? [], results);
      keep('compare', { text: overview(samples), samples });
      print(comparisons(results));
    };
    for (const corpus of allCorpora()) await compare(corpus, contenders, { ...plan, took });
  },
  health: async () => {
    const samples = merged(findings.health?.samples ?? [], await health(allCorpora(), scale, plan.isWanted));
    keep('health', { text: healthTable(samples), samples });
    print(healthTable(samples));
  },
  rates: async () => {
    const found = await rates(corpora.tree(100), scale);
    keep('rates', found);
    print(found.text);
  },
  streams: async () => {
    const found = await streams(corpora, scale, options.rounds);
    keep('streams', found);
    print(found.text);
  },
  growth: async () => {
    const trees = scale.growth.filter((files) => !scale.trees.includes(files)).map((files) => corpora.tree(files));
    let samples = findings.growth?.samples ?? [];
    const took = (results: readonly Result[]) => {
      samples = merged(samples, results);
      print(comparisons(results));
    };
    await growth(trees, { ...plan, took });
    const compared = (findings.compare?.samples ?? []).filter(isOfGrowth);
    const text = `${measuredLines(samples)}\n\n${await drawGrowth([...compared, ...samples], options.plot)}`;
    keep('growth', { text, samples });
    print(text);
  },
};
const TITLES: Record<Phase, string> = {
  starts: 'Start to ready',
  compare: 'Beside the peers',
  health: 'Health meanwhile',
  rates: 'Small requests',
  streams: 'Long streams',
  growth: 'How cost grows',
};

print(`${measured}\n`);
for (const phase of PHASES.filter((phase) => options.phases.includes(phase))) {
  print(`## ${TITLES[phase]}\n`);
  await RUNS[phase]();
}
print(`## Targets\n\n${targetsTable(findings)}`);
say(`all samples: ${options.json}`);

/** Keeps what a phase has found so far, at once, so that a run that is broken off is not lost. */
function keep<P extends Phase>(phase: P, found: Omit<NonNullable<Findings[P]>, 'measured'>): void {
  Object.assign(findings, { [phase]: { measured, ...found } });
  keepFindings(options.json, findings);
  if (options.write) writeFileSync(DOCUMENT, documentWith(readFileSync(DOCUMENT, 'utf8'), findings));
}

/** A hundred files are where the start of a program costs more than its work. */
function allCorpora(): Corpus[] {
  const trees = [100, ...scale.trees].map((files) => corpora.tree(files));
  return [...trees, corpora.folder(scale.folderEntries), corpora.log(scale.logLines, scale.lineBytes)];
}

function optionsOrUsage(): Options {
  try {
    const read = readOptions(process.argv.slice(2));
    if (read !== undefined) return read;
    process.stdout.write(USAGE);
    process.exit();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
