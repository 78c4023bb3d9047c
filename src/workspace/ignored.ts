import { gitignoreRules } from '../text/ignore-file.ts';
import { Rules, type RulesState } from '../text/rules.ts';
import type { Handle } from './handle.ts';
import { type Bytes, toText } from './names.ts';
import { readFirstLines, throwUnlessGone } from './open.ts';

export const IGNORE_FILE = '.gitignore';
const MAX_BYTES = 1024 * 1024;

interface Layer {
  rules: Rules;
  state: RulesState;
}

/**
 * What the tree's `.gitignore` files ignore in one folder: its own file's rules
 * and those of the folders above, up to the root. The nearest file that speaks
 * of a name decides (gitignore(5)).
 */
export class IgnoreStack {
  readonly #layers: readonly Layer[];

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  /** The stack of the folder that lies at `segments` below `root`. Throws as `readFirstLines` does. */
  static at(root: Handle, segments: readonly Bytes[]): IgnoreStack {
    let stack = new IgnoreStack(ownLayer(root));
    let folder = root;
    try {
      for (const name of segments) {
        const next = folder.openDirectory(name);
        if (folder !== root) folder.close();
        folder = next;
        stack = stack.enter(toText(name), folder);
      }
    } catch (cause) {
      // A folder that was moved away meanwhile: the files above it still count.
      throwUnlessGone(cause, segments.join('/'));
    } finally {
      if (folder !== root) folder.close();
    }
    return stack;
  }

  /** The stack of the folder `name` in this one; it is held when it may have an ignore file of its own. */
  enter(name: string, folder: Handle | undefined): IgnoreStack {
    const above = this.#layers.map(({ rules, state }) => ({ rules, state: rules.enter(state, name) }));
    return new IgnoreStack(folder === undefined ? above : [...above, ...ownLayer(folder)]);
  }

  ignores(name: string, isDirectory: boolean): boolean {
    for (let at = this.#layers.length - 1; at >= 0; at -= 1) {
      const layer = this.#layers[at];
      const verdict = layer?.rules.verdict(layer.state, name, isDirectory);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }
}

function ownLayer(folder: Handle): Layer[] {
  const read = readFirstLines(folder, IGNORE_FILE, MAX_BYTES);
  if (read === undefined) return [];
  const rules = new Rules(gitignoreRules(read.text));
  return rules.isEmpty ? [] : [{ rules, state: rules.start }];
}
