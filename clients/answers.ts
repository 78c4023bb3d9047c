/** The tree that the clients look at. */
export const TREE = {
  'README.md': '# A tree\n',
  'src/main.py': 'import util\n\ndef main():\n    return util.half(2)\n',
  'src/lib/util.py': 'def half(n):\n    return n / 2\n',
} as const;

/** A file whose size takes more than 32 bits, and none of the disk. */
export const LARGE = { name: 'large.bin', size: 5 * 1024 ** 3 };

/** What a client saw; each asks the same. */
export interface Answers {
  ls: { path: string; size: number | undefined }[];
  find: string[];
  glob: string[];
  grep: { path: string; line: number | undefined; text: string | undefined }[];
  read: { content: string; total_lines: number | null | undefined };
  execute: { content: string; count: unknown };
  stream: { types: string[]; paths: string[] };
  error: { status: number; code: string; suggestions: string[] | undefined };
}

export const EXPECTED: Answers = {
  ls: [
    { path: '/README.md', size: TREE['README.md'].length },
    { path: `/${LARGE.name}`, size: LARGE.size },
    { path: '/src/', size: 0 },
  ],
  find: ['/src/main.py'],
  glob: ['/src/lib/util.py', '/src/main.py'],
  grep: [
    { path: '/src/lib/util.py', line: 1, text: 'def half(n):' },
    { path: '/src/main.py', line: 3, text: 'def main():' },
  ],
  read: { content: 'def main():\n', total_lines: 4 },
  execute: { content: '/src/main.py\n', count: 1 },
  stream: { types: ['begin', 'match', 'match', 'end'], paths: ['/src/lib/util.py', '/src/main.py'] },
  error: { status: 404, code: 'NOT_FOUND', suggestions: ['/src/main.py'] },
};
