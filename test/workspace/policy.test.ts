import { lstatSync, readdirSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBytes } from '../../src/workspace/names.ts';
import { POLICY_SETS, Policy } from '../../src/workspace/policy.ts';
import { pathsOf, runnerOf, runnerOn, workspaceAt, workspaceOf } from '../helpers/operations.ts';
import { serviceAt, serviceOf } from '../helpers/service.ts';
import { plant, scratch, type Tree } from '../helpers/tree.ts';

function blocks(rules: readonly string[], path: string): boolean {
  return Policy.of(rules).blocks(path.split('/').map(toBytes));
}

describe('the default rules', () => {
  it.each([
    '.env',
    '.env.local',
    '.env.production',
    '.env.example.local',
    '.envrc',
    'a/b/.env',
    '.ssh',
    '.ssh/known_hosts',
    'home/.ssh/config',
    '.gnupg/x',
    '.aws/credentials',
    '.azure/x',
    '.config/gcloud/x/y',
    'a/.config/gcloud/x',
    '.kube/config',
    'kubeconfig',
    '.docker/config.json',
    'a/.docker/config.json',
    'id_rsa',
    'id_rsa.bak',
    'id_dsa',
    'id_ecdsa_sk',
    'id_ed25519',
    'x.ppk',
    'x.p12',
    'x.pfx',
    'x.jks',
    'x.keystore',
    'x.kdbx',
    '.git-credentials',
    '.git/config',
    'sub/.git/config',
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.pgpass',
    '.my.cnf',
    '.htpasswd',
    '.vault-token',
    'x.tfstate',
    'x.tfstate.backup',
    'credentials.json',
    'service-account.json',
    'service-account-prod.json',
    'secrets.json',
    'secrets.yml',
    'secrets.yaml',
    'secrets.toml',
    '.terraform.d/x',
    '.bash_history',
    '.zsh_history',
  ])('block %s', (path) => {
    expect(blocks(POLICY_SETS.secrets, path)).toBe(true);
  });

  it.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.defaults',
    'env',
    'a.env',
    'environment',
    '.environment',
    'ssh/x',
    '.sshx/y',
    'gcloud/x',
    '.config/x',
    '.config/x/gcloud/y',
    '.docker/x',
    'config.json',
    '.docker/x/config.json',
    'id_rsa.pub',
    'id_ed25519.pub',
    'my_id_rsa',
    '.git/HEAD',
    '.git/x/config',
    '.gitconfig',
    'x.tfstate.bak',
    'secrets.txt',
    'mysecrets.json',
    'service-account.yaml',
    'server.pem',
    'server.key',
    'p12',
  ])('leave %s open', (path) => {
    expect(blocks(POLICY_SETS.secrets, path)).toBe(false);
  });

  it.each(['server.pem', 'a/server.key', '.env'])('that are strict block %s', (path) => {
    expect(blocks(POLICY_SETS.strict, path)).toBe(true);
  });
});

