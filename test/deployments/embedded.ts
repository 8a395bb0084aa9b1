import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSystem } from '#apps/demo/system.js';
import { removeFolder } from '#test/support/remove-folder.js';
import type { Deploy } from './deployment.js';

/** `npm start`: one process on the embedded adapters. */
export const embedded: Deploy = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
  // A system that is killed leaves temporary files behind.
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  return {
    start: (settings = {}) => spawnSystem(directory, { TMPDIR: temporary, ...settings }),
    dropReadModels: () => rm(join(directory, 'read'), { recursive: true }),
    remove: () => removeFolder(directory),
  };
};
