import { describe, expect, it } from 'vitest';
import { serviceOf } from '../helpers/service.ts';
import type { Tree } from '../helpers/tree.ts';

/** A line for each kind of text that a repair could mistake for something else. */
const LINES = [
  'http://x/y // not a comment',
  "it's \"quoted\" and 'single'",
  '{"a": [1, 2,], }',
  'True None False null',
  'back\\slash \\d+ \\w',
  'tab\there',
  'a # hash',
  'end, }',
  '/* c */',
  'é😀',
  '```json',
  'f.o',
  'foo',
  'id=42 k',
];
const TREE: Tree = { 't/l.txt': `${LINES.join('\n')}\n`, 'config/app.json': '{}' };

async function send(text: string | Buffer) {
  const { app } = await serviceOf(TREE);
  const reply = await app.inject({ method: 'POST', url: '/execute', payload: text, headers: { host: 'localhost' } });
  return { status: reply.statusCode, body: reply.json() };
}

const LS = '{"action":"ls","input":{"path":"config"}}';
const isLsOfConfig = [{ path: '/config/app.json' }];

describe('what models wrap and break, mended and told', () => {
  it.each([
    ['a code fence', `\`\`\`json\n${LS}\n\`\`\``],
    ['a fence of tildes', `~~~\n${LS}\n~~~`],
    ['prose around it', `Sure! Here is the call:\n\n${LS}\n\nLet me know if it helps.`],
    ['prose and a fence', `I will list it.\n\`\`\`json\n${LS}\n\`\`\`\nDone.`],
    ['trailing commas', '{"action":"ls","input":{"path":"config",},}'],
    ['comments', '{\n// list it\n"action":"ls", /* where */ "input":{"path":"config"}}'],
    ['single quotes', "{'action':'ls','input':{'path':'config'}}"],
    ['a missing comma', '{"action":"ls" "input":{"path":"config"}}'],
    ['missing closers', '{"action":"ls","input":{"path":"config"'],
    ["Python's words", '{"action":"ls","input":{"path":"config","recursive":True,"maxResults":None}}'],
    ['a backslash that JSON does not allow', '{"action":"ls","thinking":"a \\. b","input":{"path":"config"}}'],
    ['all at once', "Okay:\n```json\n{'action': 'ls', // go\n 'input': {'path': 'config', 'recursive': False,},\n"],
    ['a tool call whose text is broken', `{"name":"ls","arguments":"{'path':'config',}"}`],
  ])('%s', async (_, text) => {
    const { status, body } = await send(text);
    expect([status, body.result?.entries]).toMatchObject([200, isLsOfConfig]);
    expect(body.repairs).toEqual(expect.arrayContaining([expect.stringMatching(/.{10,}/)]));
  });

  it.each([
    ['it is JSON', LS],
    ['white space is around it', `\n\t ${LS}\r\n\n`],
    ['a byte order mark is before it', Buffer.from(`\ufeff${LS}`)],
  ])('nothing is told where %s', async (_, text) => {
    const { status, body } = await send(text);
    expect([status, body.repairs, body.result.entries]).toMatchObject([200, undefined, isLsOfConfig]);
  });
});

describe('a value is what was written, also in a body that is mended', () => {
  it.each([
    ['slashes', 1, '"http://x/y // not a comment"'],
    ['an apostrophe', 2, '"it\'s"'],
    ['an escaped quote', 2, '"\\"quoted\\" and \'single\'"'],
    ['commas and closers', 3, '"{\\"a\\": [1, 2,], }"'],
    ["Python's words", 4, '"True None False null"'],
    ['an escaped backslash', 5, '"back\\\\slash"'],
    ['an escaped tab', 6, '"tab\\there"'],
    ['a hash', 7, '"a # hash"'],
    ['a comma before a brace', 8, '"end, }"'],
    ['a comment', 9, '"/* c */"'],
    ['escaped characters', 10, '"\\u00e9\\ud83d\\ude00"'],
    ['a fence', 11, '"```json"'],
    ['an escaped solidus', 1, '"http:\\/\\/x"'],
  ])('%s', async (_, line, value) => {
    const bodies = [
      `{"mode":"grep","path":"t","pattern":${value}}`,
      `{"mode":"grep","path":"t","pattern":${value},}`,
      `Here:\n\`\`\`json\n{"mode":"grep", "path":"t" /* where */, "pattern":${value},}\n\`\`\`\n`,
      `{'mode':'grep',"pattern":${value} "path":"t"`,
    ];
    for (const text of bodies) expect((await send(text)).body.result.matches).toMatchObject([{ line }]);
  });
});

