import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSystem } from '#apps/demo/system.js';
import type { Deploy } from './deployment.js';

/** `npm start`: one process on the embedded adapters. */
export const embedded: Deploy = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
  return {
    start: (settings = {}) => spawnSystem(directory, settings),
    dropReadModels: () => rm(join(directory, 'read'), { recursive: true }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
};
