import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedAfter, type EventStore } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { UpcastingReader } from '#ports/event-store/upcasting.js';
import { ProjectionHost } from '#log/projector/host.js';
import type { ProjectionAdvance } from '#log/projector/status.js';
import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';
import { goldenEvents, upcastGoldenEvents, type GoldenEvent } from '#test/golden/events.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { projections } from '#projections/index.js';
import { collectionNameOf, collectionOf } from '#log/projector/collection.js';

it('every event type that a projection handles has a golden sample, and is the newest version', () => {
  const handled = new Set(projections.flatMap(({ on }) => Object.keys(on)));
  const golden = new Set(upcastGoldenEvents.map(({ type }) => type));
  expect([...handled].filter((type) => !golden.has(type))).toEqual([]);
});

it('projections have unique names', () => {
  expect(new Set(projections.map(({ name }) => name)).size).toBe(projections.length);
});

describe.each(projections.map((projection) => [projection.name, projection] as const))(
  'projection %s',
  (_, projection) => {
    const story = upcastGoldenEvents.filter(({ type }) => type in projection.on);

    it('gives the same documents live, rebuilt, and with every event repeated', async () => {
      const documents = await expectLiveEqualsRebuilt(projection, upcastGoldenEvents);
      expect(documents.size).toBeGreaterThan(0);
    });

    it('gives the same documents with any events missing, repeated or out of order', async () => {
      const someEvents = fc.array(fc.constantFrom(...story), { maxLength: 25 });
      await fc.assert(
        fc.asyncProperty(someEvents, async (events) => void (await expectLiveEqualsRebuilt(projection, events))),
        { numRuns: 50 },
      );
    });

    it('has scalars in its indexed fields', async () => {
      const { indexes } = collectionOf(projection);
      const fields = new Set(indexes.flatMap((index) => index.fields));
      const documents = await expectLiveEqualsRebuilt(projection, upcastGoldenEvents);
      for (const [id, document] of documents)
        for (const field of fields)
          expect([id, field, typeof (document[field] ?? '')]).not.toEqual([id, field, 'object']);
    });

    it('declares no redundant index', () => {
      const declared = projection.indexes.filter(({ words }) => !words).map(({ fields }) => fields.join());
      for (const fields of declared)
        expect(declared.filter((other) => other === fields || other.startsWith(`${fields},`))).toEqual([fields]);
    });
  },
);

it('the read store has the same documents live and rebuilt, from events of every version', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'golden-'));
  const log = await openSqliteEventStore({ directory, durability: 'normal' });
  const readStore = new SqliteReadStore({ directory: join(directory, 'read') });
  const seen = new Map<string, ProjectionAdvance>();
  let wake = () => {};
  const onAdvance = (advances: readonly ProjectionAdvance[]) => {
    for (const advance of advances) seen.set(advance.collection, advance);
    wake();
  };
  const eventStore = new UpcastingReader(log);
  const host = new ProjectionHost({ eventStore, readStore, projections, onAdvance }).start();
  const allSeen = async (position: string) => {
    while (
      !projections.map(collectionNameOf).every((name) => seen.get(name)?.live && seen.get(name)!.position >= position)
    )
      await new Promise<void>((resolve) => (wake = resolve));
  };
  const documents = async () => {
    const found = projections.map((one) => readStore.find(collectionNameOf(one), { where: {}, limit: 10_000 }));
    return Object.fromEntries((await Promise.all(found)).map((list, at) => [projections[at]!.name, list]));
  };
  try {
    for (const [at, event] of goldenEvents.entries()) await allSeen(await append(log, event, at));
    const live = await documents();
    expect(host.status().map(({ name, parked, state }) => ({ name, parked, state }))).toEqual(
      projections.map(({ name }) => ({ name, parked: 0, state: 'live' })),
    );
    for (const { name } of projections) await host.rebuild(name);
    while (host.status().some(({ state }) => state !== 'live')) await new Promise<void>((resolve) => (wake = resolve));
    expect(await documents()).toEqual(live);
  } finally {
    await host.close();
    await readStore.close();
    await log.close();
    await rm(directory, { recursive: true });
  }
});

const revisions = new Map<string, number>();
async function append(log: EventStore, { stream, type, data }: GoldenEvent, at: number): Promise<string> {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const occurredAt = new Date(Date.UTC(2030, 0, 1) + at).toISOString();
  const who = { workspaceId: 'w1', actor: 'user:u', correlationId: id, causationId: id, commandId: id };
  const expected = expectedAfter(revisions.get(stream) ?? -1);
  const result = await log.append(stream, expected, [{ id, type, data, metadata: { ...who, occurredAt } }]);
  revisions.set(stream, result.revision);
  return result.position;
}
