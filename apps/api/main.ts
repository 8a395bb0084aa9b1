import { runProcess } from '#apps/composition/run-process.js';
import { startApiProcess } from './process.js';

await runProcess(startApiProcess);
