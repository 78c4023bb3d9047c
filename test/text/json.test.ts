import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyInvalid } from '../../src/errors.ts';
import { type Json, type Mended, parseTolerant } from '../../src/text/json/index.ts';
import { REPAIR } from '../../src/text/json/repairs.ts';
import payloads from '../fixtures/skill-payloads.json' with { type: 'json' };

const LS = '{"action":"ls","input":{"path":"config"}}';
const LS_VALUE = { action: 'ls', input: { path: 'config' } };

/** The refusal that `text` meets. Fails when there is none, or when it is anything but `BODY_INVALID`. */
function refusal(text: string): string {
  try {
    const { value } = parseTolerant(text);
    return expect.fail(`read as ${JSON.stringify(value)}`);
  } catch (error) {
    if (!(error instanceof BodyInvalid)) throw error;
    return error.message;
  }
}

describe('strict JSON', () => {
  test.each<[title: string, text: string]>([
    ['an object', LS],
    ['white space around it', `\n\t ${LS}\r\n\n`],
    ['a byte order mark before it', `\ufeff${LS}`],
    ['a byte order mark and white space', `\ufeff \n${LS}`],
    ['several lines', JSON.stringify(LS_VALUE, null, 2)],
    ['an escaped letter in a name', LS.replace('action', '\\u0061ction')],
  ])('%s is read as it is, with no repairs', (_, text) => {
    expect(parseTolerant(text)).toEqual({ value: LS_VALUE, repairs: [] });
  });

  test.each<[title: string, text: string, value: Json]>([
    ['an empty object', '{}', {}],
    ['the last of two equal names', '{"a":1,"a":2}', { a: 2 }],
    ['a lone surrogate', '{"a":"\\ud800"}', { a: '\ud800' }],
    ['an escaped backspace', '{"a":"\\bfoo"}', { a: '\bfoo' }],
    ['an escaped solidus', '{"a":"http:\\/\\/x"}', { a: 'http://x' }],
    ['64 levels', nested(64), JSON.parse(nested(64))],
  ])('%s is read as JSON.parse reads it', (_, text, value) => {
    expect(parseTolerant(text)).toEqual({ value, repairs: [] });
  });
});

type Row = [title: string, text: string, value: Json, ...repairs: (keyof typeof REPAIR)[]];

const FENCED: Row[] = [
  ['a fence with a language', `\`\`\`json\n${LS}\n\`\`\``, LS_VALUE, 'fence'],
  ['a fence without a language', `\`\`\`\n${LS}\n\`\`\``, LS_VALUE, 'fence'],
  ['a fence of tildes', `~~~json\n${LS}\n~~~`, LS_VALUE, 'fence'],
  ['a fence of four backticks', `\`\`\`\`json\n${LS}\n\`\`\`\``, LS_VALUE, 'fence'],
  ['a fence on one line', `\`\`\`json ${LS}\`\`\``, LS_VALUE, 'fence'],
  ['a fence with CRLF line ends', `\`\`\`json\r\n${LS}\r\n\`\`\`\r\n`, LS_VALUE, 'fence'],
  ['a fence that is not closed', `\`\`\`json\n${LS}`, LS_VALUE, 'fence'],
  ['a fence that was not opened', `${LS}\n\`\`\``, LS_VALUE, 'fence'],
  ['a fence around missing closers', `\`\`\`\n${LS.slice(0, -2)}\n\`\`\``, LS_VALUE, 'missingCloser', 'fence'],
  ['a fence around an empty object', '```json\n{}\n```', {}, 'fence'],
  ['prose and a fence', `I will list it.\n\`\`\`json\n${LS}\n\`\`\`\nDone.`, LS_VALUE, 'fence', 'prose'],
  ['a fence of something else', `\`\`\`sh\nls\n\`\`\`\n\`\`\`json\n${LS}\n\`\`\``, LS_VALUE, 'fence', 'prose'],
  ['prose with an open bracket before a fence', `Lines [1, 9)\n\`\`\`\n${LS}\n\`\`\``, LS_VALUE, 'fence', 'prose'],
  ['a block quote', `> ${JSON.stringify(LS_VALUE, null, 2).replaceAll('\n', '\n> ')}`, LS_VALUE, 'blockQuote'],
  ['a fence in a block quote', `> \`\`\`\n> {\n> "a":1}\n> \`\`\``, { a: 1 }, 'blockQuote', 'fence'],
];

