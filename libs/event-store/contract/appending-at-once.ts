import fc from 'fast-check';
import { exactly, expectedAfter, NO_STREAM, WrongExpectedRevisionError } from '../port.js';
import { aStream, events, type LogUnderTest } from './log-under-test.js';

export function appendingAtOnce(log: LogUnderTest): void {
  describe('appending at once', () => {
    it('lets one of many writers at the same revision win, and tells the others', async () => {
      const s = aStream();
      await log.store.append(s, NO_STREAM, events(1));
      const writers = Array.from({ length: 20 }, () => events(2));
      const results = await Promise.allSettled(writers.map((own) => log.store.append(s, exactly(0), own)));
      const won = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
      expect(won).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(WrongExpectedRevisionError);
      }
      const winner = writers[won[0]!]!;
      expect((await log.readStream(s)).slice(1).map(({ id }) => id)).toEqual(winner.map(({ id }) => id));
    });

    it('recognises an identical repeat that is sent at the same time', async () => {
      const s = aStream();
      const own = events(3);
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => log.store.append(s, NO_STREAM, own)),
      );
      for (const other of others) expect(other).toEqual(first);
      expect(await log.readStream(s)).toHaveLength(3);
    });

    it('keeps one append that is refused from harming others', async () => {
      const streams = Array.from({ length: 30 }, aStream);
      const wrong = (index: number) => index % 3 === 0;
      const results = await Promise.allSettled(
        streams.map((s, index) => log.store.append(s, wrong(index) ? exactly(5) : NO_STREAM, events(2))),
      );
      expect(results.map(({ status }) => status === 'rejected')).toEqual(streams.map((_, index) => wrong(index)));
      const stored = await log.readAll();
      for (const [index, s] of streams.entries()) {
        expect(stored.filter((recorded) => recorded.stream === s)).toHaveLength(wrong(index) ? 0 : 2);
      }
    });

    it('agrees with a model of streams, for any appends made at once', async () => {
      const append = fc.record({
        stream: fc.nat({ max: 3 }),
        lastRevision: fc.integer({ min: -1, max: 4 }),
        count: fc.integer({ min: 1, max: 3 }),
        repeats: fc.integer({ min: 1, max: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(append, { minLength: 1, maxLength: 12 }), { maxLength: 4 }),
          async (turns) => {
            const names = Array.from({ length: 4 }, aStream);
            const acknowledged = new Map<string, { id: string; revision: number }>();
            for (const turn of turns) {
              const calls = turn.flatMap(({ stream, lastRevision, count, repeats }) => {
                const own = events(count);
                return Array.from({ length: repeats }, async () => {
                  const s = names[stream]!;
                  const { revision } = await log.store.append(s, expectedAfter(lastRevision), own);
                  expect(revision).toBe(lastRevision + count);
                  own.forEach(({ id }, n) =>
                    acknowledged.set(id, { id: `${s}/${id}`, revision: lastRevision + 1 + n }),
                  );
                });
              });
              for (const result of await Promise.allSettled(calls)) {
                if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(WrongExpectedRevisionError);
              }
            }
            const stored = (await log.readAll()).filter((recorded) => names.includes(recorded.stream));
            const positions = stored.map(({ position }) => position);
            expect(positions).toEqual([...new Set(positions)].toSorted());
            // Exactly what was acknowledged is there, once, at the revision that was said, in a dense row.
            const there = stored.map(({ id, stream: s, revision }) => ({ id: `${s}/${id}`, revision }));
            const bySome = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
            expect(there.toSorted(bySome)).toEqual([...acknowledged.values()].toSorted(bySome));
            for (const s of names) {
              const revisions = stored.filter((recorded) => recorded.stream === s).map(({ revision }) => revision);
              expect(revisions).toEqual(revisions.map((_, index) => index));
            }
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}
