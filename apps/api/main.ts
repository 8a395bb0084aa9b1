import { runProcess } from '#apps/composition/run-process.js';

// Loaded after the settings were read: a wrong one is reported at once.
await runProcess(async (settings) => (await import('./process.js')).startApiProcess(settings));
