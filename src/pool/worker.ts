import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './serve.ts';

if (parentPort === null) throw new Error('this module runs in a worker thread');
serve(parentPort, workerData);
