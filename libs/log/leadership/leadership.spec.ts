import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coordinationService, openSqliteCoordination } from '#ports/coordination/sqlite/index.js';
import { startThread } from '#primitives/thread/thread.js';
import { lead, SOLE, takeLease } from './index.js';
import { leadershipSuite } from './leadership.suite.js';
import { Processes } from './processes.fixture.js';

const directory = await mkdtemp(join(tmpdir(), 'leadership-'));
const thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
const open = async (now: () => number) => openSqliteCoordination({ directory, thread, now });
afterAll(async () => {
  await thread.close();
  await rm(directory, { recursive: true });
});

leadershipSuite('SQLite', open);

describe('a lease', () => {
  it('has a new token when it is taken again after it expired by the clock of coordination', async () => {
    const processes = new Processes();
    const coordination = await open(() => processes.now);
    const process = processes.start(coordination);
    const options = { leases: process, clock: process, name: 'n', holder: 'me', termMs: 1_000 };
    const lease = (await takeLease(options))!;
    processes.now += 1_001;
    const thiefs = await coordination.acquireLease('n', 'thief', 1_000);
    await coordination.releaseLease(thiefs!);
    processes.now -= 1_001;
    await processes.pass(250);
    expect(lease.ended.aborted).toBe(true);
    // The holder has reacquired the lease under a new token: releasing the old one has no effect.
    await lease.release();
    expect(await coordination.acquireLease('n', 'other', 1_000)).toBeNull();
    await coordination.close();
  });
});

it('a single process leads everything at once, forever', async () => {
  const processes = new Processes();
  const clock = processes.start(SOLE);
  const history: string[] = [];
  const leadership = lead({ leases: SOLE, clock, name: 'n', holder: 'h' }, async () => {
    history.push('begins');
    return { close: async () => void history.push('ends') };
  });
  await leadership.started;
  await processes.pass(1_000_000);
  expect(history).toEqual(['begins']);
  await leadership.close();
  expect(history).toEqual(['begins', 'ends']);
});