describe('a rule', () => {
  it.each<[form: string, rules: string[], blocked: string[], open: string[]]>([
    ['without a slash is about a name at any depth', ['x'], ['x', 'a/x', 'a/b/x'], ['xx', 'a', 'X.y']],
    ['blocks what lies below what it hits', ['x'], ['x/y', 'a/x/y/z'], ['y/a']],
    ['with a leading slash is about the root alone', ['/x'], ['x', 'x/y'], ['a/x']],
    [
      'with an inner slash is about names in a row, at any depth',
      ['a/x'],
      ['a/x', 'b/a/x', 'b/a/x/y'],
      ['x', 'a/b/x', 'a'],
    ],
    ['with a leading and an inner slash is about that place', ['/a/x'], ['a/x', 'a/x/y'], ['b/a/x']],
    ['with a trailing slash blocks the name for files, too', ['x/'], ['x', 'x/y', 'a/x'], ['xy']],
    ['with a trailing and an inner slash is about names in a row', ['a/x/'], ['a/x', 'b/a/x/y'], ['a', 'x']],
    ['takes wildcards for parts of a name', ['*.x', 'y?z'], ['a.x', '.x', 'yyz'], ['x', 'a.xy', 'yz']],
    ['takes wildcards in a row', ['a/*/x'], ['a/b/x', 'c/a/b/x'], ['a/x', 'a/b/c/x']],
    ['takes two stars for any folders', ['a/**/x'], ['a/x', 'a/b/x', 'a/b/c/x'], ['x', 'b/x']],
    ['takes sets and ranges', ['[a-c]x', '[!d]y'], ['ax', 'cx', 'ay'], ['dx', 'dy']],
    ['takes braces', ['s.{json,yml}', '{a,b}/x'], ['s.json', 's.yml', 'a/x', 'c/b/x'], ['s.toml', 's.{json,yml}', 'x']],
    ['takes a quoted brace, or one in a set, for itself', ['\\{x', 'y[}]'], ['{x', 'y}'], ['x', 'y']],
    ['takes a dot for a dot and matches hidden names', ['*x'], ['.x', 'x'], ['x.']],
    ['matches a name with a line break as a whole', ['*.x'], ['a\nb.x'], ['a.x\nb']],
    ['that begins with ! opens again what rules before it block', ['x*', '!xy'], ['x', 'xz'], ['xy', 'a/xy']],
    ['that blocks counts again after one that opens', ['x*', '!xy', 'xy'], ['xy'], []],
    ['that opens does not open what lies below a blocked folder', ['d', '!x', '!d/x'], ['d/x', 'd/x/y'], ['x']],
    ['is read in order, the last one that hits decides', ['!x', 'x'], ['x'], []],
  ])('%s', (_, rules, blocked, open) => {
    expect(blocked.filter((path) => !blocks(rules, path))).toEqual([]);
    expect(open.filter((path) => blocks(rules, path))).toEqual([]);
  });

  it.each([
    ['other cases', ['.ENV', '.Env', 'ID_RSA', '.SsH/x', 'Secrets.YML']],
    ['fullwidth letters', ['．ｅｎｖ', '.ＥＮＶ', 'ｉｄ_ｒｓａ', '.ｓｓｈ/x']],
    [
      'other letters of the same meaning',
      ['.\u017fsh/x', 'id_r\u017fa', '.\u212fnv', '\u210credentials.json'.replace('\u210c', '\u2102')],
    ],
    ['ligatures', ['.con\ufb01g/gcloud/x', 'x.p\ufb01x'.replace('\ufb01x', 'fx')]],
    ['the Kelvin sign', ['.\u212aube/x', '\u212aUBECONFIG']],
  ])('is not got round by %s', (_, paths) => {
    expect(paths.filter((path) => !blocks(POLICY_SETS.secrets, path))).toEqual([]);
  });

  it('may itself be written in any of these', () => {
    expect(['.env', '.ENV', '.ｅｎｖ'].map((path) => blocks(['.ＥＮＶ'], path))).toEqual([true, true, true]);
  });

  it.each([
    '',
    '!',
    '/',
    '!/',
    'a/../b',
    '../x',
    'x\0y',
    `${'{a,b}'.repeat(12)}`,
    'x'.repeat(2000),
    '*.{pem,key',
    'a}',
  ])('that cannot work is refused: %j', (rule) => {
    expect(() => Policy.of([rule])).toThrow(expect.objectContaining({ code: 'PATTERN_INVALID' }));
  });
});

describe('what is blocked', () => {
  it.each<[how: string, path: string, tree: Tree]>([
    ['by its name', '.env', { '.env': 'SECRET' }],
    ['by a folder above it', '.ssh/id', { '.ssh/id': 'SECRET' }],
    ['through a link to it', 'l', { '.env': 'SECRET', l: { linkTo: '.env' } }],
    ['through a link to a folder above it', 'l/id', { '.ssh/id': 'SECRET', l: { linkTo: '.ssh' } }],
    ['through links in a row', 'l', { '.env': 'SECRET', l: { linkTo: 'm' }, m: { linkTo: './.env' } }],
    ['by the name of a link', '.env', { f: 'open', '.env': { linkTo: 'f' } }],
    ['through a link that passes it', 'l', { '.ssh/up': { linkTo: '..' }, f: '', l: { linkTo: '.ssh/up/f' } }],
    ['by names in a row that a link brings together', 'g/config', { '.git/config': 'SECRET', g: { linkTo: '.git' } }],
    ['in another case', '.ENV', { '.ENV': 'SECRET' }],
  ])('is refused %s', async (_, path, tree) => {
    await expect(runnerOn(tree).read({ path })).rejects.toMatchObject({ code: 'PATH_BLOCKED' });
  });

  it('is open as a hard link or a copy under another name, since the policy is about names', async () => {
    const { read } = runnerOn({ '.env': 'E', copy: 'E' });
    expect((await read({ path: 'copy' })).content).toBe('E');
  });
});

