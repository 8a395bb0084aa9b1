// Serves every role in one process, or one role: `start.mjs [api|worker|gpu-runner]`. Builds first when the build is missing
// or older than the sources; an installation without the compiler's development dependency is expected to be built.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

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
try {
  const { build } = await import('./build.mjs');
  const written = await build({ ifNeeded: true });
  if (written > 0) console.error(`built ${written} files`);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !existsSync(entry)) throw error;
}
await import(entry);
