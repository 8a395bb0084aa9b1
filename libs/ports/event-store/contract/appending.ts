import {
  EventTooLargeError,
  exactly,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from '../port.js';
import { aStream, event, events, type LogUnderTest } from './log-under-test.js';

export function appending(log: LogUnderTest): void {
  describe('appending', () => {
    it('counts revisions of a stream from 0, and gives back the last one', async () => {
      const s = aStream();
      expect((await log.store.append(s, NO_STREAM, events(2))).revision).toBe(1);
      expect((await log.store.append(s, exactly(1), events(3))).revision).toBe(4);
      expect((await log.readStream(s)).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
    });

    it('stores events as they were given, whatever JSON can hold', async () => {
      const s = aStream();
      const appended = event({
        type: 'strange.v1',
        data: {
          text: 'naïve ﷽ 🙂 \u0000 \ud800 "quoted" \\',
          nested: { list: [1, -0.5, 1e300, true, null, [], {}] },
          '': 'empty key',
        },
      });
      const { position } = await log.store.append(s, NO_STREAM, [appended]);
      const expected: RecordedEvent = { ...appended, stream: s, revision: 0, position };
      expect(await log.readStream(s)).toEqual([expected]);
      expect(await log.readAll()).toEqual([expected]);
    });

    it('gives rising positions across streams, as string order', async () => {
      const positions: Position[] = [];
      for (let n = 0; n < 20; n += 1)
        positions.push((await log.store.append(aStream(), NO_STREAM, events(1))).position);
      expect(positions).toEqual(positions.toSorted());
      expect(new Set(positions).size).toBe(20);
      expect((await log.readAll()).map(({ position }) => position)).toEqual(positions);
    });

    it('refuses a new stream that is there, naming its revision', async () => {
      const s = aStream();
      await log.store.append(s, NO_STREAM, events(3));
      const refused = log.store.append(s, NO_STREAM, events(1));
      await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(refused).rejects.toMatchObject({ stream: s, actualRevision: 2 });
    });

    it('refuses an exact revision of a stream that is not there', async () => {
      const refused = log.store.append(aStream(), exactly(0), events(1));
      await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(refused).rejects.toMatchObject({ actualRevision: -1 });
    });

    it.each([
      ['behind', 0],
      ['ahead', 7],
    ])('refuses an exact revision %s of the stream, and stores nothing', async (_, revision) => {
      const s = aStream();
      await log.store.append(s, NO_STREAM, events(3));
      await expect(log.store.append(s, exactly(revision), events(2))).rejects.toBeInstanceOf(
        WrongExpectedRevisionError,
      );
      expect(await log.readStream(s)).toHaveLength(3);
    });

    it('recognises an identical repeat, and answers as before', async () => {
      const s = aStream();
      const [first, second] = [events(2), events(3)];
      const created = await log.store.append(s, NO_STREAM, first);
      expect(await log.store.append(s, NO_STREAM, first)).toEqual(created);
      const grown = await log.store.append(s, exactly(1), second);
      expect(await log.store.append(s, exactly(1), second)).toEqual(grown);
      // An identical repeat also succeeds after later appends.
      expect(await log.store.append(s, NO_STREAM, first)).toEqual(created);
      expect((await log.readStream(s)).map(({ id }) => id)).toEqual([...first, ...second].map(({ id }) => id));
    });

    it('refuses other events at a revision that is taken, even if some are the same', async () => {
      const s = aStream();
      const [a, b] = events(2) as [EventToAppend, EventToAppend];
      await log.store.append(s, NO_STREAM, [a]);
      await expect(log.store.append(s, NO_STREAM, [b])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(log.store.append(s, NO_STREAM, [a, b])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      expect((await log.readStream(s)).map(({ id }) => id)).toEqual([a.id]);
    });

    it('refuses the same events at a revision that the stream is not at', async () => {
      const s = aStream();
      const first = events(1);
      await log.store.append(s, NO_STREAM, first);
      await log.store.append(s, exactly(0), events(2));
      await expect(log.store.append(s, exactly(0), first)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      await expect(log.store.append(s, exactly(1), first)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    });

    it('takes just under 1 MiB in one append and refuses more, storing nothing', async () => {
      const s = aStream();
      const of = (characters: number) => event({ data: { text: 'x'.repeat(characters) } });
      await expect(log.store.append(s, NO_STREAM, [of(1024 * 1024)])).rejects.toBeInstanceOf(EventTooLargeError);
      const both = [of(600 * 1024), of(600 * 1024)];
      await expect(log.store.append(s, NO_STREAM, both)).rejects.toBeInstanceOf(EventTooLargeError);
      await expect(log.readStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
      const large = of(1000 * 1024);
      await log.store.append(s, NO_STREAM, [large]);
      expect((await log.readStream(s))[0]?.data).toEqual(large.data);
    });

    it('measures size in bytes, not in characters', async () => {
      const text = '€'.repeat(400 * 1024);
      const refused = log.store.append(aStream(), NO_STREAM, [event({ data: { text } })]);
      await expect(refused).rejects.toBeInstanceOf(EventTooLargeError);
    });

    it('refuses an append without events', async () => {
      await expect(log.store.append(aStream(), NO_STREAM, [])).rejects.toBeInstanceOf(RangeError);
    });
  });
}
