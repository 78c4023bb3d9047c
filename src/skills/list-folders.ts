import { listProperties, toListCall } from './list-folder.ts';
import { defineSkill } from './skill.ts';

export const listFolders = defineSkill({
  action: 'list_folders',
  title: 'List folders',
  description:
    'Lists the folders in a folder, or all below it with `recursive`. Hidden ones are left out unless `includeHidden`; nothing else is. With `showDetails` it adds up their sizes, which takes longer. To list files use list_files.',
  properties: listProperties('folders'),
  toCall: (properties) => toListCall('directory', properties),
});
