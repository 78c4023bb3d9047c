const LINE_FEED = 10;

/** The number of line feeds; a last line without one counts. */
export function linesIn(chunks: readonly Buffer[]): number {
  let lines = 0;
  for (const chunk of chunks) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  }
  const last = chunks.at(-1);
  return last !== undefined && last.at(-1) !== LINE_FEED ? lines + 1 : lines;
}

/** Whether `chunks` hold at least so many line feeds. */
export class LineCounter {
  lines = 0;

  add(chunk: Buffer): void {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) this.lines += 1;
  }
}
