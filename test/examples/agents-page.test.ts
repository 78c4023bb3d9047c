import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { serviceAt } from '../helpers/service.ts';

const PAGE = readFileSync('docs/agents.md', 'utf8');

function blocks(language: string): string[] {
  return [...PAGE.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );
}

it("the page's requests to /execute run as they are written", async () => {
  const { execute } = await serviceAt('examples/workspace');
  const bodies = blocks('sh').flatMap((text) =>
    [...text.matchAll(/\/execute -d '([^']+)'/g)].map(([, body = '']) => body),
  );
  const replies = await Promise.all(bodies.map((body) => execute(body)));
  expect(replies.map((reply) => [reply.statusCode, reply.json().action, reply.json().repairs])).toEqual(
    ['grep_file', 'read_file', 'find_file'].map((action) => [200, action, undefined]),
  );
});

it("the page's settings of clients start the service, and reach it", async () => {
  const [overStdio, overHttp] = blocks('json').map((text) => JSON.parse(text).mcpServers.workspace);
  expect(readConfig(overStdio.args, {})).toMatchObject({ as: 'mcp', run: { root: '/path/to/workspace' } });
  const token = overHttp.headers.Authorization.slice('Bearer '.length);
  const { app } = await serviceAt('examples/workspace', { token });
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const reply = await app.inject({ method: 'POST', url: overHttp.url, headers: overHttp.headers, payload });
  expect([reply.statusCode, reply.json().result.tools.length]).toEqual([200, 5]);
});

it('what the page says a model reads is what it reads', async () => {
  const { execute } = await serviceAt('examples/workspace');
  const contentOf = async (input: object) => (await execute({ action: 'grep_file', properties: input })).json().content;
  const [failure] = blocks('');
  const { code, detail, suggestions } = (
    await execute({ action: 'read_file', properties: { filePath: 'src/ap.py' } })
  ).json();
  expect(`${code}: ${detail} Did you mean ${suggestions.join(', ')}?\n`).toBe(failure);
  expect(PAGE).toContain(`\`${(await contentOf({ pattern: 'DEF MAIN', caseSensitive: true })).trim()}\``);
  expect(PAGE).toContain(`\`${(await contentOf({ pattern: 'main', maxResults: 1 })).trim().split('\n').at(-1)}\``);
});
