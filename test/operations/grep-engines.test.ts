import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planter } from '../helpers/planter.ts';

// Texts are looked for by the service itself, all else by ripgrep: whoever looks, the reply is the same.
const WAYS = [
  ['a regex', { isRegex: true }],
  ['a match that may span lines', { multiline: true }],
  ['a regex that may span lines', { isRegex: true, multiline: true }],
  ['a text in any case', { caseSensitive: false }],
  ['a regex in UTF-8', { isRegex: true, encoding: 'utf-8' }],
] as const;

const piece = fc.constantFrom('漢', '漢字', 'é', 'x', '😀', '\u2028', '\r', '\n', '\r\n', '漢\n', 'x'.repeat(9));
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
const content = fc.oneof(
  { weight: 6, arbitrary: text.map((one) => Buffer.from(one)) },
  { weight: 1, arbitrary: text.map((one) => Buffer.from(`\ufeff${one}`)) },
  { weight: 1, arbitrary: text.map((one) => Buffer.from(`\ufeff${one}`, 'utf16le')) },
  { weight: 1, arbitrary: text.map((one) => Buffer.from(`${one}\0`)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(text, text)
      .map(([a, b]) => Buffer.concat([Buffer.from(a), Buffer.from([0xff, 0x80]), Buffer.from(b)])),
  },
);
const request = fc.record({
  pattern: fc.constantFrom('漢', '漢字', '字', '\u2028'),
  output: fc.constantFrom('lines', 'lines', 'lines', 'files', 'count'),
  before: fc.constantFrom(0, 0, 1, 2),
  after: fc.constantFrom(0, 0, 1, 2),
  maxLineLength: fc.constantFrom(1, 3, 5, 500),
  maxMatchesPerFile: fc.constantFrom(undefined, undefined, 1, 2),
  maxResults: fc.constantFrom(undefined, undefined, 2),
});

describe.each(WAYS)('%s finds what the text finds', (_, way) => {
  // Each run plants files and starts a process.
  test('in all that a reply holds, of one file and of several', { timeout: 120_000 }, async () => {
    const { grep, plantRun } = planter();
    await fc.assert(
      fc.asyncProperty(content, content, request, fc.boolean(), async (one, other, fields, isLone) => {
        const path = plantRun({ a: one, b: other, c: 'no match\n' });
        const asked = { ...fields, path: isLone ? `${path}/a` : path };

        const { hints: _hints, ...expected } = await grep(asked);
        const { hints, ...reply } = await grep({ ...asked, ...way });

        expect(reply).toEqual(expected);
      }),
      { numRuns: 120 },
    );
  });
});
