import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { namedPoint } from '#apps/api/edge/as-of.js';
import { closeApi } from '#apps/api/edge/close-api.js';
import { createApi } from '#apps/api/create-api.js';
import { prepareBodySchemas } from '#apps/api/edge/validation/body-schema.js';
import { composePast, type PastSystem } from '#apps/composition/compose-past.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import { readModelHealth } from '#apps/composition/work-health.js';
import { OperationError } from '#apps/operator/operation.js';
import { appendByRunning } from '#apps/operator/reads.js';
import { startProjections } from '#apps/worker/led-projections.js';
import { serveProjections } from '#log/projector/over-bus.js';
import { InvalidError } from '#domain/errors.js';
import { createLogger } from '#primitives/logging/logger.js';
import type { Projections } from '#log/projector/thread/start.js';
import type { Settings } from '#settings/index.js';

export interface ServedPast extends Pick<PastSystem, 'position' | 'time'> {
  readonly url: string;
  /** Resolves when it can no longer serve. */
  readonly failure: Promise<Error>;
  /** Removes all that was made for it. */
  close(): Promise<void>;
}

interface ServingPast {
  /** A time, or a position of the log. */
  readonly at: string;
  /** Called with the share of the log that the read models have taken in, in percent. */
  readonly onProgress?: (percent: number) => void;
  /** Ends the build. */
  readonly signal?: AbortSignal;
}

/**
 * Builds the read models of a system as of a point, beside the running one, and serves them until closed.
 * @throws OperationError the point does not belong to this log, or a read model cannot be built
 * @throws the signal's reason; errors from opening the ports
 */
export async function servePast(
  settings: Settings,
  { at, onProgress = () => undefined, signal = new AbortController().signal }: ServingPast,
): Promise<ServedPast> {
  const parts = new OpenParts();
  try {
    const system = parts.opened(await opened(settings, at));
    const { bus, position, time } = system;
    const { host, ended, close } = await startProjections(bus, system.projections);
    parts.opened({ close });
    const served = serveProjections(bus, host);
    parts.opened({ close: () => served.stop() });
    await built(host, position, onProgress, signal);
    const url = await listening(system, parts);
    return {
      url,
      position,
      time,
      failure: ended.then(() => new Error('the read models have ended'), asError),
      close: () => parts.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

const asError = (error: unknown): Error => error as Error;

/** @throws OperationError */
async function opened(settings: Settings, at: string): Promise<PastSystem> {
  const point = namedPoint(at)?.point;
  if (!point)
    throw new OperationError(
      `${JSON.stringify(at)} must be a time such as 2030-01-02T03:04:05Z, or a position of the log as GET /events shows it`,
    );
  try {
    return await composePast(settings, point, appendByRunning(settings.dataDir));
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new OperationError(`${at} ${error.fields[0]!.message}`, { cause: error });
  }
}

const LOOK_EVERY_MS = 100;

/** Resolves once every read model is complete. @throws OperationError one has stopped; the signal's reason */
async function built(
  host: Pick<Projections, 'status'>,
  position: string,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const all = await host.status();
    const stopped = all.find(({ state }) => state === 'stopped');
    if (stopped) throw new OperationError(`the read model ${stopped.name} cannot be built: ${stopped.error}`);
    const shares = all.map((each) => (each.state === 'live' ? 1 : shareOf(each.position, position)));
    onProgress(Math.floor((shares.reduce((sum, share) => sum + share, 0) / all.length) * 100));
    if (all.every(({ state }) => state === 'live')) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Positions count events, or bytes; one of EventStoreDB may have the digits of two numbers. */
const shareOf = (position: string | null, end: string): number =>
  Math.min(1, Number((position ?? '0').slice(0, end.length)) / Math.max(1, Number(end)));

/** @returns the address */
async function listening(system: PastSystem, parts: OpenParts): Promise<string> {
  const { settings, bus, publicAddress, application, secret, engines, present, position, time } = system;
  const api = await createApi({
    ...{ application, settings, secret, engines, past: { present, position, time } },
    healthSources: [readModelHealth(bus, application.visibility)],
    logger: createLogger(settings.logLevel),
  });
  parts.opened({ close: () => closeApi(api) });
  await api.listen(settings.port ?? 0, settings.host);
  publicAddress.listensOn(settings.host, (api.getHttpServer().address() as AddressInfo).port);
  void application.background.once('prepare-body-schemas', prepareBodySchemas());
  return publicAddress.url;
}
