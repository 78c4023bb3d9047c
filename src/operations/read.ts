import { type Static, Type } from 'typebox';
import { InputInvalid, withMembers } from '../errors.ts';
import { toEncoding } from '../text/encoding.ts';
import type { LocatedFile } from '../workspace/open.ts';
import { timestamp } from './entry.ts';
import { MAX_INTEGER, placeOfFile } from './fields.ts';
import { headOf } from './head.ts';
import { defineOperation } from './operation.ts';
import { readBase64 } from './read-base64.ts';
import { TextReading } from './read-text.ts';
import { defaulted, oneOf } from './schema.ts';

const lineNumber = (minimum: number, value: number, description: string) =>
  defaulted(Type.Integer({ minimum, maximum: MAX_INTEGER, default: value, description }));

const Input = Type.Object(
  {
    ...placeOfFile,
    startLine: lineNumber(1, 1, 'The first line, from 1.'),
    endLine: lineNumber(0, 0, 'The last line, included; 0 is the end of the file.'),
    maxBytes: lineNumber(
      0,
      0,
      "At most this many bytes of `content` in UTF-8, cut between characters; 0 is the server's cap. `next` says where to go on. With less than 4 there may be no room for a single character.",
    ),
    encoding: defaulted(
      Type.String({
        default: 'utf-8',
        maxLength: 64,
        description:
          'A WHATWG label such as `utf-8`, `utf-16le`, `windows-1252`, `gbk` or `shift_jis`, or `auto`. A byte order mark decides whatever was asked.',
      }),
    ),
    as: defaulted(
      oneOf(['text', 'base64'], { default: 'text', description: 'How `content` is given; `base64` takes any file.' }),
    ),
    lineNumbers: defaulted(
      Type.Boolean({ default: false, description: 'Whether each line of `content` begins with its number and a tab.' }),
    ),
    startColumn: lineNumber(
      1,
      1,
      'The first character of `startLine`, from 1: for going on inside a long line, as `next` says.',
    ),
    startByte: lineNumber(0, 0, 'The first byte, with `as=base64`: for going on, as `next` says.'),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_INTEGER,
        description:
          "Milliseconds after which it ends with what it has. At most the server's limit, which also holds without it.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ReadInput = Static<typeof Input>;

export const Piece = Type.Object(
  {
    start_line: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'The line `text` begins in.' }),
    ),
    start_byte: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'The byte `text` begins at, with `as=base64`.' }),
    ),
    text: Type.String({ description: 'A piece of the content; all pieces in a row are the content.' }),
  },
  { $id: 'Piece', additionalProperties: false, description: 'A piece of a file.' },
);
export type Piece = Static<typeof Piece>;

const position = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description }));

const endFields = {
  encoding: Type.String({ description: 'What the content was decoded from; `base64` when it was not.' }),
  encoding_guessed: Type.Optional(
    Type.Boolean({ description: 'True when `encoding` is a guess: with `auto`, for what is not UTF-8.' }),
  ),
  bom: Type.Optional(Type.Boolean({ description: 'True when a byte order mark was stripped.' })),
  lossy: Type.Optional(
    Type.Boolean({ description: 'True when bytes were no text in the encoding and show as U+FFFD.' }),
  ),
  start_line: position('The first line of the content; 0 in an empty file.'),
  end_line: position('The last line of the content, whole or in part.'),
  total_lines: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: MAX_INTEGER,
      description: 'Lines of the file; null where counting them would mean reading on in a file over 64 MiB.',
    }),
  ),
  size: Type.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'Bytes of the file.' }),
  modified_at: Type.Optional(Type.String({ format: 'date-time', description: 'When it last changed, in UTC.' })),
  next: Type.Optional(
    Type.Object(
      {
        startLine: position('The `startLine` to go on with.'),
        startColumn: position('The `startColumn` to go on with.'),
        startByte: position('The `startByte` to go on with.'),
      },
      {
        additionalProperties: false,
        description: 'Where the file goes on after what was sent: these fields in another request.',
      },
    ),
  ),
};

/** The most bytes of content, and whose limit that is. */
export interface ReadBound {
  maxBytes: number;
  by: 'maxBytes' | 'limit';
}

/** What closes the reply of a read beside `truncated`. */
export interface ReadEnd {
  encoding: string;
  encoding_guessed?: true;
  bom?: true;
  lossy?: true;
  start_line?: number;
  end_line?: number;
  total_lines?: number | null;
  truncated?: true;
  truncated_by?: ReadBound['by'];
  next?: { startLine?: number; startColumn?: number; startByte?: number };
}

export const read = defineOperation({
  name: 'read',
  summary: 'Read a file',
  description:
    "Reads a text file, or a range of its lines, unchanged. Use it when the path is known; `find`, `glob` and `grep` find it. Lines end at line feeds, as in grep's `line`. Send `startLine` and `endLine` for large files: forty lines of a huge file cost no more than of a small one. Without them it gives as much as the server's limit allows. When `truncated` is true, send the same again with the fields of `next`; without `next` the file is at its end. A binary file is refused: send `as` as `base64` for its bytes.",
  input: Input,
  record: Piece,
  recordType: 'text',
  fold: (pieces) => ({ content: pieces.map(({ text }) => text).join('') }),
  endFields,
  isSearch: () => false,
  toText: ({ text }) => text,
  start(input, { workspace }) {
    refuseContradictions(input);
    const encoding = input.encoding.toLowerCase() === 'auto' ? 'auto' : toEncoding(input.encoding);
    const file = workspace.openFile(input);
    try {
      const bound = boundOf(input.maxBytes, workspace.maxReadBytes);
      const reading =
        input.as === 'base64' ? readBase64(file, input, bound) : new TextReading(file, input, encoding, bound);
      return {
        head: headOf(file),
        records: reading.records(),
        end: () => ({ ...reading.end(), ...factsOf(file) }),
        close: () => file.close(),
      };
    } catch (error) {
      file.close();
      throw error;
    }
  },
});

function boundOf(asked: number, cap: number): ReadBound {
  return asked === 0 || asked > cap ? { maxBytes: cap, by: 'limit' } : { maxBytes: asked, by: 'maxBytes' };
}

function factsOf({ stats }: LocatedFile): { size: number; modified_at?: string } {
  const modified = timestamp(stats.mtimeMs);
  return modified === undefined ? { size: stats.size } : { size: stats.size, modified_at: modified };
}

function refuseContradictions(input: ReadInput): void {
  if (input.endLine !== 0 && input.endLine < input.startLine) {
    refuse(
      'endLine',
      `'endLine' (${input.endLine}) is before 'startLine' (${input.startLine}). Send 0 for the end of the file.`,
    );
  }
  if (input.as === 'text' && input.startByte !== 0) {
    refuse('startByte', "'startByte' goes with as=base64 alone. Send startLine and startColumn for text.");
  }
  if (input.as === 'base64' && (input.startLine !== 1 || input.endLine !== 0 || input.startColumn !== 1)) {
    refuse(
      'as',
      'as=base64 takes no lines. Send startByte and maxBytes instead of startLine, endLine and startColumn.',
    );
  }
}

function refuse(field: string, detail: string): never {
  throw withMembers(new InputInvalid(detail), { errors: [{ detail, pointer: `#/${field}` }] });
}
