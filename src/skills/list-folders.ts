import { listProperties, toListCall } from './list-folder.ts';
import { defineSkill } from './skill.ts';

export const listFolders = defineSkill({
  action: 'list_folders',
  title: 'List folders',
  description:
    'Lists the folders in one folder, or with `recursive` all folders below it. Use it to see how the workspace is laid out; use list_files for files, find_folder when the name is known. Hidden folders are left out unless `includeHidden` is true; nothing else is, node_modules neither: with `recursive` send an `excludeGlob`. With `showDetails` it adds up their sizes, which takes longer. It gives at most `maxResults`, 500 by default: when the last line, in brackets, says that there is more, list a folder further down, or raise it.',
  properties: listProperties('folders'),
  toCall: (properties) => toListCall('directory', properties),
});
