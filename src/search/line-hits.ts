import { crIsInDoubt, type SearchBounds, type SearchPattern } from './argv.ts';
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
  search: Pick<Search, 'events'>,
  pattern: SearchPattern,
  bounds: Pick<SearchBounds, 'regexBytes'>,
  signal: AbortSignal,
): AsyncGenerator<SearchEvent[], void> {
  if (!crIsInDoubt(pattern)) {
    yield* search.events();
    return;
  }
  for await (const events of search.events()) {
    const doubtful = events.filter(endsInCr);
    if (doubtful.length === 0) {
      yield events;
      continue;
    }
    const columns = await columnsWithoutCr(doubtful, pattern, bounds, signal);
    yield events.flatMap((event) => {
      if (!endsInCr(event)) return [event];
      const column = columns.get(event);
      return column === undefined ? [] : [{ ...event, column }];
    });
  }
}

type PrintedHit = Hit & { printed: Buffer };

function endsInCr(event: SearchEvent): event is PrintedHit {
  return 'printed' in event && event.printed?.at(-1) === CARRIAGE_RETURN;
}

/** Where the lines match without their CR, for those that do. */
async function columnsWithoutCr(
  hits: readonly PrintedHit[],
  pattern: SearchPattern,
  { regexBytes }: Pick<SearchBounds, 'regexBytes'>,
  signal: AbortSignal,
): Promise<Map<SearchEvent, number>> {
  const text = Buffer.concat(hits.flatMap(({ printed }) => [printed.subarray(0, -1), LINE_FEED]));
  const bounds = { maxColumns: 0, maxPerFile: 0, regexBytes };
  // What was printed is UTF-8 by now, and its first bytes are no byte order mark.
  const search = new Search({ ...pattern, encoding: 'none' }, { text }, bounds, signal);
  const columns = new Map<SearchEvent, number>();
  for await (const events of search.events()) {
    for (const event of events) {
      const hit = 'line' in event ? hits[event.line - 1] : undefined;
      if (hit !== undefined && 'line' in event) columns.set(hit, event.column);
    }
  }
  return columns;
}
