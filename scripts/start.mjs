// Serves every role in one process on the embedded adapters. Builds first when the build is missing or older than the
// sources; an installation without the compiler's development dependency is expected to be built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const entry = join(import.meta.dirname, '..', 'dist', 'apps', 'standalone', 'main.js');
try {
  const { build } = await import('./build.mjs');
  const written = await build({ ifNeeded: true });
  if (written > 0) console.error(`built ${written} files`);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !existsSync(entry)) throw error;
}
await import(entry);
