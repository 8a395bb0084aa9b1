import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENFORCEMENT } from '#domain/billing/index.js';
import { streamName } from '#domain/streams.js';
import { expectedAfter, type EventReader } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { spentByMonth } from './credits-log.js';

describe("a team's spending according to the log", () => {
  let directory: string;
  let store: SqliteEventStore;
  let revisions: Map<string, number>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-credits-log-'));
    store = await openSqliteEventStore({ directory, durability: 'normal' });
    revisions = new Map();
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const append = async (stream: string, type: string, data: Record<string, unknown>) => {
    const last = revisions.get(stream) ?? -1;
    const event = envelope(stream, { type, data } as Parameters<typeof envelope>[1], 0, systemContext('test', null));
    await store.append(stream, expectedAfter(last), [event]);
    revisions.set(stream, last + 1);
  };
  const enforce = (enforced: boolean) =>
    append(streamName('billing', ENFORCEMENT), 'billing-enforcement-set.v1', { enforced });
  const team = (teamId: string) => append(streamName('team', teamId), 'team-created.v1', { teamId });
  const call = (teamId: string, chargedTo: string | null, costPicodollars: string) =>
    append('metered-2030-01-02-w', 'call-metered.v1', { teamId, chargedTo, costPicodollars });
  /** Counts the reads of calls. */
  const counting = () => {
    let read = 0;
    const reader = Object.assign(Object.create(store) as EventReader, {
      readAll: async function* (...args: Parameters<EventReader['readAll']>) {
        for await (const event of store.readAll(...args)) {
          read += 1;
          yield event;
        }
      },
    });
    return { reader, read: () => read };
  };

  it('is the cost of its calls paid from credits, by month', async () => {
    await team('t1');
    await call('t1', null, '1000');
    await enforce(true);
    await team('t2');
    for (const [teamId, chargedTo, cost] of [
      ['t1', '2030-01/a', '1'],
      ['t2', '2030-01/b', '10'],
      ['t1', '2030-01/c', '2'],
      ['t1', null, '100'],
      ['t1', '2030-02/c', '4'],
    ] as const)
      await call(teamId, chargedTo, cost);
    const months = await spentByMonth(store, 't1');
    expect([...months]).toEqual([
      ['2030-01', 3n],
      ['2030-02', 4n],
    ]);
  });

  it("is read from when credits were first enforced and the team was created, so that a new team's log is short", async () => {
    await team('t1');
    await enforce(false);
    await call('t1', null, '1');
    await enforce(true);
    for (let calls = 0; calls < 5; calls += 1) await call('t1', '2030-01/a', '1');
    await team('t2');
    await call('t2', '2030-01/b', '7');
    const { reader, read } = counting();
    expect([...(await spentByMonth(reader, 't2'))]).toEqual([['2030-01', 7n]]);
    expect(read()).toBe(1);
    expect([...(await spentByMonth(reader, 't1'))]).toEqual([['2030-01', 5n]]);
    expect(read()).toBe(1 + 6);
  });
});
