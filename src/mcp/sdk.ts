import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as Sdk from '@modelcontextprotocol/server';
import type * as Stdio from '@modelcontextprotocol/server/stdio';

const require = createRequire(import.meta.url);

/**
 * Where the protocol's implementation lies. It and the packages that it needs are
 * looked up at the start: Node 20 takes a `package.json` that it could not open
 * for one that is not there, and remembers that.
 */
const SDK = require.resolve('@modelcontextprotocol/server');
const { dependencies } = require(`${dirname(dirname(SDK))}/package.json`);
for (const name of Object.keys(dependencies)) createRequire(SDK).resolve(name);

/**
 * The protocol's implementation, loaded when it is first spoken. Not imported:
 * an import that failed once, for want of a descriptor, fails for ever.
 */
export function loadSdk(): typeof Sdk {
  return require(SDK);
}

/** Its part for standard input and output. */
export function loadStdio(): typeof Stdio {
  return require('@modelcontextprotocol/server/stdio');
}
