import { runProcess } from '#apps/composition/run-process.js';

// `npm start`: every role in one process. Loaded after the settings were read: a wrong one is reported at once.
await runProcess(async (settings) => (await import('./standalone.js')).startStandalone(settings));
