import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { childrenOf, descriptorsOf } from '../../test/helpers/proc.ts';
import type { Service } from '../service.ts';
import { atMost, type Check } from './check.ts';

/** What a process holds. */
export interface Level {
  descriptors: number;
  threads: number;
  children: number;
  mebibytes: number;
}

const MEBIBYTE = 2 ** 20;
const POLL_MS = 250;

export function levelOf(service: Service): Level {
  return {
    descriptors: descriptorsOf(service.pid),
    threads: Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]),
    children: childrenOf(service.pid).length,
    mebibytes: service.residentBytes() / MEBIBYTE,
  };
}

/** Waits until no more is held than before, or the time is up. */
export async function settled(service: Service, before: Level, limit: number): Promise<Level> {
  const end = performance.now() + limit;
  let level = levelOf(service);
  while (!isBack(level, before) && performance.now() < end) {
    await setTimeout(POLL_MS);
    level = levelOf(service);
  }
  return level;
}

function isBack(level: Level, before: Level): boolean {
  return (
    level.descriptors <= before.descriptors && level.threads <= before.threads && level.children <= before.children
  );
}

/** What memory may be above its level before: what garbage collection has not given back. */
const SLACK_MEBIBYTES = 64;

export function levelChecks(after: Level, before: Level): Check[] {
  return [
    atMost('descriptors afterwards', after.descriptors, before.descriptors),
    atMost('threads afterwards', after.threads, before.threads),
    atMost('children afterwards', after.children, before.children),
    atMost('memory afterwards', after.mebibytes, Math.round(before.mebibytes + SLACK_MEBIBYTES), ' MiB'),
  ];
}
