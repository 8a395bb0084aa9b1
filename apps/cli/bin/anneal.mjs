#!/usr/bin/env node
// The operator's command, on Node 24 or later, built when its sources have changed.
import { isNewEnough, runOnBundled } from '../../../scripts/node24.mjs';

if (isNewEnough()) {
  process.removeAllListeners('warning');
  const { build } = await import('../../../scripts/build.mjs');
  await build({ ifNeeded: true });
  await import('../../../dist/apps/cli/main.js');
} else runOnBundled(['--disable-warning=ExperimentalWarning', ...process.argv.slice(1)]);
