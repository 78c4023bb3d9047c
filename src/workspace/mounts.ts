import { statfsSync } from 'node:fs';
import type { Handle } from './handle.ts';

/**
 * File systems through which the kernel shows itself (linux/magic.h). Their
 * files claim to be regular, have no size, and hold other processes' secrets.
 */
const KERNEL_INTERFACES = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0x6165676c, // pstore
  0xcafe4a11, // bpf
  0x6e736673, // nsfs
  0xf97cff8c, // selinuxfs
  0xde5e81e4, // efivarfs
]);

/** Whether the held folder lies on a file system that is an interface to the kernel, and not storage. */
export function isKernelInterface(held: Handle): boolean {
  return KERNEL_INTERFACES.has(statfsSync(held.self).type);
}
