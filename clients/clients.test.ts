import { deepEqual } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answers, EXPECTED } from './answers.ts';
import { askWithHeyApi } from './hey-api.ts';
import { askWithOpenapiFetch } from './openapi-fetch.ts';
import { firstOf, generate, run } from './programs.ts';
import { type Service, startService, TOKEN } from './service.ts';

/** Set to 1 where a tool that is missing is to be a failure. */
const isRequired = process.env['FS_REQUIRE_CLIENTS'] === '1';

const java = firstOf(['java'], ['-version']);
const python = firstOf(['python3', '/usr/bin/python3'], ['-c', 'import certifi, dateutil, six, urllib3']);
const go = firstOf(['go'], ['version']);

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('openapi-fetch, with the types of openapi-typescript, gets every answer', async () => {
  deepEqual(await askWithOpenapiFetch(service.baseUrl, TOKEN), EXPECTED);
});

test('@hey-api/openapi-ts gets every answer', async () => {
  deepEqual(await askWithHeyApi(service.baseUrl, TOKEN), EXPECTED);
});

test('the Python client gets every answer', skipWithout({ java, 'python3 with its packages': python }), async () => {
  await generate('python', '--package-name', 'fs_sidecar_client');
  const env = { PYTHONPATH: 'generated/python', PYTHONDONTWRITEBYTECODE: '1' };
  const printed = await run(python ?? '', ['python/ask.py', service.baseUrl, TOKEN], { env });
  deepEqual(answersIn(printed), EXPECTED);
});

test('the Go client gets every answer', skipWithout({ java, go }), async () => {
  await generate('go', '--package-name', 'sidecar', '--git-user-id', 'fs-sidecar', '--git-repo-id', 'client');
  const env = { GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '', CGO_ENABLED: '0' };
  const printed = await run('go', ['run', '.', service.baseUrl, TOKEN], { env, folder: 'go' });
  deepEqual(answersIn(printed), EXPECTED);
});

/** Skips a test, and says for want of what, unless it is required. */
function skipWithout(tools: Record<string, string | undefined>): { skip?: string } {
  const missing = Object.keys(tools).filter((name) => tools[name] === undefined);
  return missing.length === 0 || isRequired ? {} : { skip: `there is no ${missing.join(' and no ')} here` };
}

function answersIn(printed: string): Answers {
  return JSON.parse(printed);
}
