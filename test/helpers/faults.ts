import { onTestFinished, vi } from 'vitest';
import { native } from '../../src/workspace/native.ts';

type Call = 'facts' | 'open' | 'openIfThere' | 'read';
type Arguments = [first: unknown, second?: unknown, third?: unknown];

/** Whether system calls go where they can be made to fail. */
export const canFail = native !== undefined;

/** Until the test is over, `act` answers a system call in place of the kernel, which it may ask. */
export function replaceCall<T>(name: Call, act: (ask: (...given: Arguments) => T, given: Arguments) => T): void {
  if (native === undefined) throw new Error('there are no calls to replace');
  const calls = native as unknown as Record<Call, (...given: Arguments) => T>;
  // Not the one that an earlier replacement has put there.
  const ask = Object.getPrototypeOf(native)[name].bind(native);
  const replaced = vi.spyOn(calls, name).mockImplementation((...given) => act(ask, given));
  onTestFinished(() => replaced.mockRestore());
}

/** As the kernel says that a call has failed. */
export function fault(code: string, syscall = 'open'): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

/** Lets every file give what comes before `end`, and fail from there on with `code`, or end there. */
export function breakReads(end: number, code?: string): void {
  replaceCall<number>('read', (ask, [descriptor, bytes, position]) => {
    const left = end - Number(position);
    if (left <= 0 && code !== undefined) throw fault(code, 'read');
    return left <= 0 ? 0 : ask(descriptor, (bytes as Buffer).subarray(0, left), position);
  });
}
