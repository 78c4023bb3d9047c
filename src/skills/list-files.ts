import { listProperties, toListCall } from './list-folder.ts';
import { defineSkill } from './skill.ts';

export const listFiles = defineSkill({
  action: 'list_files',
  title: 'List files',
  description:
    'Lists the files in one folder, or with `recursive` all files below it. Use it to see what is there; use list_folders for folders, find_file when the name is known. Hidden files and folders are left out unless `includeHidden` is true; nothing else is, node_modules neither: with `recursive` send an `excludeGlob`. It gives at most `maxResults`, 500 by default: when the last line, in brackets, says that there is more, list a folder further down, or raise it.',
  properties: listProperties('files'),
  toCall: (properties) => toListCall('file', properties),
});
