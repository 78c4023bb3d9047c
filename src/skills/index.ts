import { findFile } from './find-file.ts';
import { findFolder } from './find-folder.ts';
import { fsSearch } from './fs-search.ts';
import { grepFile } from './grep-file.ts';
import { listFiles } from './list-files.ts';
import { listFolders } from './list-folders.ts';
import { readFile } from './read-file.ts';
import type { Skill } from './skill.ts';

/** All skills, in the order in which documents list them. */
export const skills: readonly Skill[] = [findFile, findFolder, listFolders, listFiles, grepFile, readFile, fsSearch];

/** The skill with that action. */
export function skillOf(action: string): Skill | undefined {
  return skills.find((skill) => skill.action === action);
}