const IN_PROSE: Row[] = [
  ['prose before and after', `Sure! Here it is:\n\n${LS}\n\nLet me know if it helps.`, LS_VALUE, 'prose'],
  ['prose with brackets of its own', `I use {braces} and [brackets].\n${LS}\nIs {that} fine?`, LS_VALUE, 'prose'],
  ['prose with empty braces', `I use {} and [].\n${LS}`, LS_VALUE, 'prose'],
  ['prose with a quoted word in braces', `I use {"quoted"} words.\n${LS}`, LS_VALUE, 'prose'],
  ['prose with a type in braces', `It is {path: string}.\n${LS}`, LS_VALUE, 'prose'],
  ['prose with a set, a route and a link', `{'a', 'b'}, /u/{id}, [x](y)\n${LS}`, LS_VALUE, 'prose'],
  ['prose with an open brace after the object', `${LS}\nThat was {, and [.`, LS_VALUE, 'prose'],
  ['prose with apostrophes and quotes', `Here's what "you" asked:\n${LS}\nThat's it`, LS_VALUE, 'prose'],
  ['prose that names a value afterwards', `${LS}\nI left "recursive": it is not needed.`, LS_VALUE, 'prose'],
  ['a sentence that goes on with a comma', `I send ${LS}, then I stop.`, LS_VALUE, 'prose'],
  ['inline code', `\`${LS}\``, LS_VALUE, 'prose'],
  ['a tag', `<tool_call>\n${LS}\n</tool_call>`, LS_VALUE, 'prose'],
  ['a semicolon', `${LS};`, LS_VALUE, 'prose'],
  ['a binary byte after it', `${LS}\0`, LS_VALUE, 'prose'],
];

const PUNCTUATION: Row[] = [
  ['a trailing comma in an object', '{"a":1,}', { a: 1 }, 'trailingComma'],
  ['a trailing comma in a list', '{"a":[1,2,]}', { a: [1, 2] }, 'trailingComma'],
  ['trailing commas at each level', '{"action":"ls","input":{"path":"config",},}', LS_VALUE, 'trailingComma'],
  ['a missing comma', '{"action":"ls" "input":{"path":"config"}}', LS_VALUE, 'missingComma'],
  ['a missing comma and no space', '{"action":"ls""input":{"path":"config"}}', LS_VALUE, 'missingComma'],
  ['a missing comma between lines', '{\n"action":"ls"\n"input":{"path":"config"}\n}', LS_VALUE, 'missingComma'],
  ['a missing comma after an object', '{"a":{"b":1}"c":2}', { a: { b: 1 }, c: 2 }, 'missingComma'],
  ['a missing comma after a number', '{"a":1 "b":2}', { a: 1, b: 2 }, 'missingComma'],
  ['a missing comma between strings of a list', '{"a":["x" "y"]}', { a: ['x', 'y'] }, 'missingComma'],
  ['a missing comma between objects of a list', '{"a":[{}{}]}', { a: [{}, {}] }, 'missingComma'],
  ['a missing closing brace', LS.slice(0, -1), LS_VALUE, 'missingCloser'],
  ['two missing closing braces', LS.slice(0, -2), LS_VALUE, 'missingCloser'],
  ['a missing brace and a line break', `${LS.slice(0, -1)}\n`, LS_VALUE, 'missingCloser'],
  ['missing closers of a list', '{"a":[{"b":"c"}', { a: [{ b: 'c' }] }, 'missingCloser'],
  ['missing closers after a comma', '{"a":["b",', { a: ['b'] }, 'missingCloser', 'trailingComma'],
  ['missing closers after a constant', '{"a":true', { a: true }, 'missingCloser'],
  ['missing closers after a number', '{"a":10', { a: 10 }, 'lastNumber', 'missingCloser'],
  ['a list that is not closed before a brace', '{"a":[1,2}', { a: [1, 2] }, 'missingCloser'],
  [
    'a list of lists that is not closed inside',
    '{"a":[{"b":[1},{"b":[2]}]}',
    { a: [{ b: [1] }, { b: [2] }] },
    'missingCloser',
  ],
  ['an object that is not closed before a bracket', '{"a":[{"b":1],"c":2}', { a: [{ b: 1 }], c: 2 }, 'missingCloser'],
];

