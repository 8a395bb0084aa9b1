// The main job, end to end, over HTTP: see apps/demo.
import { build } from './build.mjs';

await build({ ifNeeded: true });
await import('../dist/apps/demo/main.js');
