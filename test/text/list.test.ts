import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitList } from '../../src/text/list.ts';

describe('a list in one string', () => {
  test.each<[what: string, text: string, parts: unknown[]]>([
    ['is split at commas', 'a,b,c', ['a', 'b', 'c']],
    ['has its parts trimmed', ' a , b\t,\nc ', ['a', 'b', 'c']],
    ['has no empty parts', ',a,, ,b,', ['a', 'b']],
    ['may be empty', '', []],
    ['may be blank', ' , ,', []],
    ['may be one', '*.ts', ['*.ts']],
    ['is not split in braces', '*.{js,ts},x', ['*.{js,ts}', 'x']],
    ['is not split in braces in braces', '{a,{b,c}},d', ['{a,{b,c}}', 'd']],
    ['is not split in brackets', '[a,b],c', ['[a,b]', 'c']],
    ['is split behind braces that were closed', '{a,b}{c,d},e', ['{a,b}{c,d}', 'e']],
    ['is split at commas when a brace is never closed', 'a{b,c', ['a{b', 'c']],
    ['is split at commas when a bracket is never closed', 'a[b,c', ['a[b', 'c']],
    ['is split when the closing one is the other', '{a,b],c', ['{a', 'b]', 'c']],
    ['holds together what an outer pair closes', '{a[b,c},d', ['{a[b', 'c}', 'd']],
    ['is split when what closes was never opened', 'a},b],c', ['a}', 'b]', 'c']],
    ['may be an array in JSON text', '["a,b", "c"]', ['a,b', 'c']],
    ['may be an empty array', ' [] ', []],
    ['may be an array of things that a check will refuse', '[1, null]', [1, null]],
    ['is a class when it is no JSON', '[abc],x', ['[abc]', 'x']],
    ['is a part when it is another JSON', '{"a": 1, "b": 2}', ['{"a": 1, "b": 2}']],
  ])('%s', (_, text, parts) => {
    expect(splitList(text)).toEqual(parts);
  });

  test('is what its parts were, when those are plain', () => {
    const part = fc.constantFrom('*.js', 'a b', '{x,y}', '[,]', '**/*.{a,b}', 'é', '!a');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom(',', ', ', ' ,\n'), (parts, comma) => {
        // An opening bracket at the start may be JSON text.
        fc.pre(!parts[0]?.startsWith('['));
        expect(splitList(parts.join(comma))).toEqual(parts);
      }),
      { numRuns: 1000 },
    );
  });

  test('loses nothing but blanks and commas, and answers for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '{', '}', '[', ']', ' ', '\\', '"') }), (text) => {
        fc.pre(!text.trimStart().startsWith('['));
        const kept = splitList(text).join('');
        expect(kept.replaceAll(/[,\s]/g, '')).toBe(text.replaceAll(/[,\s]/g, ''));
      }),
      { numRuns: 1000 },
    );
  });

  test('of very many brackets takes no time out of proportion', () => {
    const text = '{[,'.repeat(100_000);

    expect(splitList(text).length).toBe(100_000);
  });
});
