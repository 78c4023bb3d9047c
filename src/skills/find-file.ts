import { LEFT_OUT } from '../operations/fields.ts';
import { findProperties, toFindCall } from './find-by-name.ts';
import { GO_ON } from './properties.ts';
import { defineSkill } from './skill.ts';

export const findFile = defineSkill({
  action: 'find_file',
  title: 'Find files by name',
  description: `Finds files by name anywhere below a folder, in any case. Use it when the name is known, or a part of it with \`*\` for the rest; use find_folder for folders, list_files to see what is in one folder, grep_file to search inside files. Hidden files are found. ${LEFT_OUT} ${GO_ON}`,
  properties: findProperties('files', ['*.py']),
  toCall: (properties) => toFindCall('file', properties),
});
