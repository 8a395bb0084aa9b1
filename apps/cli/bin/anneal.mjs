#!/usr/bin/env node
// The operator's command, on Node 24 or later. In a checkout it is built when its sources have changed; an installed package is built.
import { isNewEnough, runOnBundled } from '../../../scripts/node24.mjs';

if (isNewEnough()) {
  process.removeAllListeners('warning');
  const { buildIfNeeded } = await import('../../../scripts/built.mjs');
  await buildIfNeeded();
  await import('../../../dist/apps/cli/main.js');
} else runOnBundled(['--disable-warning=ExperimentalWarning', ...process.argv.slice(1)]);
