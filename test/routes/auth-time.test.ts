import { expect, it, vi } from 'vitest';
import { serviceOf } from '../helpers/service.ts';

/** Pairs that were compared in constant time: by the function that takes as long whatever is equal of them. */
const compared = vi.hoisted(() => {
  const crypto = process.getBuiltinModule('node:crypto');
  const { timingSafeEqual } = crypto;
  const pairs: string[][] = [];
  // Before anybody can have taken the function itself.
  crypto.timingSafeEqual = (a, b) => {
    pairs.push([a, b].map((bytes) => Buffer.from(bytes as Uint8Array).toString()));
    return timingSafeEqual(a, b);
  };
  return pairs;
});

const TOKEN = 's3cret-0f7d1c9e';

it.each([
  ['the token', TOKEN, 200],
  ['one that is wrong from its first letter', `x${TOKEN.slice(1)}`, 401],
  ['one that is wrong at its last letter', `${TOKEN.slice(0, -1)}x`, 401],
  ['a shorter one', TOKEN.slice(0, -1), 401],
])('%s is compared with the token in constant time', async (_, given, status) => {
  const { get } = await serviceOf({}, { token: TOKEN });
  compared.length = 0;
  const reply = await get('/ls', {}, { authorization: `Bearer ${given}` });
  expect(reply.statusCode).toBe(status);
  // Of another length nothing is told but that: the token is compared with itself.
  expect(compared).toEqual([[TOKEN, given.length === TOKEN.length ? given : TOKEN]]);
});
