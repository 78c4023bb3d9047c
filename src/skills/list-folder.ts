import { type Static, Type } from 'typebox';
import { excludeGlob, flag, includeGlob, maxResults, path } from './properties.ts';
import type { SkillCall } from './skill.ts';

/** The properties that listing folders and listing files share. */
export const listProperties = (what: string) =>
  Type.Object(
    {
      directoryPath: path('The folder to list.'),
      recursive: flag(false, 'Whether to list everything below it, too.'),
      includeHidden: flag(false, 'Whether names that begin with a dot are listed.'),
      includeGlob: includeGlob('names'),
      excludeGlob: excludeGlob('names', []),
      showDetails: flag(false, 'Whether `result` has sizes and times of modification.'),
      maxResults: maxResults(500, what),
    },
    { additionalProperties: false },
  );

type Properties = Static<ReturnType<typeof listProperties>>;

export function toListCall(type: 'file' | 'directory', { directoryPath, ...input }: Properties): SkillCall {
  return {
    operation: 'ls',
    input: { ...input, path: directoryPath, type, folderSizes: type === 'directory' && input.showDetails },
  };
}
