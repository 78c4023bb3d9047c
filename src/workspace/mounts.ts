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
  0x42494e4d, // binfmt_misc
  0x65735543, // fusectl
  0x19800202, // mqueue
  0x7655821, // resctrl
  0x6e667364, // nfsd
  0x67596969, // rpc_pipefs
  0x5a3c69f0, // apparmorfs
  0x43415d53, // smackfs
  0xabba1974, // xenfs
]);

/** Whether the held folder lies on a file system that is an interface to the kernel, and not storage. */
export function isKernelInterface(held: Handle): boolean {
  return KERNEL_INTERFACES.has(statfsSync(held.self).type);
}
