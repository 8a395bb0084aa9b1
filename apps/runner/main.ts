import { runProcess } from '#apps/composition/run-process.js';
import { startRunnerProcess } from './process.js';

await runProcess(startRunnerProcess);
