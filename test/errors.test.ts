import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as errors from '../src/errors.ts';
import { toError, toFailure, toProblem } from '../src/problem.ts';

const page = readFileSync('docs/errors.md', 'utf8');
const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) +\|/gm)].map((match) => [match[1], Number(match[2])]);

/** One error of every class in the catalogue. */
const all = Object.values(errors).flatMap((value) =>
  typeof value === 'function' && value !== errors.withMembers
    ? [new (value as new (...args: string[]) => errors.CatalogueError)('a', 'b')]
    : [],
);

it('every error has its row in docs/errors.md, with its status', () => {
  const missing = all.filter(
    ({ code, statusCode }) => !rows.some(([name, status]) => name === code && status === statusCode),
  );
  expect(missing.map(({ code }) => code)).toEqual([]);
});

it('every row of docs/errors.md is an error', () => {
  expect(rows.map(([code]) => code).filter((code) => !errors.CODES.has(String(code)))).toEqual([]);
});

it('a failure crosses between threads with its code, text and members', () => {
  const error = errors.withMembers(new errors.NotFound('/x'), { suggestions: ['/y'] });
  expect(toFailure(toError(structuredClone(toFailure(error))))).toEqual(toFailure(error));
});

it('an unknown error says nothing of itself', () => {
  const problem = toProblem(new Error('/home/secret'), 'id');
  expect(problem).toMatchObject({ status: 500, code: 'INTERNAL' });
  expect(JSON.stringify(problem)).not.toContain('secret');
});

it('an error with a code of the system is not taken for one of ours', () => {
  expect(toFailure(Object.assign(new Error('x'), { code: 'ENOENT' })).code).toBe('INTERNAL');
});
