// Serves every role in one process, or one role: `start.mjs [api|worker|gpu-runner]`. In a checkout, builds first what is missing or older than its source.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { buildIfNeeded } from './built.mjs';

const FOLDERS = { standalone: 'standalone', api: 'api', worker: 'worker', 'gpu-runner': 'runner' };
const role = process.argv[2] ?? 'standalone';
if (!Object.hasOwn(FOLDERS, role)) {
  console.error(`there is no role ${role}; give api, worker or gpu-runner, or nothing for all in one process`);
  process.exit(1);
}
const entry = join(import.meta.dirname, '..', 'dist', 'apps', FOLDERS[role], 'main.js');
// Compiled code is kept from one start to the next, also for threads and child processes.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await buildIfNeeded();
await import(entry);
