import { statfs } from 'node:fs/promises';
import type { HealthSource } from '#primitives/health/health.js';
import type { DiskSpace } from '#primitives/metrics/metrics.js';

/** Below this share of the disk, `/health` says degraded: uploads and checkpoints may soon fail. */
const LOW_SHARE = 0.05;

/** The space of the disk that holds a folder, in bytes. `freeBytes`: what this process may still write. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { sizeBytes: bsize * blocks, freeBytes: bsize * bavail };
}

/** Health of the disk that holds the data folder. */
export const diskHealth = (dataDir: string): HealthSource => ({
  name: 'disk',
  async check() {
    const { sizeBytes, freeBytes } = await diskSpace(dataDir);
    return { status: freeBytes < LOW_SHARE * sizeBytes ? 'degraded' : 'up', details: { freeBytes, sizeBytes } };
  },
});
