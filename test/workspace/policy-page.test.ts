import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toBytes } from '../../src/workspace/names.ts';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';

const page = readFileSync('docs/policy.md', 'utf8');

/** The words in code of a piece of Markdown. */
const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The tables' lines: rules, what `.agentignore` adds where there is a column for it, what is blocked, what is open. */
const examples = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | ').map(codesIn))
  .map((cells) => ({
    rules: cells[0] ?? [],
    added: cells.length === 4 ? (cells[1] ?? []) : [],
    blocked: cells.at(-2) ?? [],
    open: cells.at(-1) ?? [],
  }));

it.each(examples)('$rules with $added blocks $blocked and leaves $open open', ({ added, blocked, open, rules }) => {
  const policy = Policy.of(rules).extendedBy(added.join('\n'));
  const blocks = (path: string) => policy.blocks(path.split('/').map(toBytes));
  expect([blocked.length > 0, open.length > 0]).toEqual([true, true]);
  expect([blocked.filter((path) => !blocks(path)), open.filter(blocks)]).toEqual([[], []]);
});

it('the page has examples, and of each kind', () => {
  expect([examples.length > 15, examples.some(({ added }) => added.length > 0)]).toEqual([true, true]);
});

it('the page lists the sets', () => {
  const section = /^## The sets$(.*?)^## /ms.exec(page)?.[1] ?? '';
  const [, secrets = ''] = section.split('`secrets` is:');
  const more = /`strict` is `secrets` and (.+?)\. /.exec(section)?.[1] ?? '';
  expect([codesIn(secrets).sort(), codesIn(more)]).toEqual([
    [...POLICY_SETS.secrets].sort(),
    POLICY_SETS.strict.slice(POLICY_SETS.secrets.length),
  ]);
});
