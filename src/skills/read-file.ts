import { Type } from 'typebox';
import { MAX_INTEGER } from '../operations/fields.ts';
import { defaulted } from '../operations/schema.ts';
import { defineSkill } from './skill.ts';

const number = (minimum: number, fallback: number, description: string) =>
  defaulted(Type.Integer({ minimum, maximum: MAX_INTEGER, default: fallback, description }));

const LEADING_DOT = /^(?:\.\/+)+/;
const TRAILING_SLASHES = /\/+$/;

export const readFile = defineSkill({
  action: 'read_file',
  title: 'Read a file',
  description:
    'Reads a text file, or the lines from `startLine` to `endLine` of it. Use it whenever the content of a file is needed and its path is known; find_file and grep_file find it. For a large file ask for a range. When the last line, in brackets, says that there is more, it names the `startLine`, and inside a long line the `startColumn`, to send with the same path. A binary file is refused.',
  properties: Type.Object(
    {
      filePath: defaulted(
        Type.String({ default: './', description: 'The folder of the file, or the whole path.', examples: ['src/'] }),
      ),
      fileName: Type.Optional(
        Type.String({
          description: 'The name of the file, or the whole path. Not needed when filePath has it.',
          examples: ['main.py'],
        }),
      ),
      encoding: defaulted(
        Type.String({ default: 'utf-8', maxLength: 64, description: 'A WHATWG label such as utf-8 or gbk, or auto.' }),
      ),
      maxBytes: number(0, 0, "At most this many bytes; 0 is the server's limit."),
      startLine: number(1, 1, 'The first line, from 1.'),
      endLine: number(0, 0, 'The last line, included; 0 is the end of the file.'),
      startColumn: number(1, 1, 'The first character of `startLine`, from 1: for going on inside a long line.'),
    },
    { additionalProperties: false },
  ),
  toCall: ({ filePath, fileName, ...input }) => ({
    operation: 'read',
    input: { ...input, path: join(filePath, fileName ?? '') },
  }),
});

/**
 * The path that folder and name mean together. Either may hold the whole path;
 * the other then repeats a part of it or says nothing.
 */
function join(filePath: string, fileName: string): string {
  const folder = filePath.replace(LEADING_DOT, '').replace(TRAILING_SLASHES, '');
  const name = fileName.replace(LEADING_DOT, '');
  if (name === '') return filePath;
  const holdsName = !filePath.endsWith('/') && (folder === name || folder.endsWith(`/${name}`));
  if (holdsName) return filePath;
  const isWhole = name.startsWith('/') || name.startsWith(`${folder}/`);
  return isWhole || folder === '' || folder === '.' ? fileName : `${filePath.replace(TRAILING_SLASHES, '')}/${name}`;
}
