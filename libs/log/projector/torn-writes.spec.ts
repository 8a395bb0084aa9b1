import fc from 'fast-check';
import type { ReadStore } from '#ports/read-store/port.js';
import type { Projection } from './projection.js';
import { ProjectionRunner } from './runner.js';
import {
  counted,
  CrashError,
  logOf,
  numbered,
  outcomeOf,
  runToTheEnd,
  things,
  thingsThatHappen,
} from './things.fixture.js';
import { TornPlace, TornStore } from './torn-store.fixture.js';

/**
 * Promises that survive a store which applies batches piecemeal: documents, ordinals, counters, checkpoint and parked
 * keys equal those of an undisturbed run.
 */
describe.each<[string, Projection]>([
  ['documents that come and go', things],
  ['documents with numbers', numbered],
  ['documents that totals count', counted],
])('%s', (_, projection) => {
  const outcome = (place: TornPlace) => outcomeOf(projection, new TornStore(place));
  const undisturbed = async (batchSize: number) => {
    const place = new TornPlace();
    await runToTheEnd(projection, () => new TornStore(place), batchSize);
    return outcome(place);
  };

  it('the batch size makes no difference', async () => {
    const expected = await undisturbed(1);
    expect(expected.documents.length).toBeGreaterThan(3);
    expect(expected.parked.length).toBeGreaterThan(0);
    for (const batchSize of [2, 7, 60]) expect(await undisturbed(batchSize)).toEqual(expected);
  });

  it.each([1, 3, 11, 60])('a crash before any single write, in batches of %d, changes nothing', async (batchSize) => {
    const expected = await undisturbed(batchSize);
    for (let at = 0; ; at += 1) {
      const place = new TornPlace();
      const crash = crashAt([at]);
      await runToTheEnd(projection, () => new TornStore(place, crash.step), batchSize);
      expect(await outcome(place)).toEqual(expected);
      if (crash.left() > 0) break;
    }
  });

  it('any number of crashes, with other batch sizes at each start, change nothing', async () => {
    const expected = await undisturbed(1);
    const crashes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(crashes, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), async (gaps, sizes) => {
        const place = new TornPlace();
        const crash = crashAt(gaps);
        let starts = 0;
        for (;;) {
          const size = sizes[starts % sizes.length]!;
          starts += 1;
          const ended = await once(() => runOnce(projection, new TornStore(place, crash.step), size));
          if (ended) break;
        }
        expect(await outcome(place)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('two hosts that both believe they lead, in any interleaving, write the same as one', async () => {
    const expected = await undisturbed(1);
    const size = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), size, size, async (scheduler, one, other) => {
        const place = new TornPlace();
        const open = () => new TornStore(place, (kind) => scheduler.schedule(Promise.resolve(), kind));
        const both = [runToTheEnd(projection, open, one), runToTheEnd(projection, open, other)];
        await scheduler.waitFor(Promise.all(both));
        expect(await outcome(place)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('the documents are the same when both crash now and then', async () => {
    const expected = await undisturbed(1);
    const gaps = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), gaps, fc.integer({ min: 1, max: 20 }), async (scheduler, at, size) => {
        const place = new TornPlace();
        const crash = crashAt(at);
        const open = () =>
          new TornStore(place, async (kind) => {
            await scheduler.schedule(Promise.resolve(), kind);
            await crash.step(kind);
          });
        await scheduler.waitFor(Promise.all([runToTheEnd(projection, open, 7), runToTheEnd(projection, open, size)]));
        expect(await outcome(place)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

/** Crashes at the given writes, each counted from the crash before. */
function crashAt(gaps: readonly number[]) {
  const waiting = [...gaps];
  let writes = 0;
  return {
    left: () => waiting.length,
    step: async (kind: 'read' | 'write'): Promise<void> => {
      if (kind === 'read' || waiting.length === 0) return;
      if (writes++ < waiting[0]!) return;
      waiting.shift();
      writes = 0;
      throw new CrashError();
    },
  };
}

async function runOnce(projection: Projection, readStore: ReadStore, batchSize: number): Promise<void> {
  const runner = new ProjectionRunner(projection, { eventStore: logOf(thingsThatHappen), readStore });
  await runner.open();
  await runner.catchUp(new AbortController().signal, batchSize);
  await runner.flush();
}

/** @returns whether it ended well */
const once = (run: () => Promise<void>): Promise<boolean> =>
  run().then(
    () => true,
    (error: unknown) => {
      if (error instanceof CrashError) return false;
      throw error;
    },
  );
