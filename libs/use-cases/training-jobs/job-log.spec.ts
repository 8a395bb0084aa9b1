import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemContext } from '#log/context.js';
import { Executor } from '#log/execute.js';
import { jobLogDecider } from '#domain/job-log/index.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { readJobLog } from './job-log.js';

const BLOCKS = [3, 1, 5, 2, 4];
const TOTAL = 15;

describe("reading a job's log", () => {
  let directory: string;
  let log: SqliteEventStore;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'job-log-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    for (const [index, count] of BLOCKS.entries()) {
      const lines = Array.from({ length: count }, () => ({
        timestamp: '2030-01-01T00:00:00.000Z',
        level: 'info' as const,
        message: `block ${index + 1}`,
        source: 'training',
      }));
      const command = { type: 'append-job-log', jobId: 'j1', attempt: 1, block: index + 1, lines } as const;
      await new Executor(log).execute(jobLogDecider, 'j1', command, systemContext('test', 'w1'));
    }
  });
  afterAll(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  it('returns the lines after any line, across blocks, up to the limit', async () => {
    for (let after = 0; after <= TOTAL; after += 1)
      for (const limit of [1, 4, TOTAL]) {
        const { lines, total } = await readJobLog(log, 'j1', after, limit);
        const ids = Array.from({ length: Math.min(limit, TOTAL - after) }, (_, index) => String(after + index + 1));
        expect([lines.map(({ id }) => id), total]).toEqual([ids, TOTAL]);
      }
  });

  it('returns each line as written', async () => {
    const { lines } = await readJobLog(log, 'j1', 3, 2);
    expect(lines.map(({ message }) => message)).toEqual(['block 2', 'block 3']);
  });

  it('returns no lines of a job that has written none', async () => {
    expect(await readJobLog(log, 'j2', 0, 10)).toEqual({ lines: [], total: 0 });
  });
});
