import { toVirtual } from '../workspace/asked-path.ts';
import { toText } from '../workspace/names.ts';
import type { Located } from '../workspace/resolve.ts';
import { shownAs } from './entry.ts';
import type { Head } from './operation.ts';

/** How the reply on a located file or folder begins. */
export function headOf({ shown, stats }: Pick<Located, 'shown' | 'stats'>, pattern?: string): Head {
  const path = shown.length === 0 ? '' : toVirtual(shown);
  const isDirectory = stats.isDirectory();
  const head = path === '' ? { path: '/' } : shownAs({ path, text: toText(path) }, isDirectory);
  return pattern === undefined ? head : { ...head, pattern };
}
