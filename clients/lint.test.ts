import { test } from 'node:test';
import { run } from './programs.ts';

/** It tells no one what it was used for. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const document of ['../openapi.yaml', '../openapi-3.0.yaml']) {
  test(`Redocly finds nothing in ${document}`, async () => {
    const args = ['lint', document, '--config', 'lint/redocly.yaml', '--format', 'stylish'];
    await run('node_modules/.bin/redocly', args, { env: QUIET });
  });

  test(`Spectral finds nothing in ${document}`, async () => {
    const args = ['lint', document, '--ruleset', 'lint/spectral.yaml', '--fail-severity', 'hint'];
    await run('node_modules/.bin/spectral', args);
  });
}
