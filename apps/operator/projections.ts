import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '#domain/json.js';
import type { Projections } from '#log/projector/thread/start.js';
import { OperationError, type Operations, type OperationProgress } from './operation.js';

const LOOK_EVERY_MS = 100;

/** Read models: `projections.status`, `.parked`, `.rebuild`, `.retry`. */
export const projectionOperations = (host: Projections): Operations => ({
  async *'projections.status'() {
    yield* (await host.status()) as unknown as JsonObject[];
  },

  async *'projections.parked'() {
    for (const { projection, keys } of await host.parked())
      for (const key of keys) yield { projection, ...(key as unknown as JsonObject) };
  },

  /** `{name}`: gives progress until the read model is live again, then its status. */
  async *'projections.rebuild'({ name }, signal) {
    await named(host, name);
    await host.rebuild(name as string);
    let total = 0;
    while (!signal.aborted) {
      const status = await named(host, name);
      if (status.state === 'live') {
        yield status as unknown as JsonObject;
        return;
      }
      if (status.state === 'stopped')
        throw new OperationError(`${name as string} has stopped: ${JSON.stringify(status)}`);
      if (status.lagEvents !== null) {
        total = Math.max(total, status.lagEvents);
        yield progressOf(total - status.lagEvents, total);
      }
      await sleep(LOOK_EVERY_MS);
    }
  },

  /** `{name, key?}` */
  async *'projections.retry'({ name, key }) {
    await named(host, name);
    await host.retry(name as string, key as string | undefined);
    for (const { projection, keys } of await host.parked())
      if (projection === name) for (const parked of keys) yield { projection, ...(parked as unknown as JsonObject) };
  },
});

async function named(host: Projections, name: Json | undefined) {
  const all = await host.status();
  const status = all.find((each) => each.name === name);
  if (status) return status;
  throw new OperationError(
    `there is no projection ${JSON.stringify(name)}; there are ${all.map((each) => each.name).join(', ')}`,
  );
}

const progressOf = (done: number, total: number): OperationProgress => ({ progress: { done, total, unit: 'events' } });
