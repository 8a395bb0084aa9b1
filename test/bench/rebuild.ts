import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProjectionRunner } from '#log/projector/runner.js';
import { SharedReading } from '#log/projector/shared-reading.js';
import type { EventReader, EventStore } from '#ports/event-store/port.js';
import { sealingStore } from '#ports/event-store/sealing.js';
import { ContentKeys } from '#ports/key-store/content-keys.js';
import { openEventStoreDb } from '#ports/event-store/eventstoredb/index.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { openReadStore } from '#ports/read-store/open.js';
import { projections } from '#projections/index.js';
import { startEventStoreProcess } from '#test/event-store-server/index.js';
import { aCall, aProject, EventWriter } from './event-writer.js';
import { median } from './quantile.js';
import { scaled } from './size.js';

/**
 * Building all read models at once from the start of a log of encrypted calls, which they read together, beside each reading it by itself: on
 * the embedded log, and on the double of EventStoreDB in a process of its own.
 */

const ROUNDS = 3;
const EVENTS = scaled(20_000, 40);
const AT_ONCE = 100;
const BATCH = 500;

const directory = await mkdtemp(join(tmpdir(), 'bench-rebuild-'));
const keys = new ContentKeys({
  store: { adapter: 'sqlite', directory: join(directory, 'keys') },
  wrappingKeys: [randomBytes(32)],
});
try {
  const embedded = await openSqliteEventStore({ directory: join(directory, 'log'), durability: 'normal' });
  await measure('the embedded log', embedded);
  const server = await startEventStoreProcess({ directory: join(directory, 'server') });
  await measure('a log behind a server', await openEventStoreDb({ address: server.address }));
  await server.kill('SIGTERM');
} finally {
  await keys.close();
  await rm(directory, { recursive: true });
}

/** @param stored closed at the end */
async function measure(what: string, stored: EventStore): Promise<void> {
  const log = sealingStore(stored, keys, true);
  const writer = new EventWriter(log);
  await writer.append('project', 1, aProject);
  const call = aCall();
  for (let events = 0; events < EVENTS; events += 2 * AT_ONCE) await writer.append('metered', AT_ONCE, ...call);
  const seconds: Record<'together' | 'apart', number[]> = { together: [], apart: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    seconds.together.push(await rebuilt(log, new SharedReading(log)));
    seconds.apart.push(await rebuilt(log, log));
  }
  const [together, apart] = [median(seconds.together), median(seconds.apart)];
  console.log(
    `all read models from ${EVENTS} events of ${what}: ${together.toFixed(2)} s reading together, ` +
      `${apart.toFixed(2)} s each by itself: ${(apart / together).toFixed(2)} times as fast`,
  );
  await stored.close();
}

async function rebuilt(eventStore: EventReader, history: Pick<EventReader, 'subscribe'>): Promise<number> {
  const place = await mkdtemp(join(directory, 'read-'));
  const readStore = await openReadStore({ adapter: 'sqlite', directory: place });
  const runners = projections.map((projection) => new ProjectionRunner(projection, { eventStore, history, readStore }));
  const { signal } = new AbortController();
  const start = performance.now();
  await Promise.all(
    runners.map(async (runner) => {
      await runner.open();
      await runner.catchUp(signal, BATCH);
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  await readStore.close();
  await rm(place, { recursive: true });
  return seconds;
}
