import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openRoot, troubleOf } from '../../src/workspace/root.ts';
import { serviceAt, serviceOf } from '../helpers/service.ts';
import { plant } from '../helpers/tree.ts';

describe('health', () => {
  it.each(['/healthz', '/livez'])('%s says that the process lives', async (url) => {
    const { get } = await serviceOf({});
    expect((await get(url)).json()).toEqual({ status: 'ok' });
  });

  it.each(['/healthz', '/livez'])('%s says so while the workspace cannot be read', async (url) => {
    const { get } = await serviceOf({}, { trouble: () => 'gone' });
    expect((await get(url)).statusCode).toBe(200);
  });

  it('/readyz says that the workspace can be read, and how well it is contained', async () => {
    const { get } = await serviceOf({}, { containment: 'strict' });
    const reply = await get('/readyz');
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'ready', containment: 'strict' }),
    ]);
  });

  it('/readyz says why it is not ready', async () => {
    const { get } = await serviceOf({}, { trouble: () => 'the service is ending' });
    const reply = await get('/readyz');
    expect([reply.statusCode, reply.json()]).toEqual([
      503,
      expect.objectContaining({ status: 'unready', reason: 'the service is ending' }),
    ]);
  });

  it('/readyz is asked anew with every request', async () => {
    let trouble: string | undefined = 'not yet';
    const { get } = await serviceOf({}, { trouble: () => trouble });
    const before = (await get('/readyz')).statusCode;
    trouble = undefined;
    expect([before, (await get('/readyz')).statusCode]).toEqual([503, 200]);
  });

  it('/readyz tells of a workspace that was deleted, without saying where it lay', async () => {
    const root = plant({});
    const reference = openRoot(root, false);
    const { get } = await serviceAt(root, { trouble: () => troubleOf(reference) });
    rmSync(root, { recursive: true });
    const reply = await get('/readyz');
    expect([reply.statusCode, reply.json().reason]).toEqual([503, expect.stringContaining('deleted')]);
    expect(reply.body).not.toContain(root);
  });
});
