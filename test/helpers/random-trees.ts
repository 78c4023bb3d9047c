import fc from 'fast-check';

const NAMES = ['a', 'b', 'c.txt', 'd.js', '.h', 'a-b', 'a.b', 'é', 'x y', '_', '😀', '\uff5e', 'node_modules'];

/** What files may hold: lines of all sorts, without a NUL. */
export const texts = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'é', '漢', '😀', ' ', '\u2028', '\r', '\n', '\r\n', '\n\n', 'hit', 'hit\n'), {
    maxLength: 24,
  })
  .map((pieces) => pieces.join(''));

/** Trees of files, up to four levels deep, by their paths. */
export function trees(contents: fc.Arbitrary<string> = texts): fc.Arbitrary<Record<string, string>> {
  const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 });
  return fc.array(fc.tuple(path, contents), { maxLength: 14 }).map(toTree);
}

/** Without the files that would have to be folders, too. */
function toTree(files: readonly [names: string[], content: string][]): Record<string, string> {
  const tree = new Map<string, string>();
  for (const [names, content] of files) {
    const path = names.join('/');
    const above = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join('/'));
    const isFolder = [...tree.keys()].some((other) => other.startsWith(`${path}/`));
    if (!isFolder && !above.some((folder) => tree.has(folder))) tree.set(path, content);
  }
  return Object.fromEntries(tree);
}