const SPELLING: Row[] = [
  ['a line comment', '{\n// list\n"action":"ls", // it\n"input":{"path":"config"}}', LS_VALUE, 'comment'],
  ['a block comment', '{"action":/* op */"ls","input":{"path":"config"}/* } */}', LS_VALUE, 'comment'],
  ['a comment with quotes and brackets', '{"a":1, // "b": 2, }\n"c":3}', { a: 1, c: 3 }, 'comment'],
  ['a comment between a name and its colon', '{"a"/**/:/**/1}', { a: 1 }, 'comment'],
  ['a comment in the place of the last brace', '{"a":"b" // the end', { a: 'b' }, 'comment', 'missingCloser'],
  ['an object of nothing but a comment', '{/* none */}', {}, 'comment'],
  ['single quotes', "{'action':'ls','input':{'path':'config'}}", LS_VALUE, 'singleQuotes'],
  ['an escaped apostrophe', "{'a':'it\\'s'}", { a: "it's" }, 'singleQuotes'],
  ['double quotes in single quotes', `{'a':'say "hi" \\"ho\\"'}`, { a: 'say "hi" "ho"' }, 'singleQuotes'],
  ['an apostrophe in double quotes', `{'a':"it's"}`, { a: "it's" }, 'singleQuotes'],
  ['names without quotes', '{action:"ls",input:{path:"config"}}', LS_VALUE, 'bareName'],
  ["Python's constants", '{"a":True,"b":[False,None]}', { a: true, b: [false, null] }, 'python'],
  ['a non-breaking space', '{"a":\u00a01}', { a: 1 }, 'space'],
  ['a raw tab in a string', '{"a":"b\tc"}', { a: 'b\tc' }, 'control'],
  ['a raw line break in a string', '{"a":"b\r\nc"}', { a: 'b\r\nc' }, 'control'],
  ['a backslash before a point', '{"a":"test_.*\\.py$"}', { a: 'test_.*\\.py$' }, 'backslash'],
  ['a backslash before a letter', '{"a":"\\d+\\w\\s"}', { a: '\\d+\\w\\s' }, 'backslash'],
  ['a backslash before brackets', '{"a":"\\(|\\[1"}', { a: '\\(|\\[1' }, 'backslash'],
  ['a backslash before an apostrophe in double quotes', `{"a":"it\\'s"}`, { a: "it\\'s" }, 'backslash'],
  ['legal and illegal escapes together', '{"a":"\\b\\t\\S\\"\\\\d\\/"}', { a: '\b\t\\S"\\d/' }, 'backslash'],
  ['an illegal escape in single quotes', "{'a':'\\d'}", { a: '\\d' }, 'singleQuotes', 'backslash'],
  ['\\u without four digits', '{"a":"f\\u","b":"\\u12g4"}', { a: 'f\\u', b: '\\u12g4' }, 'backslash'],
  ['\\x and \\0', '{"a":"\\x41\\0"}', { a: '\\x41\\0' }, 'backslash'],
  ['a lone surrogate', '{"a":"\\uD800x",}', { a: '\ud800x' }, 'trailingComma'],
  ['numbers of every shape', '{"a":[0,-1,1.50,2e3,-0.1E-2],}', { a: [0, -1, 1.5, 2000, -0.001] }, 'trailingComma'],
  ['the last of two equal names', "{'a':1,'a':2}", { a: 2 }, 'singleQuotes'],
  [
    'all at once',
    "Okay:\n```json\n{'action': 'ls', // go\n 'input': {'path': 'config', 'recursive': False,},\n",
    { action: 'ls', input: { path: 'config', recursive: false } },
    ...(['singleQuotes', 'comment', 'python', 'trailingComma', 'missingCloser', 'fence', 'prose'] as const),
  ],
];

describe('a body that is mended', () => {
  test.each([...FENCED, ...IN_PROSE, ...PUNCTUATION, ...SPELLING])('%s', (_, text, value, ...repairs) => {
    const mended = parseTolerant(text);
    expect(mended.value).toEqual(value);
    expect([...mended.repairs].sort()).toEqual(repairs.map((repair) => REPAIR[repair]).sort());
  });

  const VALUES: [title: string, spelled: string][] = [
    ['//', '"http://x/y // not a comment"'],
    ['/* */', '"/* c */"'],
    ['#', '"a # hash"'],
    ['a trailing comma', '"{a: 1,}"'],
    ['commas and closers', '"{\\"a\\": [1, 2,], }"'],
    ['an object', '"{\'a\': {\\"b\\":1}}"'],
    ['Python words', '"True None False null"'],
    ['a fence', '"```json"'],
    ['a fence on its own line', '"x\\n```\\ny"'],
    ['a block quote', '"x\\n> y"'],
    ['an apostrophe', '"it\'s"'],
    ['quotes', '"\\"quoted\\" and \'single\'"'],
    ['an escaped backslash', '"back\\\\slash\\\\"'],
    ['a legal escape', '"tab\\there\\b"'],
    ['unicode escapes', '"\\u00e9\\ud83d\\ude00"'],
    ['a non-breaking space', '"a\u00a0b"'],
  ];
  test.each(VALUES)('keeps the value of a string that holds %s', (_, spelled) => {
    const value = JSON.parse(spelled);
    const single = `'${spelled.slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
    for (const [body, want] of [
      [`{"v":${spelled},}`, value],
      [`{'n':1 "v":${spelled}`, value],
      [`Here:\n\`\`\`json\n{"n":1 /* one */, "v":${spelled},}\n\`\`\`\nDone.`, value],
      [`{"n":1,'v':${single}}`, value],
      [`{"n":None,"v":[${single} ${spelled}]`, [value, value]],
      [`{'v':{${single}:1 ${spelled}:2}}`, { [value]: 2 }],
    ]) {
      expect(parseTolerant(body).value['v'], body).toEqual(want);
    }
  });

  test('levels are counted, not objects and lists', () => {
    const value = { a: Array.from({ length: 100 }, () => ({ b: [1] })) };
    expect(parseTolerant(JSON.stringify(value).slice(0, -1)).value).toEqual(value);
  });

  test('64 levels are read, 65 are refused', () => {
    expect(parseTolerant(nested(64).slice(0, -1)).value).toEqual(JSON.parse(nested(64)));
    expect(refusal(nested(65).slice(0, -1))).toContain('64 levels');
  });
});

