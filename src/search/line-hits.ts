import { mayTakeCr, type SearchPattern } from './argv.ts';
import type { Hit, SearchEvent } from './output.ts';
import { Search } from './ripgrep.ts';

const LINE_FEED = Buffer.from('\n');
const CARRIAGE_RETURN = 0x0d;

/**
 * What a search found, without the lines that match only with the CR of their
 * CRLF, which is no part of them: `[^;]$` must not find every line of a file
 * from Windows. Those in doubt are searched once more as they are without it.
 * Lines that were too long to be printed are taken as they come.
 */
export async function* lineHits(
  search: Search,
  pattern: SearchPattern,
  signal: AbortSignal,
): AsyncGenerator<SearchEvent[], void> {
  const isInDoubt = mayTakeCr(pattern) ? endsInCr : () => false;
  for await (const events of search.events()) {
    const doubtful = events.filter(isInDoubt);
    if (doubtful.length === 0) {
      yield events;
      continue;
    }
    const matching = await matchingWithoutCr(doubtful, pattern, signal);
    yield events.filter((event) => !isInDoubt(event) || matching.has(event));
  }
}

function endsInCr(event: SearchEvent): event is Hit & { printed: Buffer } {
  return 'printed' in event && event.printed?.at(-1) === CARRIAGE_RETURN;
}

async function matchingWithoutCr(
  hits: readonly SearchEvent[],
  pattern: SearchPattern,
  signal: AbortSignal,
): Promise<Set<SearchEvent>> {
  const text = Buffer.concat(hits.flatMap((hit) => (endsInCr(hit) ? [hit.printed.subarray(0, -1), LINE_FEED] : [])));
  const bounds = { maxColumns: 0, maxPerFile: 0 };
  // What was printed is UTF-8 by now, and its first bytes are no byte order mark.
  const search = new Search({ ...pattern, encoding: 'none' }, { text }, bounds, signal);
  const matching = new Set<SearchEvent>();
  for await (const events of search.events()) {
    for (const event of events) {
      const hit = 'line' in event ? hits[event.line - 1] : undefined;
      if (hit !== undefined) matching.add(hit);
    }
  }
  return matching;
}
