import { commands } from './commands.ts';
import type { Contender } from './contender.ts';
import { library } from './library.ts';
import { mcpFilesystem } from './mcp-filesystem.ts';
import { opencode } from './opencode.ts';
import { sidecar } from './sidecar.ts';

/** A search of a large tree may take longer than a service in use allows. */
const PATIENT = ['--timeout-ms', '600000'];

export const OURS = 'fs-sidecar';
export const OURS_UNCACHED = 'fs-sidecar, no cache';

/** All that are compared, in the order of the table. */
export const contenders: readonly Contender[] = [
  sidecar(OURS, PATIENT),
  sidecar(OURS_UNCACHED, [...PATIENT, '--cache-mb', '0']),
  ...commands,
  library('fdir', 'fdir', 'fdir'),
  library('tinyglobby', 'tinyglobby', 'tinyglobby'),
  library('fast-glob', 'fast-glob', 'fast-glob'),
  library('fff-node', '@ff-labs/fff-node', 'fff'),
  library('deepagents', 'deepagents', 'deepagents'),
  library('gemini-cli', '@google/gemini-cli-core', 'gemini-cli'),
  mcpFilesystem,
  opencode,
];
