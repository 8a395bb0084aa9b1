import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteReadStore } from '#ports/read-store/sqlite/sqlite-read-store.js';
import type { Projection } from './projection.js';
import { CrashError, numbered, outcomeOf, runToTheEnd, uniqueThings } from './things.fixture.js';

describe.each<[string, Projection, readonly string[]]>([
  ['documents that come and go', uniqueThings, ['k1', 'k2', 'k3']],
  ['documents with numbers', numbered, ['k1-1']],
])('projections on SQLite, %s', (_, projection, parked) => {
  let directory: string;
  let stores = 0;

  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'projection-faults-'))));
  afterAll(() => rm(directory, { recursive: true }));

  /** Documents, counters and parked keys, after as many starts as it takes. */
  const built = async (batchSize: number, faults: readonly Fault[]) => {
    const store = new SqliteReadStore({ directory: join(directory, `read-${(stores += 1)}`) });
    const flaky = withFaults(store, faults);
    await runToTheEnd(projection, () => flaky, batchSize);
    const outcome = await outcomeOf(projection, store);
    await store.close();
    return outcome;
  };

  it('end in the same state as without faults, whichever writes fail, stored or not', async () => {
    const expected = await built(1, []);
    expect(expected.parked.map(({ key }) => key)).toEqual(parked);
    const someFaults = fc.array(fc.constantFrom<Fault>('none', 'before', 'after'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 10 }), someFaults, async (batchSize, faults) => {
        expect(await built(batchSize, faults)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

/** The fault injected into a write: not stored, or stored although the call failed. */
type Fault = 'none' | 'before' | 'after';

function withFaults(store: SqliteReadStore, faults: readonly Fault[]): SqliteReadStore {
  let writes = 0;
  return Object.assign(Object.create(store) as SqliteReadStore, {
    async write(...args: Parameters<SqliteReadStore['write']>) {
      const fault = faults[writes] ?? 'none';
      writes += 1;
      if (fault === 'before') throw new CrashError();
      await store.write(...args);
      if (fault === 'after') throw new CrashError();
    },
  });
}
