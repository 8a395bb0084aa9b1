import fc from 'fast-check';
import { MongoConnection } from '#ports/read-store/mongodb/connection.js';
import { openMongoReadStore } from '#ports/read-store/mongodb/index.js';
import { MongoReadStore } from '#ports/read-store/mongodb/mongo-read-store.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';
import { stepwise, type Step } from '#ports/read-store/mongodb/stepwise-database.fixture.js';
import { describeWithOneServer, type NamedServer } from '#test/servers/describe.js';
import { useProjectionHost } from './host.fixture.js';
import { hostSuite } from './host.suite.js';
import { parkingSuite } from './parking.suite.js';
import type { Projection } from './projection.js';
import { rebuildSuite } from './rebuild.suite.js';
import { counted, CrashError, numbered, outcomeOf, runToTheEnd, things, uniqueThings } from './things.fixture.js';

describeWithOneServer('mongodb', (server) => {
  useHostOn(server);
  hostSuite();
  rebuildSuite();
  parkingSuite();
});

function useHostOn(server: NamedServer): void {
  useProjectionHost(async () => {
    const { address, drop } = temporaryDatabase(server);
    return { store: await openMongoReadStore({ address }), clear: drop };
  });
}

describeWithOneServer('mongodb', (server) => {
  let connection: MongoConnection;
  let drop: () => Promise<void>;
  beforeEach(() => {
    const database = temporaryDatabase(server);
    connection = new MongoConnection(database);
    drop = database.drop;
  });
  afterEach(async () => {
    await drop();
    await connection.close();
  });

  /** A writer without any state, on the same database. */
  const open = (step: Step = async () => {}) =>
    new MongoReadStore(
      Object.assign(Object.create(connection) as MongoConnection, { database: stepwise(connection.database, step) }),
    );
  const outcome = (projection: Projection) => outcomeOf(projection, open());
  const undisturbed = async (projection: Projection) => {
    await drop();
    await runToTheEnd(projection, open, 1);
    return outcome(projection);
  };

  it('parks what a unique index refuses, with any batch size', async () => {
    const expected = await undisturbed(uniqueThings);
    expect(expected.parked.map(({ key }) => key)).toEqual(['k1', 'k2', 'k3']);
    for (const batchSize of [7, 60]) {
      await drop();
      await runToTheEnd(uniqueThings, open, batchSize);
      expect(await outcome(uniqueThings)).toEqual(expected);
    }
  });

  describe.each<[string, Projection]>([
    ['documents that come and go', things],
    ['documents with numbers', numbered],
    ['documents that totals count', counted],
  ])('%s', (_, projection) => {
    it('crashes before or after any write to the server change nothing', async () => {
      const expected = await undisturbed(projection);
      const gaps = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(gaps, fc.integer({ min: 1, max: 60 }), async (at, batchSize) => {
          await drop();
          await runToTheEnd(projection, () => open(crashAt(at)), batchSize);
          expect(await outcome(projection)).toEqual(expected);
        }),
        { numRuns: 12, endOnFailure: true },
      );
    });

    it('two hosts that both believe they lead write the same as one', async () => {
      const expected = await undisturbed(projection);
      const size = fc.integer({ min: 3, max: 20 });
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), size, size, async (scheduler, one, other) => {
          await drop();
          const stepped = () => open((kind) => scheduler.schedule(Promise.resolve(), kind));
          const both = [runToTheEnd(projection, stepped, one), runToTheEnd(projection, stepped, other)];
          await scheduler.waitFor(Promise.all(both));
          expect(await outcome(projection)).toEqual(expected);
        }),
        { numRuns: 10, endOnFailure: true },
      );
    });
  });
});

/** Crashes at the given writes, each counted from the crash before. */
function crashAt(gaps: number[]): Step {
  let writes = 0;
  return async (kind) => {
    if (kind === 'read' || gaps.length === 0 || writes++ < gaps[0]!) return;
    gaps.shift();
    writes = 0;
    throw new CrashError();
  };
}