const ROUTES: [route: string, query: Record<string, string>][] = [
  ['/read', {}],
  ['/read/raw', {}],
  ['/read/stream', {}],
  ['/ls', {}],
  ['/ls/stream', {}],
  ['/find', { pattern: '*' }],
  ['/find/stream', { pattern: '*' }],
  ['/glob', { pattern: '**' }],
  ['/glob/stream', { pattern: '**' }],
  ['/grep', { pattern: 'x' }],
  ['/grep/stream', { pattern: 'x' }],
];

describe('a refusal of what is blocked', () => {
  const there: Tree = { '.env': 'x', '.ssh/id': 'x', 'l.env': { linkTo: '.env' }, 'l.ssh': { linkTo: '.ssh' } };
  const gone: Tree = { 'l.env': { linkTo: '.env' }, 'l.ssh': { linkTo: '.ssh' } };
  const paths = [
    '.env',
    '.ssh',
    '.ssh/',
    '.ssh/id',
    '.ssh/nothing',
    '.env/below',
    'l.env',
    'l.ssh',
    'l.ssh/id',
    'l.ssh/',
  ];

  it.each(ROUTES)('P09, P10: of %s is the same, byte for byte, whether it is there or not', async (route, query) => {
    const bodies = await Promise.all(
      [there, gone].map(async (tree) => {
        const { get } = await serviceOf(tree);
        const ask = (path: string) => get(route, { ...query, path }, { 'x-request-id': 'same' });
        const replies = await Promise.all(paths.map(ask));
        return replies.map(({ body, headers, statusCode }) => [
          statusCode,
          body,
          headers['content-type'],
          headers['etag'],
        ]);
      }),
    );
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]?.map(([status]) => status)).toEqual(paths.map(() => 403));
  });

  it('P09, P10: of an action is the same, byte for byte, whether it is there or not', async () => {
    const actions = (path: string) => [
      { action: 'read_file', properties: { filePath: path } },
      { action: 'grep_file', properties: { path, pattern: 'x' } },
      { action: 'list_files', properties: { directoryPath: path } },
      { action: 'fs_search', path },
      { action: 'read', input: { path } },
      { name: 'ls', arguments: { path } },
    ];
    const bodies = await Promise.all(
      [there, gone].map(async (tree) => {
        const { execute } = await serviceOf(tree);
        const replies = paths.flatMap(actions).map((body) => execute(body, { 'x-request-id': 'same' }));
        return (await Promise.all(replies)).map(({ body, statusCode }) => [statusCode, body]);
      }),
    );
    expect(bodies[0]).toEqual(bodies[1]);
    expect(new Set(bodies[0]?.map(([status]) => status))).toEqual(new Set([403]));
  });

  it('P09, P10: of a tool is the same, byte for byte, whether it is there or not', async () => {
    const calls = paths.flatMap((path) =>
      [
        ['read', { path }],
        ['ls', { path }],
        ['grep', { path, pattern: 'x' }],
      ].map(([name, given]) => ({
        url: '/mcp',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      })),
    );
    const [present, absent] = await Promise.all(
      [there, gone].map(async (tree) => answers(await serviceOf(tree), calls)),
    );
    expect(present).toEqual(absent);
    expect(present?.filter((answer) => !answer.includes('PATH_BLOCKED'))).toEqual([]);
  });

  it('says nothing of the rules', async () => {
    const { get } = await serviceOf(there, { policy: ['*.hidden-rule', '.env'] });
    expect((await get('/read', { path: '.env' })).body).not.toContain('hidden-rule');
  });
});

