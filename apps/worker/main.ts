import { runProcess } from '#apps/composition/run-process.js';
import { startWorkerProcess } from './process.js';

await runProcess(startWorkerProcess);
