import type { Scan } from '../../src/search/source.ts';

/** What a scan comes to, without a pause. */
export function resultOf<T>(scan: Scan<T>): T {
  for (;;) {
    const { done, value } = scan.next();
    if (done === true) return value;
  }
}

/** How often a scan lets others go on. */
export function pausesOf(scan: Scan<unknown>): number {
  return [...scan].length;
}
