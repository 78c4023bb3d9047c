import { Type } from 'typebox';
import { LEFT_OUT, NOISE } from '../operations/fields.ts';
import { excludeGlob, flag, GO_ON, includeGlob, maxResults, path, pattern } from './properties.ts';
import { defineSkill } from './skill.ts';

export const grepFile = defineSkill({
  action: 'grep_file',
  title: 'Search inside files',
  description: `Searches the content of files for a text, in any case, and gives the matching lines as path:line:text. Use it to find where something is written; use find_file for names, and read_file with \`startLine\` to see more around a line. Hidden files are searched, binary ones are not. ${LEFT_OUT} ${GO_ON}`,
  properties: Type.Object(
    {
      pattern: pattern('The text to search for, or a regular expression (Rust syntax) with `isRegex`.', ['def main']),
      path: path('The folder, or the one file, to search.'),
      recursive: flag(true, 'Whether to search below the folder, too.'),
      isRegex: flag(false, 'Whether `pattern` is a regular expression.'),
      caseSensitive: flag(false, 'Whether upper and lower case are different.'),
      includeGlob: includeGlob('files'),
      excludeGlob: excludeGlob('names', NOISE),
      maxResults: maxResults(100, 'files with matches'),
      showLines: flag(true, 'Whether to give the matching lines; otherwise the files alone.'),
    },
    { additionalProperties: false },
  ),
  toCall: ({ showLines, maxResults: maxFiles, ...input }) => ({
    operation: 'grep',
    input: showLines ? { ...input, maxFiles, output: 'lines' } : { ...input, maxResults: maxFiles, output: 'files' },
    options: { showLines, maxResults: maxFiles },
  }),
});