describe('a body that is refused', () => {
  test.each<[title: string, text: string]>([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a byte order mark', '\ufeff'],
    ['null', 'null'],
    ['a number', '42'],
    ['a boolean', 'true'],
    ['a string', '"text"'],
    ['an object written into a string', JSON.stringify(LS)],
    ['an empty list', '[]'],
    ['a list of one object', `[${LS}]`],
    ['a list of two objects', `[${LS},${LS}]`],
    ['a list with a trailing comma', `[${LS},]`],
    ['a list in a fence', `\`\`\`json\n[\n${LS}]\n\`\`\``],
    ['an object among strings of a list', `["a", ${LS}, "b"]`],
    ['prose', 'Please list the files.'],
    ['prose with braces', 'Please list the {files} in [src].'],
    ['an empty fence', '```json\n```'],
    ['XML', '<xml/>'],
    ['gzip', '\x1f\x8b\x08\0\0'],
    ['a brace', '{'],
    ['bare words in braces', '{action: ls}'],
    ['curly quotes', '{“action”: “ls”}'],
    ['quotes escaped as if in a string', '{\\"action\\":\\"ls\\"}'],
  ])('%s is no object: the answer tells what to send', (_, text) => {
    expect(refusal(text)).toContain('Send one JSON object, such as {"action": "ls", "input": {"path": "src"}}.');
  });

  const CUT: [text: string][] = [
    ['{"action":"grep","input":{"pattern":"main","path":"sr'],
    ['{"action":"read_file","properties":[{"name":"fileName","value":"notes'],
    ['{"action":"ls","input":{"path":"config\\'],
    ['{"action":"ls","input":{"path":"config\\"'],
    ['{"action":"ls","input":{"path":"config\\u00'],
    ['{"action":"ls","input":{"path":"'],
    ["{'action':'ls','input':{'path':'config"],
    ["{'action':'ls','input':{'path':'config\\'"],
    ['{"action":"l'],
    ['{"'],
    ['{"action":"ls","input":{"pat'],
    ['```json\n{"action":"ls","input":{"path":"con\n```'],
    ['```json\n{"action":"ls","input":{"path":"con\n```\nThat is "all".'],
    ["~~~\n{'action':'ls','input':{'path':'con\n~~~\nIt's done."],
    [`Sure: {"action":"ls","input":{"path":"con`],
  ];
  test.each(CUT)('cut off inside a string: %j', (text) => {
    expect(refusal(text)).toContain('cut off inside a string');
  });

  test.each<[title: string, text: string]>([
    ['after an opening brace', '{"action":"ls","input":{'],
    ['after an opening bracket', '{"action":"find_file","properties":['],
    ['after a name', '{"action":"ls","input"'],
    ['after a colon', '{"action":"ls","input":'],
    ['after a colon in a fence', '```\n{"action":"ls","input":\n```'],
    ['inside a block comment', '{"a":1 /* the'],
    ['after a string with a raw line break', '{"a":"con\n\nThat was "'],
  ])('cut off %s', (_, text) => {
    expect(refusal(text)).toContain('cut off');
  });

  test.each<[title: string, text: string]>([
    ['on two lines', `${LS}\n${LS}`],
    ['side by side', `${LS}${LS}`],
    ['between commas', `${LS},${LS}`],
    ['of different shapes', `${LS}\n{"action":"read","input":{"path":"notes.txt"}}`],
    ['in two fences', `\`\`\`json\n${LS}\n\`\`\`\nand then\n\`\`\`json\n{"action":"ls"}\n\`\`\``],
    ['in prose', `First: ${LS} and second: {"mode":"ls","path":"src"}`],
    ['in prose and in a fence', `Like {'mode': 'ls'}:\n\`\`\`json\n${LS}\n\`\`\``],
    ['one with bare names', `${LS} or {action: "ls"}`],
    ['one cut off', `${LS}\n{"act`],
    ['both empty', '{} {}'],
  ])('two objects %s', (_, text) => {
    expect(refusal(text)).toContain('more than one JSON object');
  });

  test.each<[title: string, text: string]>([
    ['NaN', '{"a":NaN}'],
    ['Infinity', '{"a":-Infinity}'],
    ['undefined', '{"a":undefined}'],
    ['a bare word', '{"a":ls}'],
    ['a number with a plus sign', '{"a":+1}'],
    ['a number with a leading zero', '{"a":01}'],
    ['a number that ends in a point', '{"a":1.}'],
    ['a number that begins with a point', '{"a":.5}'],
    ['a hexadecimal number', '{"a":0x10}'],
    ['a number with separators', '{"a":1_000}'],
    ['a number with a unit', '{"a":10MB}'],
    ['a constant cut off', '{"a":tru'],
    ['a value that is missing', '{"a":,"b":1}'],
    ['a value that is missing at the end', '{"a":}'],
    ['two commas in a row', '{"a":1,,"b":2}'],
    ['two commas in a list', '{"a":[1,,2]}'],
    ['a comma before everything', '{"a":[,1]}'],
    ['a name without a value', '{"a"/**/,"b":1}'],
    ['an equals sign for a colon', '{"a":1,"b"=2}'],
    ['an apostrophe that is not escaped', "{'a':'it's'}"],
    ['quotes that are not escaped', '{"a":"say "hi" now"}'],
    ['quotes that are not escaped, in a list', '{"a":["say ""hi""",1]}'],
    ['a triple-quoted string', '{"a":"""x"""}'],
    ['a lost opening quote', '{"a":x","b":"y"}'],
    ['a lost closing quote', '{"a":"x,"b":"y"}'],
    ['a lost closing quote on several lines', '{\n"a":"x,\n"b":"y"\n}'],
    ['a closer of a list that was never opened', '{"a":1]}'],
    ['prose inside the object', '{"a":1\nLet me know if it helps.'],
    ['a comment that lost its line break', '{"a":"ls", // list it "b":{"c":"d"}}'],
    ['a hash comment', '{"a":1, # one\n"b":2}'],
    ['a tuple', '{"a":(1,2)}'],
    ['a set', '{"a":{"x","y"}}'],
    ['a string that breaks in a block quote', '> {"a":"b\n> c"}'],
    ['an object closed too early', '{"action":"ls"},"input":{}}'],
    ['an object closed too early, without a comma', '{"action":"ls"} "input":{}}'],
    ['an object closed twice too early', '{"action":"ls"}},"input":[]}'],
    ['an object that goes on after its fence', '```\n{"a":1\n```\n"b":2}'],
    ['an object whose first brace was lost', '"action":"ls","input":{"path":"config"}}'],
    ['an object whose first lines were lost', 'ls","input": {"path":"config"}}'],
    ['a brace too many', `${LS}}`],
    ['a brace too many in a fence', `\`\`\`\n${LS}}\n\`\`\``],
    ['a brace too many after prose', `Call: ${LS}}`],
    ['a missing comma before a bare name', '{"a":1 b:2}'],
    ['a closer of a list that was closed before', '{"a":[1],"b":{"c":2]}'],
    ['an opening brace before everything', '{{"action":"ls"}'],
    ['an opening brace too many', '{"a":["b"{],"c":1}'],
    ['an opening bracket too many', '{"a":[}'],
    ['a fence in the middle of a line', '{"a":1```2,"b":3}'],
    ['a brace too early', '{"a":{"b":1},"c":2}}'],
    ['an object without its beginning', '{"path":"config",\n"depth":3\n}\n}'],
    ['the arguments of a call', 'read({"path":"notes.txt"})'],
    ['doubled braces', '{{"action":"ls"}}'],
    ['an object in curly quotes around a strict one', '{“action”: “ls”, “input”: {"path":"config"}}'],
    ['a strict object in one that is not JSON', '{action = "ls", input = {"path":"config"}}'],
  ])('%s has no single reading', (_, text) => {
    expect(refusal(text)).toMatch(/^The JSON object cannot be read at line \d+, column \d+: ./);
  });

  test('the place of the fault is told in lines and characters', () => {
    expect(refusal('\n{"é😀": 1,\n "😀": NaN}')).toBe(
      "The JSON object cannot be read at line 3, column 7: a value was expected, not 'NaN'; text needs double quotes.",
    );
  });

  test('strict JSON of more than 64 levels is refused', () => {
    expect(refusal(nested(65))).toContain('64 levels');
    expect(refusal(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`)).toContain('64 levels');
  });
});

describe('names that a prototype has', () => {
  test.each<[title: string, text: string]>([
    ['strict', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    ['mended', "{'__proto__':{'polluted':1,},'constructor':{'prototype':{'polluted':1}}"],
  ])('are own properties and touch no prototype: %s', (_, text) => {
    const { value } = parseTolerant(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(value['polluted']).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test.each(payloads)('the example of a skill runs as it is written: $from', ({ text }) => {
  const corrected = text
    .replaceAll(/^> /gm, '')
    .replace('_.*\\.py$', '_.*\\\\.py$')
    .replace('}\n  "properties"', '},\n  "properties"');
  const { value, repairs } = parseTolerant(text);
  expect(value).toEqual(JSON.parse(corrected));
  expect(repairs.length).toBe(text === corrected ? 0 : 1);
});

const KIB_256 = 256 * 1024;
test.each<[title: string, text: string]>([
  ['braces', '{'.repeat(50_000)],
  ['brackets', '['.repeat(100_000)],
  ['objects in objects', '{"a":'.repeat(50_000)],
  ['lists in an object', `{"a":${'[1,'.repeat(80_000)}`],
  ['commas in an object', `{"action":"ls","input":{"path":"config"${','.repeat(50_000)}}}`],
  ['fences', '```'.repeat(20_000)],
  ['fences on lines', `${'```\n'.repeat(60_000)}${LS}`],
  ['comments', `{"action":"ls",${'// x\n'.repeat(20_000)}"input":{"path":"config"}}`],
  ['comments that are not closed', '{/*'.repeat(80_000)],
  ['comments on one line', '{//'.repeat(80_000)],
  ['quotes', 'a"'.repeat(50_000)],
  ['braces and quotes', '{"'.repeat(120_000)],
  ['braces and both quotes', `{'{"`.repeat(60_000)],
  ['names', '{a:'.repeat(80_000)],
  ['names and colons', '"a":'.repeat(60_000)],
  ['backslashes', `{"a":"${'\\.'.repeat(120_000)}",}`],
  ['characters in a string that is cut off', `{"a":"${'x'.repeat(KIB_256)}`],
  ['escaped quotes in a string that is cut off', `{"a":"${'\\"'.repeat(120_000)}`],
  ['line breaks in a string', `{"a":"${'\n'.repeat(KIB_256)}",}`],
  ['spaces between members', `{"a":1${' '.repeat(KIB_256)}"b":2}`],
  ['spaces before the object', `${' '.repeat(KIB_256)}{"a":1,}`],
  ['block quote marks', `> {${'\n>'.repeat(120_000)}"a":1}`],
  ['missing commas', `{"a":[${'1 '.repeat(120_000)}]}`],
  ['objects', `${LS}\n`.repeat(6_000)],
  ['closers', `${LS}${'}'.repeat(KIB_256)}`],
])('a body is decided within 300 ms: many %s', (_, text) => {
  const start = performance.now();
  attempt(text);
  expect(performance.now() - start).toBeLessThan(300);
});

describe('for any text', () => {
  const RUNS = { numRuns: 1000 };

  test('nothing but BODY_INVALID is thrown', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), soup(), damagedAnywhere());
    fc.assert(
      fc.property(texts, (text) => {
        attempt(text);
      }),
      RUNS,
    );
  });

  test('strict JSON of an object gives exactly that object and no repairs', () => {
    fc.assert(
      fc.property(objects(), fc.constantFrom(undefined, 1, '\t'), (object, indent) => {
        const { value, repairs } = parseTolerant(JSON.stringify(object, null, indent));
        expect(JSON.stringify(value)).toBe(JSON.stringify(object));
        expect(repairs).toEqual([]);
      }),
      RUNS,
    );
  });

  test('harmless damage in any combination reads back as exactly the object, and is told', () => {
    fc.assert(
      fc.property(objects(), fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 60 }), (object, choices) => {
        const text = spellBadly(object, dice(choices));
        fc.pre(!isStrict(text));
        const { value, repairs } = parseTolerant(text);
        expect(JSON.stringify(value)).toBe(JSON.stringify(object));
        expect(repairs).not.toEqual([]);
      }),
      RUNS,
    );
  });

  test('a strict prefix that ends inside a string is refused', () => {
    const around = fc.constantFrom<[string, string]>(['', ''], ['```json\n', '\n```'], ['Here it is:\n', '']);
    fc.assert(
      fc.property(objects(), around, fc.nat(), (object, [before, after], choice) => {
        const text = JSON.stringify(object);
        const inside = offsetsInsideStrings(text);
        fc.pre(inside.length > 0);
        const end = inside[choice % inside.length] ?? 0;
        expect(refusal(before + text.slice(0, end) + after)).toContain('cut off inside a string');
      }),
      RUNS,
    );
  });

  test('a body that lost one quote is refused', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'abc 1:,[]()\\/\n') });
    fc.assert(
      fc.property(
        fc.dictionary(plain, fc.oneof(plain, fc.array(plain)), { minKeys: 1 }),
        fc.nat(),
        (object, choice) => {
          const text = JSON.stringify(object);
          const quotes = [...text.matchAll(/(?<!\\)(?:\\\\)*"/g)].map((match) => match.index + match[0].length - 1);
          const lost = quotes[choice % quotes.length] ?? 0;
          refusal(text.slice(0, lost) + text.slice(lost + 1));
        },
      ),
      RUNS,
    );
  });

  test('every name and string of the result is spelled in the text', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(soup(), damagedAnywhere()), (text) => {
        const mended = attempt(text);
        if (mended === undefined) return;
        read += 1;
        for (const string of stringsOf(mended.value)) expect(text).toMatch(spellings(string));
      }),
      RUNS,
    );
    expect(read).toBeGreaterThan(100);
  });
});

