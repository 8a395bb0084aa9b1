import type { JsonObject } from '#domain/json.js';
import type { EventReader, RecordedEvent } from '#ports/event-store/port.js';
import { ReadStoreConflictError, type ReadStore } from '#ports/read-store/port.js';
import { parkedBeside } from './collection.js';
import { evolve } from './handlers.js';
import type { Projection, TotalsOf } from './projection.js';
import { ProjectionRunner } from './runner.js';

/** Removes and recreates documents; fails for k1, and gives k3 a value that no index accepts. */
export const things: Projection = {
  name: 'things',
  version: 1,
  indexes: [{ fields: ['group'] }, { fields: ['tag'] }],
  key: ({ data }) => data['key'] as string,
  on: {
    'put.v1'(document, { data }) {
      failAtStep4OfK1(data);
      const group = (data['step'] as number) >= 5 && data['key'] === 'k3' ? ['not a scalar'] : 'all';
      return { group, tag: data['key']!, steps: stepsOf(document, data) };
    },
    'gone.v1'(_, { data }) {
      failAtStep4OfK1(data);
      return null;
    },
  },
};

/** The same, and gives k2 a value that a unique index refuses. */
export const uniqueThings: Projection = {
  ...things,
  indexes: [{ fields: ['group'] }, { fields: ['tag'], unique: true }],
  on: {
    ...things.on,
    'put.v1'(document, event) {
      const next = evolve(things.on, document, event);
      const late = (event.data['step'] as number) >= 5 && event.data['key'] === 'k2';
      return next && { ...next, tag: late ? 'k0' : event.data['key']! };
    },
  },
};

/** Numbers all documents, and those of either kind; some only by their second event. Fails for k1. */
export const numbered: Projection = {
  name: 'numbered',
  version: 1,
  indexes: [],
  ordinals: [
    { field: 'n', within: ['group'] },
    { field: 'nKind', within: ['group', 'kind'] },
  ],
  key: ({ data }) => `${data['key'] as string}-${Math.floor((data['step'] as number) / 3)}`,
  on: {
    'put.v1': (document, { data }) =>
      withStep(document, data, data['step'] === 0 && data['key'] === 'k2' ? null : 'all'),
    // A document that was removed starts again with its next event.
    'gone.v1': (document, { data }) => withStep(document, data, null),
  },
};

/** The same, with totals of both kinds together, and of each group's latest steps: a document leaves one for the next. */
export const counted: Projection = {
  ...numbered,
  name: 'counted',
  totals: [
    totalsBy('kinds', ['group', 'kind', 'steps'], ({ group, kind }) => (group === null ? null : JSON.stringify(kind))),
    totalsBy('steps', ['steps'], ({ steps }) => `${(steps as number[]).at(-1)! % 3}`),
  ],
};

function totalsBy(
  kind: string,
  fields: readonly string[],
  of: (document: JsonObject) => string | null,
): TotalsOf<JsonObject> {
  return {
    fields,
    key: (document) => (of(document) === null ? null : `#${kind}-${of(document)}`),
    empty: (document) => ({ of: of(document), documents: 0, steps: 0 }),
    count(total, { steps }, times) {
      const sums = total as Record<string, number>;
      sums['documents']! += times;
      sums['steps']! += times * (steps as number[]).reduce((sum, step) => sum + step + 1, 0);
    },
    isEmpty: ({ documents }) => documents === 0,
  };
}

function withStep(document: JsonObject | null, data: JsonObject, group: 'all' | null): JsonObject {
  failAtStep4OfK1(data);
  const kind = data['key'] === 'k4' ? null : Number((data['key'] as string).slice(1)) % 2;
  return { id: `${data['key'] as string}`, group: document?.['group'] ?? group, kind, steps: stepsOf(document, data) };
}

function failAtStep4OfK1(data: JsonObject): void {
  if (data['step'] === 4 && data['key'] === 'k1') throw new Error('cannot be applied');
}

const stepsOf = (document: JsonObject | null, data: JsonObject): number[] => [
  ...((document?.['steps'] as number[] | undefined) ?? []),
  data['step'] as number,
];

/** Sixty events about six keys, among them a removal now and then. */
export const thingsThatHappen: readonly RecordedEvent[] = Array.from({ length: 60 }, (_, at) => {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const metadata = { workspaceId: null, actor: 'system:test', correlationId: id, causationId: id, commandId: id };
  return {
    id,
    type: at % 7 === 6 ? 'gone.v1' : 'put.v1',
    data: { key: `k${at % 6}`, step: Math.floor(at / 6) },
    metadata: { ...metadata, occurredAt: '2030-01-01T00:00:00.000Z' },
    stream: 'things-1',
    revision: at,
    position: String(at + 1).padStart(20, '0'),
  };
});

/** A log that does not change. */
export function logOf(events: readonly RecordedEvent[]): EventReader {
  const read = (after: string | null | undefined) => events.filter(({ position }) => position > (after ?? ''));
  return {
    positions: 'dense',
    head: async () => ({ logId: events[0]!.id, position: events.at(-1)!.position }),
    eventAt: async (position) => events.find((event) => event.position === position) ?? null,
    async *readStream() {
      yield* events;
    },
    async *readAll({ direction, after, limit = Infinity } = {}) {
      yield* (direction === 'backwards' ? [...events].reverse() : read(after)).slice(0, limit);
    },
    async *subscribe({ after, batchSize = 500 }) {
      const waiting = read(after);
      for (let at = 0; at < waiting.length; at += batchSize)
        yield { kind: 'events', events: waiting.slice(at, at + batchSize) };
      yield { kind: 'caught-up' };
    },
    close: async () => {},
  };
}

/** Ends a run as a crash would. */
export class CrashError extends Error {}

/** Restarts with only what is stored, until everything has been absorbed. */
export async function runToTheEnd(
  projection: Projection,
  open: () => ReadStore,
  batchSize: number,
  eventStore = logOf(thingsThatHappen),
): Promise<void> {
  for (;;) {
    const runner = new ProjectionRunner(projection, { eventStore, readStore: open() });
    try {
      await runner.open();
      await runner.catchUp(new AbortController().signal, batchSize);
      await runner.flush();
      return;
    } catch (error) {
      if (!(error instanceof CrashError) && !(error instanceof ReadStoreConflictError)) throw error;
    }
  }
}

export interface Outcome {
  readonly documents: readonly JsonObject[];
  readonly counters: ReadonlyMap<string, number>;
  readonly position: string | undefined;
  readonly parked: readonly JsonObject[];
}

/** Everything that a run stored. */
export async function outcomeOf(projection: Projection, readStore: ReadStore): Promise<Outcome> {
  const { collection } = new ProjectionRunner(projection, { eventStore: logOf(thingsThatHappen), readStore });
  await readStore.activate(collection.name, collection.version);
  const parked = await readStore.find(parkedBeside(collection).name, { where: {}, limit: 100 });
  return {
    documents: await readStore.find(collection.name, { where: {}, limit: 1000 }),
    counters: await readStore.counters(collection, ['n:["all"]', 'nKind:["all",0]', 'nKind:["all",1]']),
    position: (await readStore.checkpoint(collection))?.position,
    parked: parked.map(({ key, position, events, error }) => ({ key, position, events, error })),
  };
}
