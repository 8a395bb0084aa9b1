import { PROJECTION_ADVANCED, type ProjectionAdvanced } from '#log/visibility.js';
import { openNatsBus } from '#ports/bus/nats/index.js';
import { projections } from '#projections/index.js';
import { eventually } from '#test/support/eventually.js';
import { collectionNameOf } from '#log/projector/collection.js';

interface Health {
  readonly details?: { readonly projections?: Readonly<Record<string, unknown>> };
}

/**
 * Resolves once the APIs at these addresses are ready, and a worker leads their read models, all of which are live. (Without a
 * leader an API is ready too, with lists that may be 503 a moment later.)
 * @param bus the address of theirs
 */
export async function untilReady(urls: readonly string[], bus: string): Promise<void> {
  await Promise.all(urls.map((url) => eventually(() => isReady(url))));
  await untilSignalled(bus);
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health`);
  const { details } = (await response.json()) as Health;
  const states = Object.values(details?.projections ?? {}).flatMap((one) =>
    typeof one === 'object' && one !== null && 'state' in one ? [one.state] : [],
  );
  return response.status === 200 && states.length > 0 && states.every((state) => state === 'live');
}

/** The APIs hear of their read models by the signals of the leader, which repeats them every second, as this does. */
async function untilSignalled(address: string): Promise<void> {
  const bus = await openNatsBus(address);
  const awaited = new Set(projections.map(collectionNameOf));
  await new Promise<void>((resolve) => {
    bus.listen(PROJECTION_ADVANCED, (body) => {
      const { collection, live, complete } = body as unknown as ProjectionAdvanced;
      if (live && complete) awaited.delete(collection);
      if (awaited.size === 0) resolve();
    });
  });
  await bus.close();
}
