import type { Bus } from '#ports/bus/port.js';
import type { Background } from '#primitives/background/background.js';
import type { LedWork } from '#log/leadership/index.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import type { ProjectionStatus } from '#log/projector/status.js';
import type { ProjectionLocations } from '#log/projector/thread/locations.js';
import { projections } from '#projections/index.js';
import { startProjections } from './led-projections.js';

const LOOK_MS = 5_000;
const NOTHING = { only: [] as readonly string[], close: () => Promise.resolve() };

/**
 * Runs, as led work of the workers of one release, those of its projections of which the leader of all projections runs
 * another version: processes of this release ask for their own.
 */
export function startProjectionsBeside(bus: Bus, locations: ProjectionLocations, background: Background): LedWork {
  const failed = Promise.withResolvers<never>();
  // The rejection is delivered to the caller that awaits it; this prevents it from being unhandled before that.
  failed.promise.catch(() => undefined);
  let running = NOTHING;
  const look = async (signal: AbortSignal) => {
    // While nobody leads them, what runs goes on.
    const led = await projectionsOverBus(bus)
      .status()
      .catch(() => null);
    if (led === null) return;
    const only = differing(led);
    if (only.join() === running.only.join() || signal.aborted) return;
    await running.close();
    running = NOTHING;
    if (only.length === 0) return;
    const started = await startProjections(bus, { ...locations, only }, background);
    started.ended.catch(failed.reject);
    running = { only, close: () => started.close() };
  };
  const looking = background.repeat('project-beside', look, { everyMs: LOOK_MS });
  return {
    ended: failed.promise,
    async close() {
      await looking.close();
      await running.close();
    },
  };
}

/** Names of this release's projections of which another version, or none, is led. */
const differing = (led: readonly Pick<ProjectionStatus, 'name' | 'version'>[]): readonly string[] =>
  projections
    .filter(({ name, version }) => !led.some((each) => each.name === name && each.version === version))
    .map(({ name }) => name);
