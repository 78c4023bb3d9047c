import type { SearchEvent } from '../search/output.ts';
import type { Source } from '../search/source.ts';
import type { Candidate } from './candidates.ts';

/** Files for one search. */
export interface Batch {
  readonly candidates: readonly Candidate[];
  readonly target: { descriptors: readonly number[] } | { text: Buffer };
  /** Whether the search may take so long that what it finds is wanted before it ends. */
  readonly isLarge: boolean;
  /** What the search found, by the places of the files and in lines and bytes of theirs. */
  located(events: SearchEvent[]): SearchEvent[];
  /** The text of a file as it was searched; undefined where the file is read again. */
  sourceOf(index: number): Source | undefined;
  close(): void;
}

/** Open files. */
export class FileBatch implements Batch {
  readonly candidates: readonly Candidate[];
  readonly isLarge: boolean;

  /** Takes over the files. */
  constructor(candidates: readonly Candidate[], isLarge: boolean) {
    this.candidates = candidates;
    this.isLarge = isLarge;
  }

  get target(): { descriptors: readonly number[] } {
    return { descriptors: this.candidates.map(({ file }) => file.descriptor) };
  }

  located(events: SearchEvent[]): SearchEvent[] {
    return events;
  }

  sourceOf(): undefined {
    return undefined;
  }

  close(): void {
    for (const { file } of this.candidates) file.close();
  }
}
