import { LEFT_OUT } from '../operations/fields.ts';
import { findProperties, toFindCall } from './find-by-name.ts';
import { GO_ON } from './properties.ts';
import { defineSkill } from './skill.ts';

export const findFolder = defineSkill({
  action: 'find_folder',
  title: 'Find folders by name',
  description: `Finds folders by name anywhere below a folder, in any case. Use it when the name is known, or a part of it with \`*\` for the rest; use find_file for files, list_folders to see what is in one folder. Hidden folders are found. ${LEFT_OUT} ${GO_ON}`,
  properties: findProperties('folders', ['test*']),
  toCall: (properties) => toFindCall('directory', properties),
});
