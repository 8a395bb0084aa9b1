import { composeRunner } from '#apps/composition/compose.js';
import { transportHealth } from '#apps/composition/health-sources.js';
import { requireShared } from '#apps/composition/locations.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import { releaseHealth } from '#apps/composition/release.js';
import type { RunningProcess } from '#apps/composition/run-process.js';
import { serveHealth } from '#primitives/health/serve.js';
import type { Settings } from '#settings/index.js';
import { startRunnerRole } from './role.js';
import { takeSlot } from './runner-slot.js';

/**
 * `npm run start:gpu-runner`: trains, evaluates and serves. Any number may run, also several on one data folder. It meets
 * the others on the bus and in the object store alone.
 * @throws SettingsError when one of these is not shared
 */
export async function startRunnerProcess(settings: Settings): Promise<RunningProcess> {
  requireShared(settings, ['bus', 'objectStore']);
  const slot = await takeSlot(settings);
  const base = await composeRunner(settings);
  const role = startRunnerRole(base, { name: slot.name, directory: slot.directory });
  const parts = new OpenParts();
  parts.opened(base);
  parts.opened(role);
  if (settings.port !== null)
    parts.opened(
      await serveHealth([...transportHealth(base), releaseHealth], { host: settings.host, port: settings.port }),
    );
  return {
    greeting: [`Runner ${slot.name} is at work, with its files in ${slot.directory}`],
    failure: base.failure,
    async close() {
      await parts.close();
      slot.release();
    },
  };
}
