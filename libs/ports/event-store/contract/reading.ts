import { LOG_CREATED } from '../log-created.js';
import { exactly, expectedAfter, NO_STREAM, StreamNotFoundError, type EventFilter, type EventStore } from '../port.js';
import { aStream, event, events, streamOf, type LogUnderTest } from './log-under-test.js';

export function reading(log: LogUnderTest): void {
  describe('reading a stream', () => {
    it('says at the first step that there is none', async () => {
      const missing = log.store.readStream(aStream())[Symbol.asyncIterator]();
      await expect(missing.next()).rejects.toBeInstanceOf(StreamNotFoundError);
    });

    it('reads forwards, backwards, from a revision, and at most a given number', async () => {
      const s = aStream();
      await log.store.append(s, NO_STREAM, events(6));
      await log.store.append(aStream(), NO_STREAM, events(2));
      const revisions = async (options?: Parameters<EventStore['readStream']>[1]) =>
        (await log.readStream(s, options)).map(({ revision }) => revision);
      expect(await revisions()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(await revisions({ direction: 'backwards' })).toEqual([5, 4, 3, 2, 1, 0]);
      expect(await revisions({ fromRevision: 4 })).toEqual([4, 5]);
      expect(await revisions({ fromRevision: 2, direction: 'backwards' })).toEqual([2, 1, 0]);
      expect(await revisions({ limit: 2 })).toEqual([0, 1]);
      expect(await revisions({ limit: 1, direction: 'backwards' })).toEqual([5]);
      expect(await revisions({ fromRevision: 3, limit: 2 })).toEqual([3, 4]);
      expect(await revisions({ fromRevision: 6 })).toEqual([]);
      expect(await revisions({ limit: 0 })).toEqual([]);
    });

    it('reads a stream of many pages in order, small and large events mixed', async () => {
      const s = aStream();
      const data = (n: number) => ({ n, text: 'x'.repeat(n % 100 === 0 ? 200_000 : n % 7) });
      for (let at = 0; at < 1500; at += 50) {
        const some = Array.from({ length: 50 }, (_, n) => event({ data: data(at + n) }));
        await log.store.append(s, expectedAfter(at - 1), some);
      }
      const forwards = await log.readStream(s);
      expect(forwards.map((recorded) => recorded.data['n'])).toEqual(Array.from({ length: 1500 }, (_, n) => n));
      expect(await log.readStream(s, { direction: 'backwards' })).toEqual(forwards.toReversed());
    });
  });

  describe('reading the log', () => {
    it('reads forwards and backwards, behind or before a position, and at most a given number', async () => {
      const [a, b] = [aStream(), aStream()];
      await log.store.append(a, NO_STREAM, events(3));
      await log.store.append(b, NO_STREAM, events(2));
      await log.store.append(a, exactly(2), events(1));
      const all = await log.readAll();
      expect(all.map((recorded) => [recorded.stream, recorded.revision])).toEqual([
        [a, 0],
        [a, 1],
        [a, 2],
        [b, 0],
        [b, 1],
        [a, 3],
      ]);
      expect(await log.readAll({ direction: 'backwards' })).toEqual(all.toReversed());
      expect(await log.readAll({ after: all[3]!.position })).toEqual(all.slice(4));
      expect(await log.readAll({ after: all[3]!.position, direction: 'backwards' })).toEqual(
        all.slice(0, 3).toReversed(),
      );
      expect(await log.readAll({ after: all[0]!.position, limit: 2 })).toEqual(all.slice(1, 3));
      expect(await log.readAll({ direction: 'backwards', limit: 1 })).toEqual(all.slice(-1));
      expect(await log.readAll({ after: all.at(-1)!.position })).toEqual([]);
    });

    it('filters by type, by category, and by both', async () => {
      const turns = ['job', 'joblog', 'key', 'job'].map((category) => streamOf(category));
      for (const s of turns) {
        await log.store.append(s, NO_STREAM, [
          event({ type: 'made.v1' }),
          event({ type: 'named.v1' }),
          event({ type: 'made.v2' }),
        ]);
      }
      const all = await log.readAll();
      const matching = (filter: EventFilter) =>
        all.filter(
          ({ type, stream: s }) =>
            (filter.types?.includes(type) ?? true) && (filter.categories?.includes(s.slice(0, s.indexOf('-'))) ?? true),
        );
      const filters: EventFilter[] = [
        { types: ['made.v1'] },
        { types: ['made.v1', 'made.v2'] },
        { categories: ['job'] },
        { categories: ['job', 'key'] },
        { types: ['named.v1', 'absent.v1'], categories: ['key', 'joblog'] },
        { types: ['absent.v1'] },
        {},
      ];
      for (const filter of filters) {
        expect(await log.readAll({ filter })).toEqual(matching(filter));
        expect(await log.readAll({ filter, direction: 'backwards' })).toEqual(matching(filter).toReversed());
        expect(await log.readAll({ filter, limit: 2, after: all[1]!.position })).toEqual(
          matching(filter)
            .filter(({ position }) => position > all[1]!.position)
            .slice(0, 2),
        );
      }
    });

    it('takes a category that is the beginning of another for itself only', async () => {
      const [thing, things] = [streamOf('thing'), streamOf('things')];
      await log.store.append(thing, NO_STREAM, events(1));
      await log.store.append(things, NO_STREAM, events(1));
      const found = await log.readAll({ filter: { categories: ['thing'] } });
      expect(found.map((recorded) => recorded.stream)).toEqual([thing]);
    });
  });

  describe('a single event of the log', () => {
    it('is found at its position, and nothing is where none stands', async () => {
      const { position: first } = await log.store.append(aStream(), NO_STREAM, events(2));
      const { position: second } = await log.store.append(aStream(), NO_STREAM, events(1));
      const all = await log.readAll();
      for (const event of all) expect(await log.store.eventAt(event.position)).toEqual(event);
      expect([first, second]).toEqual([all[1]!.position, all[2]!.position]);
    });

    it('is not to be found at what is no position', async () => {
      await expect(log.store.eventAt('somewhere')).rejects.toBeInstanceOf(RangeError);
    });
  });

  describe('a check', () => {
    it('finds an intact log intact, one with a deleted stream as well', async () => {
      const gone = aStream();
      await log.store.append(gone, NO_STREAM, events(2));
      await log.store.append(aStream(), NO_STREAM, events(3));
      await log.store.deleteStream(gone);
      const messages = await Array.fromAsync(log.store.check({ signal: AbortSignal.timeout(60_000) }));
      expect(messages.filter(({ kind }) => kind === 'damage')).toEqual([]);
      expect(messages.at(-1)).toMatchObject({ kind: 'checked', unchecked: 0 });
    });

    it('ends without a result when it is told to', async () => {
      await log.store.append(aStream(), NO_STREAM, events(3));
      const messages = await Array.fromAsync(log.store.check({ signal: AbortSignal.abort() }));
      expect(messages.filter(({ kind }) => kind === 'checked')).toEqual([]);
    });
  });

  describe('whether it takes writes', () => {
    it('is told before the first append and after one, and telling it stores no event', async () => {
      expect(await log.store.takesWrites()).toBe(true);
      const { position } = await log.store.append(aStream(), NO_STREAM, events(1));
      expect(await log.store.takesWrites()).toBe(true);
      if (log.traits.log === 'new') expect((await log.store.head()).position).toBe(position);
    });
  });

  describe('the head', () => {
    it('is at the last event, in a log that keeps its id', async () => {
      const { position } = await log.store.append(aStream(), NO_STREAM, events(2));
      const head = await log.store.head();
      if (log.traits.log === 'new') expect(head.position).toBe(position);
      else expect(head.position! >= position).toBe(true);
      const made = log.store.readAll({ filter: { types: [LOG_CREATED] } });
      expect((await Array.fromAsync(made)).map(({ id }) => id)).toEqual([head.logId]);
      if (log.traits.log === 'new') {
        const [first] = await Array.fromAsync(log.store.readAll({ limit: 1 }));
        expect(first!.id).toBe(head.logId);
      }
      await log.store.append(aStream(), NO_STREAM, events(1));
      expect((await log.store.head()).logId).toBe(head.logId);
    });
  });
}
