import { findProperties, toFindCall } from './find-by-name.ts';
import { defineSkill } from './skill.ts';

export const findFolder = defineSkill({
  action: 'find_folder',
  title: 'Find folders by name',
  description:
    'Finds folders by name anywhere below a folder, in any case. node_modules, .git, dist, build and other noise are left out unless `path` lies in them. To list the folders in one place use list_folders.',
  properties: findProperties('folders', ['src']),
  toCall: (properties) => toFindCall('directory', properties),
});
