import { deepStrictEqual } from 'node:assert/strict';
import type { JsonObject } from '#domain/json.js';
import type { EventMetadata, RecordedEvent } from '#ports/event-store/port.js';
import { DocumentFolding } from '#log/projector/folding.js';
import { HandledTypes } from '#log/projector/handled-types.js';
import type { Projection } from '#log/projector/projection.js';
import { totalWrites } from '#log/projector/totals.js';
import type { LoadedDocument } from '#ports/read-store/port.js';

/** An event as a projection gets it; what is left out is filled in. */
export type EventInLog = { readonly type: string; readonly data: JsonObject } & Partial<RecordedEvent>;

/**
 * Holds a projection to its promises over some events, in their order: taken in one by one, in pairs or all at once, they
 * give the same documents; seeing every event twice changes nothing; none is changed in place; no key is parked.
 * @returns the documents by id
 */
export async function expectLiveEqualsRebuilt(
  projection: Projection,
  events: readonly EventInLog[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const log = events.map(recorded);
  const live = await documentsAfter(projection, chunks(log, 1));
  for (const size of [2, 7, log.length || 1])
    deepStrictEqual(await documentsAfter(projection, chunks(log, size)), live, `in batches of ${size}`);
  const twice = log.flatMap((event) => [[event], [event]]);
  deepStrictEqual(await documentsAfter(projection, twice), live, 'each event twice');
  deepStrictEqual(await documentsAfter(projection, [log, log]), live, 'the whole log twice');
  return live;
}

/** The documents that batches of events lead to. @throws when an event fails */
async function documentsAfter(
  projection: Projection,
  batches: readonly (readonly RecordedEvent[])[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const stored = new Map<string, LoadedDocument>();
  const counters = new Map<string, number>();
  const folding = new DocumentFolding(projection, new HandledTypes(projection.on), {
    load: async (ids) => only(stored, ids),
    counters: async (keys) => only(counters, keys),
  });
  for (const batch of batches) {
    const folded = await folding.fold(batch, null);
    for (const parked of folded.parked.values())
      throw new Error(`${projection.name} parks ${parked.key} at ${parked.eventType}: ${parked.error}`);
    for (const { id, position, document } of [...totalWrites(folded.totals), ...folded.writes])
      // Copied as a store would, and frozen, so that a change in place fails.
      stored.set(id, { position, document: frozen(JSON.parse(JSON.stringify(document)) as JsonObject | null) });
    for (const [key, value] of folded.counters) counters.set(key, value);
    // Clears the memory, so that each batch reads what was stored.
    folding.reset([]);
  }
  const present = [...stored].filter(([, { document }]) => document !== null);
  present.sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(present.map(([id, { document }]) => [id, document!]));
}

function recorded(event: EventInLog, index: number): RecordedEvent {
  const metadata: EventMetadata = {
    workspaceId: 'w1',
    actor: 'user:u1',
    correlationId: 'c1',
    causationId: 'c1',
    commandId: `command-${index}`,
    occurredAt: new Date(Date.UTC(2030, 0, 1) + index * 1000).toISOString(),
    ...event.metadata,
  };
  const position = String(index + 1).padStart(16, '0');
  return frozen({ id: `event-${index}`, stream: 'test-1', revision: index, position, ...event, metadata });
}

const chunks = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

function only<T>(all: ReadonlyMap<string, T>, keys: readonly string[]): ReadonlyMap<string, T> {
  return new Map(keys.filter((key) => all.has(key)).map((key) => [key, all.get(key)!]));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