/** What is read of `text`, or undefined when it is refused. Throws what is not a refusal. */
function attempt(text: string): Mended | undefined {
  try {
    return parseTolerant(text);
  } catch (error) {
    if (error instanceof BodyInvalid && error.code === 'BODY_INVALID') return undefined;
    throw error;
  }
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type JsonObject = { [key: string]: Json };

/** Objects as `JSON.parse` makes them, with names and strings that look like JSON's own marks. */
function objects(): fc.Arbitrary<JsonObject> {
  const tricky = fc.constantFrom(
    ...[
      'http://x // no comment',
      '{a: 1,}',
      '{"a":1}',
      "{'a':1}",
      'True',
      '```json',
      '\n```\n',
      '~~~',
      '\n> x',
      "it's",
    ],
    ...[
      '"',
      "'",
      '\\d+\\.py$',
      '\\',
      '/* c */',
      '*/',
      '},]',
      '\t',
      '\0',
      '\ud800',
      '\u00a0',
      '__proto__',
      'constructor',
      '',
    ],
  );
  const string = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), tricky);
  const leaf = fc.oneof(string, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
  const { object } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
    object: fc.dictionary(fc.oneof(string, fc.constantFrom('action', 'path', 'a')), tie('value'), { maxKeys: 4 }),
    value: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
  }));
  return object.map((value) => JSON.parse(JSON.stringify(value)));
}

