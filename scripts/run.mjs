// Builds what has changed, then runs a built program: `run.mjs apps/demo/main.js ARGS...` (a path below dist/).
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

await build({ ifNeeded: true });
const path = join(import.meta.dirname, '..', 'dist', process.argv[2]);
process.argv.splice(1, 2, path);
await import(pathToFileURL(path).href);
