// Bundles apps/console into dist/apps/console: static files, with a compressed copy of each, which the API serves.
import { glob, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Where the console is, in the sources and in dist/. */
export const CONSOLE = join('apps', 'console');
const output = join(root, 'dist', CONSOLE);

const modified = (path) =>
  stat(path).then(
    (entry) => entry.mtimeMs,
    () => 0,
  );

/**
 * @param {{ifNeeded?: boolean}} settings with ifNeeded, nothing is done where no source is newer than the bundle
 * @returns {Promise<number>} how many files were written
 */
export async function buildConsole({ ifNeeded = false } = {}) {
  const built = await modified(join(output, 'index.html'));
  if (ifNeeded && built > (await newestSource())) return 0;
  const { build } = await import('vite');
  await build({ configFile: join(root, CONSOLE, 'vite.config.ts'), logLevel: 'error' });
  let written = 0;
  for await (const file of glob('**/*.{html,js,css,svg}', { cwd: output })) {
    const path = join(output, file);
    await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
    written += 1;
  }
  return written;
}

async function newestSource() {
  let newest = await modified(join(root, 'package-lock.json'));
  for await (const file of glob('**/*', { cwd: join(root, CONSOLE) }))
    newest = Math.max(newest, await modified(join(root, CONSOLE, file)));
  return newest;
}
