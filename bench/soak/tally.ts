import type { Ending } from './answers.ts';
import type { Check } from './check.ts';

/** How requests ended. */
export class Tally {
  readonly endings = new Map<string, number>();
  readonly #faults = new Map<string, number>();

  add(request: string, ending: Ending): void {
    const name = nameOf(ending);
    this.endings.set(name, this.#count(name) + 1);
    if (ending.kind !== 'fault') return;
    const fault = `${request}: ${ending.why}`;
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  #count(name: string): number {
    return this.endings.get(name) ?? 0;
  }

  /** Of the endings whose names match. */
  sum(names: RegExp): number {
    return this.matching(names).reduce((sum, [, times]) => sum + times, 0);
  }

  matching(names: RegExp): [name: string, times: number][] {
    return [...this.endings].filter(([name]) => names.test(name));
  }

  get text(): string {
    return listed([...this.endings]);
  }

  /** No stream silently short, no reply that breaks off without being seen to. */
  get faultCheck(): Check {
    const faults = [...this.#faults];
    return {
      what: 'silently short, without an end, or no reply at all',
      wanted: 'none',
      found: listed(faults.slice(0, MOST_SHOWN)),
      isMet: faults.length === 0,
    };
  }
}

const MOST_SHOWN = 3;

/** `whole`, or `failed: BUSY, the reason`; one code stands for several things that can happen. */
function nameOf(ending: Ending): string {
  if (!('code' in ending)) return ending.kind;
  const reason = ending.kind === 'failed' ? ending.detail?.split('.')[0] : undefined;
  return [`${ending.kind}: ${ending.code}`, ...(reason === undefined ? [] : [reason])].join(', ');
}

export function listed(counts: readonly [name: string, times: number][]): string {
  return counts.length === 0
    ? 'none'
    : counts.map(([name, times]) => `${times.toLocaleString('en')} × ${name}`).join('; ');
}