describe('a backslash', () => {
  const grep = (pattern: string) => `{"action":"grep","input":{"path":"t","isRegex":true,"pattern":"${pattern}"}}`;
  const lines = ({ body }: Awaited<ReturnType<typeof send>>) =>
    body.result.matches.map(({ line }: { line: number }) => line);

  it.each([
    ['that JSON does not allow is kept', '^f\\.o$', '^f\\.o$', [12]],
    ['that JSON does not allow is kept beside one that it does', '\\d+ \\\\w$', '\\d+ \\w$', [14]],
    ['before a letter that JSON knows is what JSON makes of it', 'tab\\there', 'tab\there', [6]],
    ['before a backslash is one backslash', '\\\\\\\\d\\\\+', '\\\\d\\+', [5]],
    ['before a solidus is gone', 'x\\/y', 'x/y', [1]],
    ['before a parenthesis is kept', '\\[1', '\\[1', [3]],
    ['before b, in a regex, is a word boundary', '\\bfoo\\b', '\\bfoo\\b', [13]],
  ])('%s', async (_, written, pattern, found) => {
    const reply = await send(grep(written));
    expect([reply.body.payload.input.pattern, lines(reply)]).toEqual([pattern, found]);
  });

  it.each([
    ['kept', grep('f\\.o'), true],
    ['taken as a word boundary', grep('\\bfoo'), true],
    ['legal', grep('f\\\\.o'), false],
  ])('that is %s is told: %s', async (_, text, told) => {
    expect('repairs' in (await send(text)).body).toBe(told);
  });

  it.each([
    ['a skill', '{"action":"find_file","properties":{"pattern":"\\bapp\\b","isRegex":"true"}}'],
    ['a tool call', '{"name":"find","arguments":{"pattern":"\\bapp\\b","isRegex":true}}'],
  ])('before b is a word boundary in a regex of %s, too', async (_, text) => {
    const { body } = await send(text);
    expect([body.result.matches, body.repairs]).toMatchObject([isLsOfConfig, [expect.stringContaining('\\b')]]);
  });

  it.each([
    ['in literal text', '{"action":"grep","input":{"path":"t","pattern":"\\bfoo"}}'],
    ['in fs_search, which is literal', '{"mode":"grep","path":"t","pattern":"\\bfoo"}'],
  ])('before b is a backspace %s', async (_, text) => {
    const { body } = await send(text);
    expect([body.result.count, body.payload.input.pattern, body.repairs]).toEqual([0, '\bfoo', undefined]);
  });
});

describe('what cannot be read in one way alone is refused, and nothing runs', () => {
  it.each([
    ['cut off inside a value', '{"action":"grep","input":{"pattern":"main","path":"sr'],
    ['cut off after a backslash', '{"action":"ls","input":{"path":"config\\'],
    ['cut off inside a name', '{"action":"ls","input":{"pat'],
    ['cut off inside single quotes', "{'action':'ls','input':{'path':'config"],
    ['cut off inside a fence', '```json\n{"action":"ls","input":{"path":"con\n```'],
    ['two objects', `${LS}\n${LS}`],
    ['two objects with nothing between', `${LS}${LS}`],
    ['two fences', `\`\`\`\n${LS}\n\`\`\`\nand\n\`\`\`\n${LS}\n\`\`\``],
    ['a list of two', `[${LS},${LS}]`],
    ['two in prose', `First ${LS} and second {"mode":"ls","path":"t"}`],
    ['nothing', ''],
    ['white space', ' \n'],
    ['null', 'null'],
    ['a list', '[]'],
    ['text', '"text"'],
    ['a number', '42'],
    ['prose', 'Please list the files.'],
    ['an empty fence', '```json\n```'],
    ['markup', '<xml/>'],
    ['compressed bytes', '\x1f\x8b\x08\0\0'],
    ['brackets without end', '['.repeat(100_000)],
    ['depth without end', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ])('%s', async (_, text) => {
    expect(await send(text)).toMatchObject({ status: 400, body: { code: 'BODY_INVALID' } });
  });

  it('a body of more than the limit is 413', async () => {
    expect(await send(' '.repeat(256 * 1024 + 1))).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
  });

  it('a body of as much as the limit is read', async () => {
    expect(await send(LS.padEnd(256 * 1024))).toMatchObject({ status: 200 });
  });
});

describe('__proto__ and constructor', () => {
  it.each([
    [
      'beside the action',
      '{"action":"ls","input":{"path":"config"},"__proto__":{"input":{"path":"t"}},"constructor":{"prototype":{"polluted":1}}}',
    ],
    [
      'in a list of properties',
      '{"action":"list_files","properties":[{"name":"__proto__","value":{"directoryPath":"t"}},{"name":"directoryPath","value":"config"}]}',
    ],
    [
      'in an object of properties',
      '{"action":"list_files","properties":{"directoryPath":"config","__proto__":{"recursive":true}}}',
    ],
  ])('are names like any other %s', async (_, text) => {
    const { body } = await send(text);
    expect([body.result.entries, 'polluted' in {}]).toMatchObject([isLsOfConfig, false]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is no field of an operation',
    async (name) => {
      const { status, body } = await send(`{"action":"ls","input":{"path":"config","${name}":{"path":"/etc"}}}`);
      expect([status, body.code, body.errors]).toMatchObject([400, 'INPUT_INVALID', [{ pointer: `#/${name}` }]]);
    },
  );
});
