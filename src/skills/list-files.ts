import { listProperties, toListCall } from './list-folder.ts';
import { defineSkill } from './skill.ts';

export const listFiles = defineSkill({
  action: 'list_files',
  title: 'List files',
  description:
    'Lists the files in a folder, or all below it with `recursive`. Hidden ones are left out unless `includeHidden`; nothing else is. To list folders use list_folders; to look for a name use find_file.',
  properties: listProperties('files'),
  toCall: (properties) => toListCall('file', properties),
});