/** Texts of tokens in any order, of which some are objects that can be mended. */
function soup(): fc.Arbitrary<string> {
  const token = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      "'b'",
      '"\\.c"',
      '"a":',
      "'b':",
      'c:',
      '{"d":',
      '1',
      '-.5',
      'true',
      'None',
      'x',
    ],
    ...[' ', '\n', '\u00a0', '// c\n', '/* c */', '```\n', '> ', '"', "'", '\\', '\\u0041', '(', '\0', 'text'],
  );
  return fc
    .tuple(fc.constantFrom('', '{"a":', '{"a":1,'), fc.array(token, { maxLength: 12 }), fc.constantFrom('', '}'))
    .map(([before, tokens, after]) => before + tokens.join('') + after);
}

/** JSON texts in which a few characters were lost or put in. */
function damagedAnywhere(): fc.Arbitrary<string> {
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(1),
    fc.constantFrom('', '', '"', "'", '{', '}', ']', ',', ':', '\\', '\n', ' ', 'x', '1'),
  );
  return fc.tuple(objects(), fc.array(edit, { maxLength: 3 })).map(([object, edits]) =>
    edits.reduce((text, [choice, lost, put]) => {
      const at = choice % (text.length + 1);
      return text.slice(0, at) + put + text.slice(at + lost);
    }, JSON.stringify(object)),
  );
}

