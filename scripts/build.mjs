// Builds apps, libs, projections, gpu-runner, test and tools into dist/, file by file, with the same tree; and the console, which
// browsers load, as a bundle (build-console.mjs). `--if-needed` only builds what is missing or older than its source. Types are checked apart (`npm run types`).
import { transformFile } from '@swc/core';
import { copyFile, glob, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, CONSOLE } from './build-console.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = '{apps,libs,projections,gpu-runner,test,tools}/**/*';
// The console's plain modules, beside its bundle: their specs run on them.
const consoleModules = 'apps/console/{components,pages}/**/*.ts';
// Files that are not compiled but read at run time beside the code.
const assets = /(\.(html|css|svg|txt|safetensors|bin|json|wasm|py|lock)|LICENCES\.md)$/;

const options = {
  swcrc: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    keepClassNames: true,
  },
};

const modified = (path) =>
  stat(path).then(
    (entry) => entry.mtimeMs,
    () => 0,
  );

/**
 * Compiles TypeScript and copies assets from the source tree into dist/.
 * @param {{ifNeeded?: boolean}} settings with ifNeeded, files whose output is newer than the source are left alone
 * @returns {Promise<number>} how many files were written
 */
export async function build({ ifNeeded = false } = {}) {
  const outputs = new Set();
  const work = [];
  for await (const file of glob(sources, {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === CONSOLE,
  })) {
    const compiled = /\.ts$/.test(file) && !/\.d\.ts$/.test(file);
    if (!compiled && !assets.test(file)) continue;
    const output = join(root, 'dist', compiled ? file.replace(/\.ts$/, '.js') : file);
    outputs.add(output);
    work.push({ file, compiled, output });
  }
  for await (const file of glob(consoleModules, { cwd: root })) {
    const output = join(root, 'dist', file.replace(CONSOLE, 'console-modules').replace(/\.ts$/, '.js'));
    outputs.add(output);
    work.push({ file, compiled: true, output });
  }
  let written = 0;
  await Promise.all(
    work.map(async ({ file, compiled, output }) => {
      const source = join(root, file);
      if (ifNeeded && (await modified(output)) > (await modified(source))) return;
      await mkdir(dirname(output), { recursive: true });
      if (compiled) {
        const { code, map } = await transformFile(source, options);
        const name = output.split('/').at(-1);
        await writeFile(`${output}.map`, map);
        await writeFile(output, `${code}\n//# sourceMappingURL=${name}.map\n`);
      } else await copyFile(source, output);
      written += 1;
    }),
  );
  await removeStale(outputs);
  return written + (await buildConsole({ ifNeeded }));
}

/** A deleted source must not live on as compiled code. */
async function removeStale(outputs) {
  for await (const file of glob('dist/**/*.js', { cwd: root, exclude: (name) => name === join('dist', CONSOLE) })) {
    const path = join(root, file);
    if (!outputs.has(path)) await Promise.all([rm(path, { force: true }), rm(`${path}.map`, { force: true })]);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  const written = await build({ ifNeeded: process.argv.includes('--if-needed') });
  if (written > 0) console.log(`built ${written} files in ${Math.round(performance.now() - start)} ms`);
}
