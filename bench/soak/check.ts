import { toTable } from '../report.ts';

/** Something that is to hold after or during a scenario. */
export interface Check {
  what: string;
  wanted: string;
  found: string;
  isMet: boolean;
}

export function checksTable(checks: readonly Check[]): string {
  return toTable(
    ['what', 'wanted', 'found', 'holds'],
    checks.map(({ found, isMet, wanted, what }) => [what, wanted, found, isMet ? 'yes' : '**no**']),
  );
}

export function atMost(what: string, found: number, most: number, unit = ''): Check {
  return { what, wanted: `≤ ${most}${unit}`, found: `${round(found)}${unit}`, isMet: found <= most };
}

export function atLeast(what: string, found: number, least: number, unit = ''): Check {
  return { what, wanted: `≥ ${least}${unit}`, found: `${round(found)}${unit}`, isMet: found >= least };
}

function round(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(1);
}
