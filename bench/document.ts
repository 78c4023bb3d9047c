import type { Findings } from './findings.ts';
import { targetsTable } from './targets.ts';

/** The document with the tables of the soak between their markers. */
export function documentWithSoak(document: string, text: string): string {
  return between(document, 'soak', text, 'npm run soak');
}

/** The document with what was found put between the markers of each part; a part without findings stays as it is. */
export function documentWith(document: string, findings: Findings): string {
  let written = between(document, 'targets', targetsTable(findings));
  for (const [phase, { measured, text }] of Object.entries(findings)) {
    // Results of several runs name these themselves.
    written = between(written, phase, text.includes('Measured on') ? text : `${measured}\n\n${text}`);
  }
  return written;
}

function between(document: string, part: string, text: string, command = 'npm run bench'): string {
  const begin = `<!-- ${part}: written by \`${command} -- --write\` -->`;
  const end = `<!-- end of ${part} -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`the document lacks the markers of ${part}`);
  return `${document.slice(0, from)}${begin}\n\n${text.trim()}\n\n${document.slice(to)}`;
}
