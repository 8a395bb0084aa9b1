import { runProcess } from '#apps/composition/run-process.js';
import { startStandalone } from './standalone.js';

/** `npm start`: every role in one process. */
await runProcess(startStandalone);