/** Gives a number below `sides` at each call: the choices one after the other, over and over. */
type Dice = (sides: number) => number;

function dice(choices: readonly number[]): Dice {
  let next = 0;
  return (sides) => {
    const choice = choices[next % choices.length] ?? 0;
    next += 1;
    return choice % sides;
  };
}

const GAPS = ['', '', '', ' ', '\n', ' \t\r\n', '\u00a0', '/* , } " { */', ' // it\'s "a": {comment}\n', '//\n/**/'];
const LEADS = [
  'Sure! Here is the call:\n',
  'I use {braces}, [brackets] and {path: string}.\n',
  "It's \"quoted\" [1], {'a', 'b'}: ",
  '```sh\nls {a,b}\n```\n',
];
const TAILS = [
  '\nLet me know if it helps.',
  "\nIs {that} fine? It's [not].",
  ', then I stop.',
  '\nI left "recursive": it is not needed.',
];
const FENCES: [open: string, close: string][] = [
  ['', ''],
  ['', ''],
  ['```json\n', '\n```'],
  ['```\r\n', '\r\n```\r\n'],
  ['~~~json\n', '\n~~~\n'],
];

/** Writes `object` with damage that leaves a single reading. */
function spellBadly(object: JsonObject, roll: Dice): string {
  const pick = (texts: readonly string[], sides: number) =>
    roll(sides) === 0 ? (texts[roll(texts.length)] ?? '') : '';
  const tokens = spell(object, roll);
  const cut = roll(3) === 0 && dropClosers(tokens, roll);
  const [open, close] = FENCES[roll(FENCES.length)] ?? ['', ''];
  const tail = cut && open === '' ? '' : pick(TAILS, 3);
  const end = tail === '' ? pick([close, ''], 1) : close;
  return pick(LEADS, 3) + open + tokens.join('') + end + tail;
}

