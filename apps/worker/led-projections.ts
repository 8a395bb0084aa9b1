import { PROJECTION_ADVANCED } from '#log/visibility.js';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import type { Bus } from '#ports/bus/port.js';
import { aborted, type LedWork } from '#log/leadership/index.js';
import { collectionNameOf } from '#log/projector/collection.js';
import type { HostSetup, ProjectionLocations } from '#log/projector/thread/locations.js';
import { serveProjections } from '#log/projector/over-bus.js';
import { Readers } from '#log/projector/reading.js';
import { startProjectionHost, type RunningProjectionHost } from '#log/projector/thread/start.js';
import { projections } from '#projections/index.js';

interface RunningProjections extends Required<LedWork> {
  readonly host: RunningProjectionHost;
}

const CLEAR_EVERY_MS = 30_000;

/**
 * Runs all projections, as led work: broadcasts their progress, answers for them, and removes collections that no
 * process asks any more.
 * @param over ends the wait until they have begun, which is endless while the log cannot be read
 */
export async function startLedProjections(
  bus: Bus,
  locations: ProjectionLocations,
  background: Background,
  over: AbortSignal,
): Promise<LedWork> {
  const running = await startProjections(bus, locations, background);
  const { host } = running;
  const served = serveProjections(bus, host);
  const readers = new Readers(bus, projections.map(collectionNameOf));
  const clear = async () => {
    const read = readers.known();
    if (read) await host.clear([...read]);
  };
  const clearing = background.repeat('clear-read-models', clear, { everyMs: CLEAR_EVERY_MS });
  await Promise.race([host.begun(), aborted(over)]);
  return {
    ended: running.ended,
    async close() {
      await Promise.all([clearing.close(), readers.close(), served.stop()]);
      await running.close();
    },
  };
}

/** Runs projections, and broadcasts their progress; does not wait until they have begun. */
export async function startProjections(
  bus: Bus,
  setup: HostSetup,
  background = UNREPORTED,
): Promise<RunningProjections> {
  const failed = Promise.withResolvers<never>();
  // The rejection is delivered to the caller that awaits it; this prevents it from being unhandled before that.
  failed.promise.catch(() => undefined);
  const host = await startProjectionHost({
    ...setup,
    onAdvance(advances) {
      for (const advance of advances) bus.signal(PROJECTION_ADVANCED, { ...advance });
    },
    onStopped: (projection, error) => background.failed(`project-${projection}`, error),
    onTrouble: (error) => background.failed('read-log', error),
    onFailure: failed.reject,
  });
  return { host, ended: failed.promise, close: () => host.close() };
}
