import type { Contender } from '../contenders/contender.ts';
import { contenders } from '../contenders/index.ts';
import type { Corpus } from '../corpora/index.ts';
import { toSpread, toTable, toTime } from '../report.ts';
import { spreadOf } from '../statistics.ts';

/** Those that run for as long as they are used; the others start with each task. */
const LASTING = /^fs-sidecar$|fff|deepagents|gemini|MCP|opencode/;

export interface Start {
  name: string;
  milliseconds: number[];
  failure?: string;
}

/** From the start of a process to its first answer, on a tree that the system has seen. */
export async function starts(
  corpus: Corpus,
  rounds: number,
  isWanted: (name: string) => boolean,
): Promise<{ text: string; samples: Start[] }> {
  const found: Start[] = [];
  const taking: { contender: Contender; start: Start }[] = [];
  for (const contender of contenders.filter(({ name }) => LASTING.test(name) && isWanted(name))) {
    const failure = contender.missing();
    const start = { name: contender.name, milliseconds: [], ...(failure === undefined ? {} : { failure }) };
    found.push(start);
    if (failure === undefined) taking.push({ contender, start });
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const taker of taking) await takePart(taker.contender, taker.start, corpus, round > 0);
  }
  const rows = found.map(({ failure, milliseconds, name }) =>
    failure === undefined ? [name, toSpread(spreadOf(milliseconds), toTime), ''] : [name, '–', failure],
  );
  return { text: toTable([`in ${corpus.name}`, 'ready after', 'remarks'], rows), samples: found };
}

async function takePart(contender: Contender, start: Start, corpus: Corpus, counts: boolean): Promise<void> {
  if (start.failure !== undefined) return;
  const started = performance.now();
  try {
    const ready = await contender.start(corpus);
    if (counts) start.milliseconds.push(performance.now() - started);
    await ready.close();
  } catch (error) {
    start.failure = `does not start: ${error instanceof Error ? error.message : error}`;
  }
}
