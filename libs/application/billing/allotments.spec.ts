import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoordinationUnavailableError } from '#ports/coordination/port.js';
import {
  coordinationService,
  openSqliteCoordination,
  type SqliteCoordination,
} from '#ports/coordination/sqlite/index.js';
import { ledgerOf } from '#domain/ledger/index.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import { Allotments } from './allotments.js';
import { Credits } from './credits.js';

describe("a process's allotments", () => {
  let clock: number;
  let directory: string;
  let thread: Thread;
  let coordination: SqliteCoordination;
  let isDown: boolean;
  let credits: Credits;
  let process: Allotments;
  beforeEach(async () => {
    clock = Date.UTC(2026, 10, 30, 23, 59, 0);
    isDown = false;
    directory = await mkdtemp(join(tmpdir(), 'anneal-allotments-'));
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    coordination = openSqliteCoordination({ directory, thread, now: () => clock });
    const failing = Object.assign(Object.create(coordination) as SqliteCoordination, {
      compareAndSet: (...args: Parameters<SqliteCoordination['compareAndSet']>) =>
        isDown ? Promise.reject(new CoordinationUnavailableError('no answer')) : coordination.compareAndSet(...args),
    });
    const ledger = ledgerOf([
      { month: '2026-11', ledger: { entries: new Set(), paidIn: 0n, included: 1_000n, ceiling: null } },
    ]);
    const source = { ledger: async () => ledger, spentByMonth: async () => new Map() };
    credits = new Credits(failing, source, () => clock);
    process = new Allotments(failing, credits, { now: () => clock });
  });
  afterEach(async () => {
    process.abandon();
    await coordination.close();
    await thread.close();
    await rm(directory, { recursive: true });
  });

  const spend = async (teamId: string) => {
    const obtained = await (await process.of(teamId)).obtain(100n);
    if ('settle' in obtained) obtained.settle(60n);
  };
  const allotments = async (teamId: string) => {
    const held = await credits.read(teamId);
    return Object.values(held!.months[0]!.allotments);
  };

  it("are returned for one team even if another team's allotment was closed", async () => {
    await spend('first');
    await spend('second');
    await coordination.delete('held-credits:team:first');
    clock += 4_000;
    await process.tick();
    expect(await allotments('second')).toEqual([{ taken: 60n, spent: 60n, endedAt: null }]);
  });

  it.each([
    ['of a month that is over', Date.UTC(2026, 10, 30, 23, 59, 0), 60_000],
    ['that nobody has used for ten minutes', Date.UTC(2026, 10, 30), 600_000],
  ])('end an allotment %s even if coordination failed at first', async (_which, start, endsAfter) => {
    clock = start;
    await spend('first');
    while (clock < start + endsAfter) {
      clock += 10_000;
      isDown = clock === start + endsAfter;
      await process.tick().catch(() => undefined);
    }
    isDown = false;
    clock += 3_000;
    await process.tick();
    expect(await allotments('first')).toEqual([{ taken: 60n, spent: 60n, endedAt: clock }]);
  });
});