describe('P11, P12: an .agentignore', () => {
  const open = async (tree: Tree, policy?: string[]) => {
    const { glob } = runnerOf(workspaceOf(tree, policy === undefined ? {} : { policy }));
    return pathsOf(await glob({ pattern: '**' })).filter((path) => path !== '/.agentignore');
  };

  it('blocks what it names, with everything below', async () => {
    const tree = { '.agentignore': 'x\n/d/e\n*.log\n', x: '', 'a/x': '', 'd/e/f': '', 'e/f': '', 'a.log': '', b: '' };
    expect(await open(tree)).toEqual(['/b', '/e/f']);
  });

  it('refuses what it blocks as what the operator blocks', async () => {
    await expect(runnerOn({ '.agentignore': 'x', x: '' }).read({ path: 'x' })).rejects.toMatchObject({
      code: 'PATH_BLOCKED',
    });
  });

  it.each(['!.env', '!*', '!.env\n!**', '.env\n!.env', '!/.env'])(
    'opens nothing that the operator blocks with %j',
    async (text) => {
      expect(await open({ '.agentignore': text, '.env': '', b: '' })).not.toContain('/.env');
    },
  );

  it('may open again what it has blocked itself', async () => {
    expect(await open({ '.agentignore': 'x*\n!xy', x: '', xy: '' })).toEqual(['/xy']);
  });

  it('is taken from the root alone', async () => {
    expect(await open({ 'd/.agentignore': 'x', 'd/x': '', x: '' })).toEqual(['/d/.agentignore', '/d/x', '/x']);
  });

  it('counts with comments, blank lines, CRLF and blanks at the ends of lines', async () => {
    expect(await open({ '.agentignore': '# x\r\n\r\ny \r\n', x: '', y: '' })).toEqual(['/x']);
  });

  it.each<[what: string, plant: Tree[string]]>([
    ['a FIFO', { fifo: true }],
    ['a link to outside', { linkTo: '../rules' }],
    ['a link to nothing', { linkTo: 'nothing' }],
    ['a link to itself', { linkTo: '.agentignore' }],
    ['a link to a file inside', { linkTo: 'rules' }],
    ['a folder', null],
    ['empty', ''],
    ['no text', Buffer.from([0xff, 0xfe, 0, 1, 0x0a, 0xc3])],
    [
      'full of lines that are no pattern',
      '!\n/\n..\n../x\na/../b\n{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}\n',
    ],
    ['one line that has no end', 'x'.repeat(100_000)],
  ])('does no harm when it is %s', async (_, what) => {
    expect(await open({ '.agentignore': what, rules: 'x', '../rules': 'x', x: '', '.env': '' })).toEqual([
      '/rules',
      '/x',
    ]);
  });

  it('of more than 64 KiB counts up to the last line that is whole by there', async () => {
    const filler = `${'#'.repeat(1023)}\n`.repeat(63);
    const text = `x\n${filler}y\n${'#'.repeat(1024 - 6)}\nzz\n`;
    expect(Buffer.byteLength(text.slice(0, text.indexOf('zz') + 1))).toBe(64 * 1024);
    expect(await open({ '.agentignore': text, x: '', y: '', z: '', zz: '' })).toEqual(['/z', '/zz']);
  });

  it('that is full of costly patterns does not hold up requests', { timeout: 5_000 }, () => {
    const line = `${'{a,b}'.repeat(9)}\n`;
    const root = plant({ '.agentignore': line.repeat(Math.floor(65_535 / line.length)), x: '' });
    const workspace = workspaceAt(root);
    workspace.locate({ path: 'x' }).handle.close();
    for (let left = 2; left > 0; left -= 1) workspaceAt(root);
  });

  it('counts as it stands when a request comes', async () => {
    const { get, root } = await serviceOf({ x: 'X' });
    const status = async () => (await get('/read', { path: 'x' })).statusCode;
    const before = await status();
    writeFileSync(join(root, '.agentignore'), 'x');
    const blocked = await status();
    writeFileSync(join(root, '.agentignore'), 'y');
    const changed = await status();
    unlinkSync(join(root, '.agentignore'));
    expect([before, blocked, changed, await status()]).toEqual([200, 403, 200, 200]);
  });
});

/** Where something blocked is planted, and how it is called. `T` stands for letters that no other name has. */
const CANARIES = [
  '.env',
  '.env.T',
  'id_rsaT',
  'T.p12',
  'T.TFSTATE',
  'credentials.json',
  '.ENV',
  '.ＥＮＶ',
  'ｉｄ_ｒｓａT',
].concat([
  '.ssh/T',
  '.SSH/T/f',
  '.aws/T',
  '.Git/config',
  '.config/gcloud/T',
  '.docker/config.json',
  'node_modules/.env',
]);

const canary = fc.record({
  name: fc.constantFrom(...CANARIES),
  folder: fc.constantFrom('', 'src/', 'a/b/'),
  letters: fc.stringMatching(/^[g-z]{8}$/),
  secret: fc.stringMatching(/^[g-z]{12}$/),
  link: fc.constantFrom('none', 'file', 'folder', 'chain'),
});

