import { type Static, Type } from 'typebox';
import { NOISE } from '../operations/fields.ts';
import { excludeGlob, flag, includeGlob, maxResults, path, pattern } from './properties.ts';
import type { SkillCall } from './skill.ts';

/** The properties that finding files and finding folders share. */
export const findProperties = (what: string, examples: string[]) =>
  Type.Object(
    {
      pattern: pattern(
        `The whole name of the ${what}, as Python fnmatch has it (\`*\`, \`?\`, \`[seq]\`): \`*part*\` for a part of it. Or a Python regular expression with \`isRegex\`.`,
        examples,
      ),
      path: path('The folder to search.'),
      recursive: flag(true, 'Whether to search below it, too.'),
      isRegex: flag(false, 'Whether `pattern` is a Python regular expression, searched in the name.'),
      caseSensitive: flag(false, 'Whether upper and lower case are different.'),
      includeGlob: includeGlob('names'),
      excludeGlob: excludeGlob('names', NOISE),
      maxResults: maxResults(100, what),
      showPaths: flag(true, 'Whether `content` shows paths from the workspace root; otherwise below `path`.'),
    },
    { additionalProperties: false },
  );

type Properties = Static<ReturnType<typeof findProperties>>;

export function toFindCall(type: 'file' | 'directory', { showPaths, ...input }: Properties): SkillCall {
  return { operation: 'find', input: { ...input, type }, relativePaths: !showPaths, options: { showPaths } };
}
