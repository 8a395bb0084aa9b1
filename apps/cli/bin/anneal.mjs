#!/usr/bin/env node
// The project runs on Node 24, which comes with its packages. Called by an older one, this starts itself again on that.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const bundled = join(root, 'node_modules', '.bin', 'node');
const flags = ['--disable-warning=ExperimentalWarning'];

if (Number(process.versions.node.split('.')[0]) < 24 && existsSync(bundled)) {
  const { status, signal } = spawnSync(bundled, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exitCode = status ?? (signal ? 1 : 0);
} else {
  const { build } = await import(join(root, 'scripts', 'build.mjs'));
  await build({ ifNeeded: true });
  process.removeAllListeners('warning');
  await import(join(root, 'dist', 'apps', 'cli', 'main.js'));
}
