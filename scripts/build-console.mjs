// Bundles apps/console into dist/apps/console: static files, with a compressed copy of each, which the API serves.
import { glob, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { filesBelow, modifiedAt } from './files.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Where the console is, in the sources and in dist/. */
export const CONSOLE = join('apps', 'console');
const output = join(root, 'dist', CONSOLE);

/**
 * @param {{ifNeeded?: boolean}} settings with ifNeeded, nothing is done where no source is newer than the bundle
 * @returns {Promise<number>} how many files were written
 */
export async function buildConsole({ ifNeeded = false } = {}) {
  if (ifNeeded && modifiedAt(join(output, 'index.html')) > newestSource()) return 0;
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

function newestSource() {
  // The console has the verifier of exports from there.
  const sources = ['package-lock.json', ...filesBelow(root, CONSOLE), ...filesBelow(root, join('libs', 'audit'))];
  return Math.max(...sources.map((file) => modifiedAt(join(root, file))));
}
