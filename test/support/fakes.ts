// Stand-ins for the ports, in memory, until the embedded adapters are there.
import type { Coordination, Entry } from '#coordination/port.js';
import {
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
  type RecordedEvent,
} from '#event-store/port.js';
import type { Bus } from '#bus/port.js';
import type { JsonObject } from '#domain/json.js';
import type { Projection } from '#projection/projection.js';
import type { Query, ReadStoreQueries } from '#read-store/port.js';
import { PROJECTION_ADVANCED } from '#application/visibility.js';

export function fakeEventStore(bus: Bus, projections: readonly Projection[]) {
  const log: RecordedEvent[] = [];
  const store = {
    append: async (stream: string, expected: never, events: readonly never[]) => {
      const of = log.filter((e) => e.stream === stream);
      const want =
        (expected as { kind: string; revision: number }).kind === 'no-stream'
          ? -1
          : (expected as { revision: number }).revision;
      if (of.length - 1 !== want) throw new WrongExpectedRevisionError(stream, expected, of.length - 1);
      events.forEach((event, i) =>
        log.push({
          ...(event as RecordedEvent),
          stream,
          revision: of.length + i,
          position: String(log.length + 1).padStart(16, '0'),
        }),
      );
      const position = log.at(-1)!.position;
      for (const { name } of projections) bus.signal(PROJECTION_ADVANCED, { projection: name, position, live: true });
      return { revision: of.length - 1 + events.length, position };
    },
    readStream: async function* (stream: string) {
      const of = log.filter((e) => e.stream === stream);
      if (of.length === 0) throw new StreamNotFoundError(stream);
      yield* of;
    },
    readAll: async function* () {
      yield* log;
    },
    head: async () => ({ logId: log[0]?.id ?? null, position: log.at(-1)?.position ?? null }),
    close: async () => undefined,
  } as unknown as EventStore;
  return { store, log };
}

export function fakeReadStore(log: readonly RecordedEvent[], projections: readonly Projection[]): ReadStoreQueries {
  const documents = (name: string): Map<string, JsonObject> => {
    const projection = projections.find((p) => p.name === name)!;
    const map = new Map<string, JsonObject>();
    for (const event of log) {
      const key = projection.handles.includes(event.type) ? projection.key(event) : null;
      if (key === null) continue;
      const next = projection.apply((map.get(key) ?? null) as never, event);
      if (next) map.set(key, next);
      else map.delete(key);
    }
    return map;
  };
  const matching = (name: string, query: Pick<Query, 'where'>) =>
    [...documents(name).values()].filter((d) =>
      Object.entries(query.where).every(([k, v]) => (Array.isArray(v) ? v.includes(d[k]) : d[k] === v)),
    );
  return {
    get: async (name, id) => (documents(name).get(id) ?? null) as never,
    find: async (name, query) => {
      const found = matching(name, query);
      const { order } = query;
      if (order)
        found.sort(
          (a, b) =>
            (String(a[order.field]) < String(b[order.field]) ? -1 : 1) * (order.direction === 'ascending' ? 1 : -1),
        );
      return found.slice(query.offset ?? 0, (query.offset ?? 0) + query.limit) as never;
    },
    count: async (name, query) => matching(name, query).length,
  };
}

export function fakeCoordination(): Coordination {
  const entries = new Map<string, Entry & { until: number }>();
  const get = (key: string) => {
    const entry = entries.get(key);
    return entry && entry.until > Date.now() ? entry : null;
  };
  return {
    get: async (key) => get(key),
    compareAndSet: async (key, expected, value, ttlMs = Infinity) => {
      const present = get(key);
      if (expected.kind === 'absent' ? present : present?.version !== expected.version) return null;
      const entry = { key, value, version: (present?.version ?? 0) + 1, until: Date.now() + ttlMs };
      entries.set(key, entry);
      return entry;
    },
    delete: async (key) => void entries.delete(key),
    list: async (prefix, limit) => [...entries.values()].filter(({ key }) => key.startsWith(prefix)).slice(0, limit),
    increment: async (key, by, ttlMs, limit = Infinity) => {
      const present = get(key);
      const value = (present?.value as number | undefined) ?? 0;
      const until = present?.until ?? Date.now() + ttlMs;
      if (value + by > limit) return { applied: false, value, endsInMs: until - Date.now() };
      entries.set(key, { key, value: value + by, version: 1, until });
      return { applied: true, value: value + by, endsInMs: until - Date.now() };
    },
    acquireLease: async (name, holder) => ({ name, holder, token: 1 }),
    releaseLease: async () => undefined,
    close: async () => undefined,
  };
}
