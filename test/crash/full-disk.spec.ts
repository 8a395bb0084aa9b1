import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { FullDiskReport } from './full-disk.js';

const PROGRAM = fileURLToPath(new URL('./full-disk.js', import.meta.url));
const MAX_KIB = 2_000;

describe('a log whose files cannot grow', () => {
  let directory: string;
  let report: FullDiskReport;
  let there: readonly string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-full-'));
    // A limit on file sizes stands in for a full disk: writes fail in the same places. Its signal would kill the process.
    const limited = `trap '' XFSZ; ulimit -f ${MAX_KIB}; exec "$0" --disable-warning=ExperimentalWarning "$@"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', limited, process.execPath, PROGRAM, directory]);
    report = JSON.parse(stdout) as FullDiskReport;
    const store = await openSqliteEventStore({ directory });
    there = (await Array.fromAsync(store.readAll({ filter: { categories: ['full'] } }))).map(({ id }) => id);
    await store.close();
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('reports the result of every append', () => {
    expect(report.stored.length).toBeGreaterThan(10);
    expect(report.refused.length).toBeGreaterThan(10);
    expect(report.errors).toContain('EventStoreUnavailableError');
    expect(
      report.errors.every((name) => ['EventStoreUnavailableError', 'AppendOutcomeUnknownError'].includes(name)),
    ).toBe(true);
  });

  it('can still be read', () => {
    expect(report.readable).toBeGreaterThanOrEqual(report.stored.length);
  });

  it('has every acknowledged event, and no refused one', () => {
    expect(report.stored.filter((id) => !there.includes(id))).toEqual([]);
    expect(report.refused.filter((id) => there.includes(id))).toEqual([]);
  });
});
