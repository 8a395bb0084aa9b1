// Builds apps, libs, projections, gpu-runner, test and tools into dist/, file by file, with the same tree; and the console, which
// browsers load, as a bundle (build-console.mjs). `--if-needed` only builds what is missing or older than its source. Types are checked apart (`npm run types`).
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, CONSOLE } from './build-console.mjs';
import { filesBelow, modifiedAt } from './files.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = ['apps', 'libs', 'projections', 'gpu-runner', 'test', 'tools'];
// The console's plain modules, beside its bundle: their specs run on them.
const consoleModules = ['components', 'pages'].map((folder) => join(CONSOLE, folder));
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

/**
 * Compiles TypeScript and copies assets from the source tree into dist/.
 * @param {{ifNeeded?: boolean}} settings with ifNeeded, files whose output is newer than the source are left alone
 * @returns {Promise<number>} how many files were written
 */
export async function build({ ifNeeded = false } = {}) {
  const outputs = new Set();
  const work = [];
  for (const file of sources.flatMap((folder) => filesBelow(root, folder, CONSOLE))) {
    const compiled = /\.ts$/.test(file) && !/\.d\.ts$/.test(file);
    if (!compiled && !assets.test(file)) continue;
    const output = join(root, 'dist', compiled ? file.replace(/\.ts$/, '.js') : file);
    outputs.add(output);
    work.push({ file, compiled, output });
  }
  for (const file of consoleModules.flatMap((folder) => filesBelow(root, folder))) {
    if (!/\.ts$/.test(file)) continue;
    const output = join(root, 'dist', file.replace(CONSOLE, 'console-modules').replace(/\.ts$/, '.js'));
    outputs.add(output);
    work.push({ file, compiled: true, output });
  }
  const due = work.filter(({ file, output }) => !ifNeeded || modifiedAt(output) <= modifiedAt(join(root, file)));
  // Loaded only for work: a start that finds everything built takes a third of a second less.
  const { transformFile } = due.some(({ compiled }) => compiled) ? await import('@swc/core') : {};
  await Promise.all(
    due.map(async ({ file, compiled, output }) => {
      const source = join(root, file);
      await mkdir(dirname(output), { recursive: true });
      if (compiled) {
        const { code, map } = await transformFile(source, options);
        const name = output.split('/').at(-1);
        await writeFile(`${output}.map`, map);
        await writeFile(output, `${code}\n//# sourceMappingURL=${name}.map\n`);
      } else await copyFile(source, output);
    }),
  );
  await removeStale(outputs);
  return due.length + (await buildConsole({ ifNeeded }));
}

/** A deleted source must not live on as compiled code. */
async function removeStale(outputs) {
  const stale = filesBelow(root, 'dist', join('dist', CONSOLE)).filter(
    (file) => file.endsWith('.js') && !outputs.has(join(root, file)),
  );
  for (const file of stale)
    await Promise.all([file, `${file}.map`].map((path) => rm(join(root, path), { force: true })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  const written = await build({ ifNeeded: process.argv.includes('--if-needed') });
  if (written > 0) console.log(`built ${written} files in ${Math.round(performance.now() - start)} ms`);
}
