import { Type } from 'typebox';
import { MAX_PATTERN } from '../operations/fields.ts';
import { toFieldsError } from '../operations/input.ts';
import { defaulted, oneOf } from '../operations/schema.ts';
import { path } from './properties.ts';
import { defineSkill, type SkillCall } from './skill.ts';

export const fsSearch = defineSkill({
  action: 'fs_search',
  title: 'Search the file system',
  description:
    "Lists a directory (`ls`), finds files by a path pattern such as `**/*.py` (`glob`), or searches the content of files for literal, case-sensitive text (`grep`). Use it for these three in their simplest form; find_file, list_files and grep_file have more to choose. Nothing is left out, hidden files, node_modules and .git neither. It gives as much as the server's limit allows: when the last line, in brackets, says that there is more, narrow `path` or `pattern`.",
  properties: Type.Object(
    {
      mode: defaulted(
        oneOf(['ls', 'glob', 'grep'], {
          default: 'ls',
          examples: ['glob'],
          description: '`ls` lists a directory, `glob` finds files by pattern, `grep` searches their content.',
        }),
      ),
      path: path('The directory to search in.'),
      pattern: Type.Optional(
        Type.String({
          maxLength: MAX_PATTERN,
          description: 'With `glob` a pattern such as `**/*.py`, with `grep` the text to search for.',
          examples: ['**/*.py'],
        }),
      ),
    },
    { additionalProperties: false },
  ),
  toCall({ mode, path, pattern }): SkillCall {
    if (mode === 'ls') {
      const warnings = pattern
        ? ["'pattern' was not used: mode ls lists a directory. Send mode glob or grep to search."]
        : [];
      return { operation: 'ls', input: { path }, warnings };
    }
    if (pattern === undefined || pattern === '') {
      throw toFieldsError([{ detail: `'pattern' is missing: mode ${mode} needs one.`, pointer: '#/pattern' }]);
    }
    return { operation: mode, input: { path, pattern, excludeGlob: [] } };
  },
});
