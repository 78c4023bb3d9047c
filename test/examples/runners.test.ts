import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { converse, type Message, Service, scripted } from '../../examples/runner.ts';
import { start } from '../helpers/process.ts';

const TASK = 'Where is main, and is it tested?';
const TOKEN = 'correct-horse';
const TURNS = JSON.parse(readFileSync('examples/turns.json', 'utf8'));
const NOTES = readFileSync('examples/workspace/notes.txt', 'utf8');

/** What the model is told, in order. */
const TOLD = [
  '/src/app.py\n/src/test_app.py\n',
  expect.stringMatching(/^NOT_FOUND: .*'\/src\/ap\.py'.* Did you mean \/src\/app\.py\?$/),
  '/src/app.py:4:def main():\n',
  'The test files are provided below. Read the notes, too.\n\n/src/test_app.py\n',
  NOTES,
  '1. A line of the notes.\n2. A l\n[Truncated: there is more. Go on with startLine=2 and startColumn=7.]\n',
  'ine of the notes.\n',
];

const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

async function inTypeScript(address: string): Promise<Message[]> {
  return converse(new Service(address, TOKEN), scripted(TURNS), TASK);
}

async function inPython(address: string): Promise<Message[]> {
  const env = { PATH: process.env['PATH'], FS_URL: address, FS_TOKEN: TOKEN };
  const { stdout } = await promisify(execFile)('python3', ['-I', 'examples/runner.py'], { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it.each([['TypeScript', inTypeScript], ...(hasPython ? [['Python', inPython] as const] : [])] as const)(
  'the runner in %s leads a scripted model through its task',
  async (_, run) => {
    // Little enough that the service cuts the notes in pieces.
    const service = await start('examples/workspace', { args: ['--max-read-bytes', '64'], env: { FS_TOKEN: TOKEN } });
    const messages = await run(service.address);
    expect(messages[0]).toEqual({ role: 'user', content: TASK });
    expect(messages.filter(({ role }) => role === 'assistant')).toEqual(TURNS);
    expect(messages.slice(1).filter(({ role }) => role !== 'assistant')).toEqual([
      ...TOLD.slice(0, 3).map((content, at) => ({ role: 'tool', tool_call_id: `call_${at + 1}`, content })),
      { role: 'user', content: TOLD[3] },
      ...TOLD.slice(4).map((content, at) => ({ role: 'tool', tool_call_id: `call_${at + 4}`, content })),
    ]);
    expect(messages.at(-1)).toEqual(TURNS.at(-1));
  },
);

it('a result that no next turn is meant for ends the conversation', async () => {
  const service = await start('examples/workspace');
  const turns = [{ role: 'assistant' as const, content: '{"action": "list_folders"}' }];
  const messages = await converse(new Service(service.address), scripted(turns), TASK);
  expect(messages.at(-1)).toEqual({ role: 'user', content: '/src/\n' });
});

it('a runner comes back later when the service is busy', async () => {
  const asked: string[] = [];
  const busy = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    if (asked.length < 2) reply.writeHead(503, { 'retry-after': '0' }).end('{"code":"BUSY","detail":"Later."}');
    else reply.end(JSON.stringify({ content: 'found', result: {}, sequential: true, prompt: null, payload: {} }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void busy.close());
  await once(busy, 'listening');
  const service = new Service(`http://127.0.0.1:${(busy.address() as AddressInfo).port}`);
  expect(await service.execute('{"action": "ls"}')).toEqual({ content: 'found', goesOn: true });
  expect(asked).toEqual(['POST /execute', 'POST /execute']);
});
