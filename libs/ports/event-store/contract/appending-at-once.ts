import fc from 'fast-check';
import {
  exactly,
  expectedAfter,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventToAppend,
} from '../port.js';
import { appendDefinitely, aStream, events, type LogUnderTest } from './log-under-test.js';

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
        Array.from({ length: 5 }, () => appendDefinitely(log.store, s, NO_STREAM, own)),
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

    it('agrees with a model of streams, for any appends made at once, and deletions between them', async () => {
      const append = fc.record({
        stream: fc.nat({ max: 3 }),
        lastRevision: fc.integer({ min: -1, max: 4 }),
        count: fc.integer({ min: 1, max: 3 }),
        repeats: fc.integer({ min: 1, max: 3 }),
      });
      const turn = fc.record({
        appends: fc.array(append, { maxLength: 12 }),
        deleted: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
      });
      const property = fc.asyncProperty(fc.array(turn, { maxLength: 5 }), async (turns) => {
        const model = new Model(log);
        for (const { appends, deleted } of turns) {
          await model.appendAtOnce(appends);
          if (deleted !== null) await model.delete(deleted);
        }
        await model.agrees();
      });
      await fc.assert(property, { numRuns: 25 });
    });
  });
}

interface Append {
  readonly stream: number;
  readonly lastRevision: number;
  readonly count: number;
  /** Number of identical appends sent concurrently. */
  readonly repeats: number;
}

/** The acknowledged events of four streams: all of them must be there. */
class Model {
  private readonly names = Array.from({ length: 4 }, aStream);
  private readonly acknowledged = new Map<string, { readonly stream: string; readonly revision: number }>();

  constructor(private readonly log: LogUnderTest) {}

  async appendAtOnce(appends: readonly Append[]): Promise<void> {
    const calls = appends.flatMap(({ stream, lastRevision, count, repeats }) => {
      const own = events(count);
      const once = () => this.append(this.names[stream]!, lastRevision, own);
      return Array.from({ length: repeats }, once);
    });
    for (const result of await Promise.allSettled(calls)) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(WrongExpectedRevisionError);
    }
  }

  async delete(index: number): Promise<void> {
    const stream = this.names[index]!;
    const own = [...this.acknowledged].filter(([, event]) => event.stream === stream);
    const deleted = this.log.store.deleteStream(stream);
    if (own.length > 0) await deleted;
    else await expect(deleted).rejects.toBeInstanceOf(StreamNotFoundError);
    for (const [id] of own) this.acknowledged.delete(id);
    if (own.length === 0 || this.log.traits.deletedEvents === 'removed') return;
    // The name is not to be written again, and its events may be met in the log still.
    this.names[index] = aStream();
  }

  /** Asserts that exactly the acknowledged events are stored, once, at their revisions, without a gap. */
  async agrees(): Promise<void> {
    const stored = (await this.log.readAll()).filter(({ stream }) => this.names.includes(stream));
    expect(stored).toHaveLength(this.acknowledged.size);
    for (const { id, stream, revision } of stored) expect(this.acknowledged.get(id)).toEqual({ stream, revision });
    const positions = stored.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted());
    for (const events of Map.groupBy(stored, ({ stream }) => stream).values()) {
      expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    }
  }

  private async append(stream: string, lastRevision: number, own: readonly EventToAppend[]): Promise<void> {
    const { revision } = await appendDefinitely(this.log.store, stream, expectedAfter(lastRevision), own);
    expect(revision).toBe(lastRevision + own.length);
    for (const [index, { id }] of own.entries()) {
      this.acknowledged.set(id, { stream, revision: lastRevision + 1 + index });
    }
  }
}
