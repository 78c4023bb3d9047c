import { RangePastEnd } from '../errors.ts';
import type { LocatedFile } from '../workspace/open.ts';
import { headOf } from './head.ts';
import type { Piece, ReadBound, ReadEnd, ReadInput } from './read.ts';

/** Bytes of a piece: a multiple of three, so that the pieces' texts in a row are the base64 of the whole. */
const PIECE = 48 * 1024;

/** A file's bytes in base64, from `startByte`; the text is at most `maxBytes` long. Throws RANGE_PAST_END. */
export function readBase64(
  file: LocatedFile,
  { startByte }: ReadInput,
  bound: ReadBound,
): { records(): AsyncGenerator<Piece[], void>; end(): ReadEnd } {
  const { size } = file;
  if (startByte > size || (startByte === size && size > 0)) {
    throw new RangePastEnd(`'${headOf(file).path}' has no byte ${startByte}: it has ${size} bytes.`);
  }
  const limit = Math.min(size, startByte + Math.floor(bound.maxBytes / 4) * 3);
  let position = startByte;
  return {
    async *records() {
      while (position < limit) {
        const bytes = file.read(position, Math.min(PIECE, limit - position));
        if (bytes.length === 0) return;
        yield [{ start_byte: position, text: bytes.toString('base64') }];
        position += bytes.length;
      }
    },
    end() {
      const isCut = position < size;
      return {
        encoding: 'base64',
        ...(isCut ? { truncated: true, truncated_by: bound.by } : {}),
        ...(isCut ? { next: { startByte: position } } : {}),
      };
    },
  };
}
