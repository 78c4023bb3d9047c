import { findProperties, toFindCall } from './find-by-name.ts';
import { defineSkill } from './skill.ts';

export const findFile = defineSkill({
  action: 'find_file',
  title: 'Find files by name',
  description:
    'Finds files by name anywhere below a folder, in any case. Use it when the name, or a part of it with `*`, is known. node_modules, .git, dist, build and other noise are left out unless `path` lies in them. To search inside files use grep_file.',
  properties: findProperties('files', ['*.py']),
  toCall: (properties) => toFindCall('file', properties),
});
