import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_STREAM, type EventToAppend } from '#event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#event-store/sqlite/index.js';
import type { ReadStore } from '#read-store/port.js';
import { SqliteReadStore } from '#read-store/sqlite/sqlite-read-store.js';
import type { Projection } from './projection.js';
import { ProjectionRunner } from './runner.js';

/** Removes, makes anew, numbers; fails for k1, gives k2 what a unique index refuses, and k3 what no index takes. */
const things: Projection = {
  name: 'things',
  version: 1,
  handles: ['put.v1', 'gone.v1'],
  indexes: [{ fields: ['group'] }, { fields: ['tag'], unique: true }],
  ordinals: [{ field: 'n', within: ['group'] }],
  key: ({ data }) => data['key'] as string,
  apply(document, { type, data }) {
    if (data['step'] === 4 && data['key'] === 'k1') throw new Error('cannot be applied');
    if (type === 'gone.v1') return null;
    const late = (data['step'] as number) >= 5;
    const tag = late && data['key'] === 'k2' ? 'k0' : data['key']!;
    const group = late && data['key'] === 'k3' ? ['not a scalar'] : 'all';
    const steps = [...((document?.['steps'] as number[] | undefined) ?? []), data['step'] as number];
    return { group, tag, steps };
  },
};

describe('whatever fails, and whenever the process dies', () => {
  let directory: string;
  let log: SqliteEventStore;
  let stores = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'projection-faults-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    const events = Array.from({ length: 60 }, (_, at): EventToAppend => {
      const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
      const who = { workspaceId: null, actor: 'system:test', correlationId: id, causationId: id, commandId: id };
      const type = at % 7 === 6 ? 'gone.v1' : 'put.v1';
      const data = { key: `k${at % 6}`, step: Math.floor(at / 6) };
      return { id, type, data, metadata: { ...who, occurredAt: '2030-01-01T00:00:00.000Z' } };
    });
    await log.append('things-1', NO_STREAM, events);
  });
  afterAll(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  /** Documents and parked keys, after as many starts as it takes. */
  const built = async (batchSize: number, faults: readonly Fault[]) => {
    const store = new SqliteReadStore({ directory: join(directory, `read-${(stores += 1)}`) });
    const flaky = withFaults(store, faults);
    for (;;) {
      // A new runner knows nothing but what is stored, as after a crash.
      const runner = new ProjectionRunner(things, { eventStore: log, readStore: flaky });
      try {
        await runner.open();
        await runner.catchUp(new AbortController().signal, batchSize);
        await runner.flush();
      } catch (error) {
        if (!(error instanceof InjectedError)) throw error;
        continue;
      }
      await store.activate('things', runner.collection.version);
      const documents = await store.find('things', { where: {}, limit: 100 });
      const parked = runner.parked.map(({ key, position, events, error }) => ({ key, position, events, error }));
      await store.close();
      return { documents, parked };
    }
  };

  test('the documents, their numbers and the parked keys are those of a run without faults', async () => {
    const expected = await built(1, []);
    expect(expected.parked.map(({ key }) => key).sort()).toEqual(['k1', 'k2', 'k3']);
    const someFaults = fc.array(fc.constantFrom<Fault>('none', 'before', 'after'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), someFaults, async (batchSize, faults) => {
        expect(await built(batchSize, faults)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

/** What becomes of a write: it fails and is not stored, or fails though it was stored. */
type Fault = 'none' | 'before' | 'after';

class InjectedError extends Error {}

function withFaults(store: SqliteReadStore, faults: readonly Fault[]): ReadStore {
  let writes = 0;
  return Object.assign(Object.create(store) as SqliteReadStore, {
    async write(...args: Parameters<SqliteReadStore['write']>) {
      const fault = faults[writes] ?? 'none';
      writes += 1;
      if (fault === 'before') throw new InjectedError();
      await store.write(...args);
      if (fault === 'after') throw new InjectedError();
    },
  });
}
