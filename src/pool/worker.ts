import { parentPort, workerData } from 'node:worker_threads';
import { rgPath } from '@vscode/ripgrep';
import { restrictThread } from '../workspace/landlock.ts';
import { native } from '../workspace/native.ts';
import { placeOf } from '../workspace/root.ts';
import type { ThreadSetup } from './protocol.ts';
import { serve } from './serve.ts';

if (parentPort === null) throw new Error('this module runs in a worker thread');
const setup: ThreadSetup = workerData;
native?.markOpen(setup.marks);
if (setup.confinedTo !== undefined) {
  // Holds for this thread, in which all files are read, and for the searches that it starts.
  restrictThread([
    { at: placeOf(setup.root), access: ['read'] },
    { at: rgPath, access: ['execute'] },
    // Parts of the program that are loaded when they are first needed.
    ...setup.confinedTo.map((at) => ({ at, access: ['read'] as const })),
    { at: '/dev/null', access: ['read', 'write'] },
  ]);
}
serve(parentPort, setup);
