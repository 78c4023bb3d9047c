import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What may be done below a path. `read` also lists folders. */
export type Access = 'read' | 'execute' | 'write' | 'bind-socket';

/** A path, or a descriptor of a folder, and what a restricted thread may do with it and below it. */
export interface LandlockRule {
  at: string | Buffer | number;
  access: readonly Access[];
}

// linux/landlock.h
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REMOVE_FILE = 1n << 5n;
const MAKE_SOCK = 1n << 9n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;
/** The rights that a rule on a file, and not on a folder, may give. */
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const RIGHTS: Record<Access, bigint> = {
  read: READ_FILE | READ_DIR,
  execute: EXECUTE | READ_FILE,
  write: WRITE_FILE,
  'bind-socket': MAKE_SOCK | REMOVE_FILE,
};
/** All rights on files that a version of the interface knows; the ones it gained with versions 2, 3 and 5. */
const RIGHTS_OF_ABI = [13n, 13n, 14n, 15n, 15n, 16n];
const CONNECT_TCP = 1n << 1n;
const SCOPES = 0b11n;
const ABI_WITH_NET = 4;
const ABI_WITH_SCOPES = 6;

const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const CREATE_RULESET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const O_PATH = 0x200000;

interface Calls {
  createRuleset(number: number, attributes: Buffer | null, size: number, flags: number): number;
  addRule(number: number, ruleset: number, type: number, attributes: Buffer, flags: number): number;
  restrictSelf(number: number, ruleset: number, flags: number): number;
  close(fd: number): number;
  prctl(option: number, a: number, b: number, c: number, d: number): number;
}

let calls: Calls | undefined;

/** The version of Landlock that the kernel offers and this process can use; 0 without one. */
export function landlockAbi(): number {
  calls ??= loadCalls();
  return Math.max(0, calls?.createRuleset(CREATE_RULESET, null, 0, CREATE_RULESET_VERSION) ?? 0);
}

/**
 * Takes from this thread, and from all threads and processes that it starts
 * from now on, every access to the file system that no rule gives, and all
 * outgoing TCP connections (landlock(7)). It cannot be undone. Paths that are
 * not there are passed over. Files that are open already, and naming files
 * without opening them, are not touched. Throws when the kernel refuses.
 */
export function restrictThread(rules: readonly LandlockRule[]): void {
  const abi = landlockAbi();
  if (calls === undefined || abi === 0) throw new Error('this system has no Landlock');
  const handled = (1n << (RIGHTS_OF_ABI[Math.min(abi, RIGHTS_OF_ABI.length - 1)] ?? 13n)) - 1n;
  const attributes = rulesetAttributes(handled, abi);
  const ruleset = check(
    calls.createRuleset(CREATE_RULESET, attributes, attributes.length, 0),
    'landlock_create_ruleset',
  );
  try {
    for (const rule of rules) addRule(calls, ruleset, rule, handled);
    check(calls.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 'prctl');
    check(calls.restrictSelf(RESTRICT_SELF, ruleset, 0), 'landlock_restrict_self');
  } finally {
    // Not Node's own close: a worker keeps account of what it opened.
    calls.close(ruleset);
  }
}

function rulesetAttributes(handled: bigint, abi: number): Buffer {
  const fields = [handled];
  if (abi >= ABI_WITH_NET) fields.push(CONNECT_TCP);
  if (abi >= ABI_WITH_SCOPES) fields.push(SCOPES);
  const attributes = Buffer.alloc(fields.length * 8);
  for (const [at, field] of fields.entries()) attributes.writeBigUInt64LE(field, at * 8);
  return attributes;
}

function addRule({ addRule: add }: Calls, ruleset: number, { access, at }: LandlockRule, handled: bigint): void {
  const fd = typeof at === 'number' ? at : tryOpen(at);
  if (fd === undefined) return;
  try {
    const wanted = access.reduce((rights, name) => rights | RIGHTS[name], 0n) & handled;
    const attributes = Buffer.alloc(12);
    attributes.writeBigUInt64LE(fstatSync(fd).isDirectory() ? wanted : wanted & FILE_RIGHTS, 0);
    attributes.writeInt32LE(fd, 8);
    check(add(ADD_RULE, ruleset, RULE_PATH_BENEATH, attributes, 0), 'landlock_add_rule');
  } finally {
    if (fd !== at) closeSync(fd);
  }
}

function tryOpen(path: string | Buffer): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | O_PATH);
  } catch {
    return undefined;
  }
}

function check(result: number, call: string): number {
  if (result < 0) throw new Error(`${call} failed`);
  return result;
}

/** System calls that Node has no function for; undefined where they cannot be made. */
function loadCalls(): Calls | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const koffi = createRequire(import.meta.url)('koffi');
    const libc = koffi.load(null);
    return {
      createRuleset: libc.func('long syscall(long, void*, size_t, uint32_t)'),
      addRule: libc.func('long syscall(long, int, int, void*, uint32_t)'),
      restrictSelf: libc.func('long syscall(long, int, uint32_t)'),
      close: libc.func('int close(int)'),
      prctl: libc.func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)'),
    };
  } catch {
    return undefined;
  }
}
