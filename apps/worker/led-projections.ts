import { PROJECTION_ADVANCED } from '#log/visibility.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import type { Bus } from '#ports/bus/port.js';
import { aborted, type LedWork } from '#log/leadership/index.js';
import type { ProjectionLocations } from '#log/projector/thread/locations.js';
import { serveProjections } from '#log/projector/over-bus.js';
import { startProjectionHost, type RunningProjectionHost } from '#log/projector/thread/start.js';

interface RunningProjections extends Required<LedWork> {
  readonly host: RunningProjectionHost;
}

/**
 * Runs all projections, as led work: broadcasts their progress, and answers for them.
 * @param over ends the wait until they have begun, which is endless while the log cannot be read
 */
export async function startLedProjections(
  bus: Bus,
  locations: ProjectionLocations,
  background: Background,
  over: AbortSignal,
): Promise<LedWork> {
  const running = await startProjections(bus, locations, background);
  await Promise.race([running.host.begun(), aborted(over)]);
  return running;
}

/** The same, without waiting until they have begun. */
export async function startProjections(
  bus: Bus,
  locations: ProjectionLocations,
  background = UNREPORTED,
): Promise<RunningProjections> {
  const failed = Promise.withResolvers<never>();
  // The rejection is delivered to the caller that awaits it; this prevents it from being unhandled before that.
  failed.promise.catch(() => undefined);
  const host = await startProjectionHost({
    ...locations,
    onAdvance(advances) {
      for (const advance of advances) bus.signal(PROJECTION_ADVANCED, { ...advance });
    },
    onStopped: (projection, error) => background.failed(`project-${projection}`, error),
    onTrouble: (error) => background.failed('read-log', error),
    onFailure: failed.reject,
  });
  const served = serveProjections(bus, host);
  return {
    host,
    ended: failed.promise,
    async close() {
      await served.stop();
      await host.close();
    },
  };
}
