import fc from 'fast-check';

const PIECES = ['x', 'x', 'é', ' ', 'yy', '\n', '\n', '\r\n', '\ufeff', '\0', '\0\0\0', 'y'.repeat(70_000)];

/** Texts of lines that are empty, long, or hold what is no letter; `more` are pieces to make them of besides. */
export function oddTexts(...more: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...PIECES, ...more), { maxLength: 8 }).map((pieces) => pieces.join(''));
}

/** Files that hold them: in UTF-8, some in UTF-16, some with bytes that are neither. */
export function filesWith(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 8, arbitrary: texts.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: texts.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')) },
    { weight: 1, arbitrary: texts.map((text) => Buffer.concat([Buffer.from([0xc3, 0x80, 0x80]), Buffer.from(text)])) },
  );
}