describe('something blocked, anywhere', () => {
  // Each run asks some two hundred requests.
  it('makes no difference to any reply', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(canary, async ({ folder, letters, link, name, secret }) => {
        const path = folder + name.replace('T', letters);
        const content = `canary ${secret}\nmore\n`;
        const root = plant({ ...SURROUNDINGS, [path]: content }, scratch());
        if (link === 'chain') symlinkSync(`./${path}`, join(root, 'hop'));
        const targets = { file: path, folder: dirname(path), chain: 'hop' };
        if (link !== 'none') symlinkSync(targets[link], join(root, 'link'));
        const service = await serviceAt(root);
        const requests = requestsFor(path, secret);

        setTimes(root);
        const present = await answers(service, requests);
        removed(root, path);
        setTimes(root);
        const absent = await answers(service, requests);

        expect(present).toEqual(absent);
        for (const word of [secret, letters]) {
          const unasked = present.filter((_, at) => !mentions(requests[at], word));
          expect(unasked.filter((answer) => answer.includes(word))).toEqual([]);
        }
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });
});

const SURROUNDINGS: Tree = {
  'src/a.ts': 'const canary = 1;\n',
  'a/b/c.txt': 'canary in a coal mine\n',
  'a/b/.gitignore': '*.log\n',
  'a/b/x.log': 'canary\n',
  'node_modules/m.js': 'canary\n',
  'id_rsa.pub': 'canary\n',
  '.env.example': 'canary=\n',
  '.config/open': 'canary\n',
  '.docker/open': 'canary\n',
};
const STAMP = new Date('2024-02-29T12:00:00Z');

interface Asked {
  url: string;
  query?: Record<string, string>;
  accept?: string;
  body?: object;
}

type Service = Awaited<ReturnType<typeof serviceAt>>;

async function answers({ app }: Service, requests: readonly Asked[]): Promise<string[]> {
  const got: string[] = [];
  for (const { accept = '*/*', body, query = {}, url } of requests) {
    const headers = { host: 'localhost', accept, 'x-request-id': 'same', 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const reply = await app.inject({ method, url, query, headers, ...(body === undefined ? {} : { payload: body }) });
    const lines = reply.body.replace(/"elapsed_ms":\d+/g, '').split('\n');
    // What is not sorted comes as the file system has it.
    got.push(`${reply.statusCode} ${(url.endsWith('/stream') ? lines.sort() : lines).join('\n')}`);
  }
  return got;
}

/** Whether a request holds a word itself, so that its reply may, too. */
function mentions(asked: Asked | undefined, word: string): boolean {
  const bytes = Buffer.from(asked?.query?.['pathBytes'] ?? '', 'base64').toString();
  return JSON.stringify(asked).includes(word) || bytes.includes(word);
}

/** Everything that could be asked about a path, and about what lies around it. */
function requestsFor(path: string, secret: string): Asked[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const folder = dirname(path);
  const nearly = `${path.slice(0, -1)}${path.endsWith('x') ? 'y' : 'x'}`;
  const places = ['/', folder, dirname(folder), 'link'];
  const paths = [
    path,
    `/${path}`,
    `${path}/`,
    `${path}/x`,
    path.toUpperCase(),
    nearly,
    path.slice(0, -1),
    `${path}s`,
  ].concat(['link', 'link/', `link/${name}`, `link/${nearly}`, name, `x/${path}`]);
  const names = [
    name,
    name.slice(1),
    `*${name.slice(2)}`,
    `${name.slice(0, -1)}*`,
    name.toUpperCase(),
    '*',
    '.*',
    nearly,
  ].concat([`[${name[0]}]${name.slice(1)}`, `{${name},x}`, `?${name.slice(1)}`]);
  const texts = [secret, 'canary', 'canary ', secret.toUpperCase(), secret.slice(0, 5), 'more', 'canary.*', '^canary'];

  const reads = [
    ...paths.map((at) => ({ path: at })),
    { pathBytes: Buffer.from(path).toString('base64') },
    { path, as: 'base64' },
  ].flatMap((query) => ['/read', '/read/raw', '/read/stream'].map((url) => ({ url, query })));
  const lists = places.flatMap((at) => [
    { path: at, recursive: 'true', folderSizes: 'true' },
    { path: at, type: 'any', maxResults: '1' },
    { path: at, type: 'directory', recursive: 'true' },
  ]);
  const finds = names.flatMap((pattern) => [
    { pattern, type: 'any' },
    { pattern, isRegex: 'true', excludeGlob: '' },
    { pattern, caseSensitive: 'true', path: folder },
  ]);
  const globs = [...names, `**/${name}`, path, `/${path}`, `${folder}/*`, `${path}/**`, '**/.*/**'].flatMap(
    (pattern) => [
      { pattern, type: 'any' },
      { pattern, caseSensitive: 'false', gitignore: 'true' },
    ],
  );
  const greps = texts.flatMap((pattern) => [
    { pattern },
    { pattern, isRegex: 'true', context: '2', caseSensitive: 'false' },
    { pattern, output: 'count', includeGlob: name, excludeGlob: 'x' },
    { pattern, output: 'files', path: folder, gitignore: 'true' },
    { pattern, path },
    { pattern, isRegex: 'true', multiline: 'true', path: 'link' },
  ]);
  const typed = [
    ['/ls', lists],
    ['/find', finds],
    ['/glob', globs],
    ['/grep', greps],
  ] as const;
  const asked = typed.flatMap(([url, queries]) =>
    queries.flatMap((query: Record<string, string>, at) => [
      { url, query },
      at % 2 === 0 ? { url: `${url}/stream`, query } : { url, query, accept: 'text/plain' },
    ]),
  );
  const actions = actionsFor(path, name, folder, secret).map((body) => ({ url: '/execute', body }));
  const streamed = actions.map((action) => ({ ...action, accept: 'application/x-ndjson' }));
  return [...reads, ...asked, ...actions, ...streamed.slice(0, 4), ...toolCallsFor(path, name, folder, secret)];
}

function actionsFor(path: string, name: string, folder: string, secret: string): object[] {
  return [
    { action: 'find_file', properties: { pattern: name } },
    { action: 'find_file', properties: { pattern: '*', path: folder, excludeGlob: 'x' } },
    { action: 'find_file', properties: { pattern: '.', isRegex: true, maxResults: 3 } },
    { action: 'find_folder', properties: { pattern: '*' } },
    {
      action: 'list_folders',
      properties: { directoryPath: folder, recursive: true, includeHidden: true, showDetails: true },
    },
    {
      action: 'list_files',
      properties: { directoryPath: folder, recursive: true, includeHidden: true, showDetails: true },
    },
    { action: 'list_files', properties: { directoryPath: path } },
    { action: 'grep_file', properties: { pattern: secret } },
    { action: 'grep_file', properties: { pattern: 'canary', includeGlob: name, showLines: false, excludeGlob: 'x' } },
    { action: 'read_file', properties: { filePath: `${folder}/`, fileName: name } },
    { action: 'read_file', properties: { filePath: path.slice(0, -1) } },
    { action: 'fs_search', mode: 'ls', path: folder },
    { action: 'fs_search', mode: 'glob', pattern: '**' },
    { action: 'fs_search', mode: 'grep', pattern: secret },
    { mode: 'glob', pattern: `**/${name}` },
    { action: 'grep', input: { pattern: 'canary', excludeGlob: [] } },
    { name: 'read', arguments: JSON.stringify({ path }) },
  ];
}

/** The same questions as they come over Model Context Protocol. */
function toolCallsFor(path: string, name: string, folder: string, secret: string): Asked[] {
  const calls: [tool: string, given: object][] = [
    ['ls', { path: folder, recursive: true, folderSizes: true }],
    ['ls', { path: 'link' }],
    ['find', { pattern: name, type: 'any', excludeGlob: [] }],
    ['find', { pattern: '.', isRegex: true, path: folder }],
    ['glob', { pattern: '**', type: 'any', excludeGlob: [] }],
    ['glob', { pattern: path, caseSensitive: false }],
    ['grep', { pattern: secret, excludeGlob: [] }],
    ['grep', { pattern: 'canary', isRegex: true, path }],
    ['read', { path }],
    ['read', { path: 'link' }],
    ['read', { path: `${path}s` }],
  ];
  return calls.map(([tool, given]) => ({
    url: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } },
  }));
}

/** Removes what is blocked of a path, the folder that the rules hit with all below it. */
function removed(root: string, path: string): void {
  const names = path.split('/');
  const prefixes = names.map((_, at) => names.slice(0, at + 1).join('/'));
  const hit = prefixes.find((prefix) => blocks(POLICY_SETS.secrets, prefix));
  if (hit === undefined) throw new Error(`'${path}' is not blocked`);
  rmSync(join(root, hit), { recursive: true });
}

/** Gives all files and folders the same times: a folder's own tell when it last changed, whatever changed in it. */
function setTimes(root: string): void {
  for (const name of ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
    if (!lstatSync(join(root, name)).isSymbolicLink()) utimesSync(join(root, name), STAMP, STAMP);
  }
}
