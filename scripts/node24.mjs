// Runs a script on Node 24 or later: `node [flags] scripts/node24.mjs FILE ARGS...`. Where the installed Node is older, on the one
// that comes with the packages. (npm puts that one first on the path, as `node_modules/.bin/node`, but npm 10 does not link it.)
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const NEEDED = 24;

/** The Node that comes with the packages, null where none fits this platform. */
function bundledNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  // In an installed package it lies beside, not below.
  for (const packages of ['../node_modules', '../..']) {
    const path = join(import.meta.dirname, packages, `node-${platform}-${process.arch}`, 'bin', name);
    if (existsSync(path)) return path;
  }
  return null;
}

export const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= NEEDED;

/** Starts the arguments on the bundled Node with the same flags, and ends as it ends. */
export function runOnBundled(args) {
  const node = bundledNode();
  if (node === null) {
    console.error(
      `Anneal needs Node ${NEEDED} or later; this is ${process.version}. Install it, then run npm ci again.`,
    );
    process.exit(1);
  }
  const path = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(node, [...process.execArgv, ...args], { stdio: 'inherit', env: { ...process.env, PATH: path } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm ends without passing a signal on; then nobody waits for this process either.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 200).unref();
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}

const [, self, file, ...args] = process.argv;
if (resolve(self) === import.meta.filename) {
  if (isNewEnough()) {
    process.argv = [process.argv[0], resolve(file), ...args];
    await import(pathToFileURL(resolve(file)).href);
  } else runOnBundled([file, ...args]);
}
