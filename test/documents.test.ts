import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const PAGES = ['.', 'docs', 'docs/adr'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

it.each(PAGES)('every file that %s links to is there', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '');
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});

it('SECURITY.md names a test for each of its guarantees', () => {
  const guarantees = readFileSync('SECURITY.md', 'utf8').match(/^\d\. \*\*[\s\S]*?(?=^\d\. |^##)/gm) ?? [];
  expect(guarantees.length).toBeGreaterThan(0);
  expect(guarantees.filter((text) => !/\(test\/[\w/-]+\.test\.ts\)/.test(text))).toEqual([]);
});