/** Takes closers off the end, but none that leaves an opener last. Tells whether it took any. */
function dropClosers(tokens: string[], roll: Dice): boolean {
  const closers = tokens.flatMap((token, at) => (token === '}' || token === ']' ? [at] : []));
  let end = tokens.length;
  for (const at of closers.reverse()) {
    const between = tokens.slice(at + 1, end);
    const before = tokens.slice(0, at).findLast((token) => !GAPS.includes(token));
    if (between.some((token) => !GAPS.includes(token)) || before === '{' || before === '[' || roll(4) === 0) break;
    end = at;
  }
  const dropped = end < tokens.length;
  tokens.length = end;
  return dropped;
}

function spell(value: Json, roll: Dice): string[] {
  const gap = () => GAPS[roll(GAPS.length)] ?? '';
  if (typeof value === 'string') return [spellString(value, roll)];
  if (value === null || typeof value !== 'object') return [spellConstant(value, roll)];
  const items = Array.isArray(value)
    ? value.map((item) => spell(item, roll))
    : Object.entries(value).map(([name, item]) => [spellString(name, roll), gap(), ':', gap(), ...spell(item, roll)]);
  const comma = () => (roll(6) === 0 ? ' ' : ',');
  const body = items.flatMap((item, index) => [...(index === 0 ? [] : [comma()]), gap(), ...item, gap()]);
  const trailing = items.length > 0 && roll(4) === 0 ? [','] : [];
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return [open, ...body, ...trailing, ...(body.length > 0 ? [gap()] : []), close];
}

function spellConstant(value: null | boolean | number, roll: Dice): string {
  const python = new Map<Json, string>([
    [true, 'True'],
    [false, 'False'],
    [null, 'None'],
  ]);
  return (roll(2) === 0 ? python.get(value) : undefined) ?? JSON.stringify(value);
}

/** Some strings in single quotes, some backslashes alone, the rest as JSON has them. */
function spellString(value: string, roll: Dice): string {
  const single = roll(2) === 0;
  const tokens =
    JSON.stringify(value)
      .slice(1, -1)
      .match(/\\u[\da-f]{4}|\\.|[^\\]/gsu) ?? [];
  const body = tokens.map((token, index) => {
    if (single && token === "'") return "\\'";
    if (single && token === '\\"' && roll(2) === 0) return '"';
    const follows = tokens[index + 1] ?? '\\';
    const alone = token === '\\\\' && !/^["'\\/bfnrtu]/.test(follows) && roll(2) === 0;
    return alone ? '\\' : token;
  });
  return single ? `'${body.join('')}'` : `"${body.join('')}"`;
}

/** Offsets at which a text that ends there has an open string. */
function offsetsInsideStrings(text: string): number[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"/gs)].flatMap((match) =>
    Array.from({ length: match[0].length - 1 }, (_, index) => match.index + index + 1),
  );
}

function stringsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...stringsOf(inner)]);
}

/** Every way in which a text may spell `string`: each character raw, or as one of its escapes. */
function spellings(string: string): RegExp {
  const escapes = new Map([...'"\\/\'', '\bb', '\ff', '\nn', '\rr', '\tt'].map((pair) => [pair[0], pair.at(-1) ?? '']));
  const quoted = (text: string) =>
    text.replaceAll(/[^\w]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const units = string.split('').map((unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    const short = escapes.get(unit);
    const forms = [
      quoted(unit),
      `\\\\u(?:${hex}|${hex.toUpperCase()})`,
      ...(short === undefined ? [] : [`\\\\${quoted(short)}`]),
    ];
    return `(?:${forms.join('|')})`;
  });
  return new RegExp(units.join(''));
}
