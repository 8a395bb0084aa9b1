import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { exactly, NO_STREAM, type EventFilter } from '../port.js';
import {
  aStream,
  event,
  events,
  eventsIn,
  reached,
  streamOf,
  subscribed,
  type LogUnderTest,
} from './log-under-test.js';

export function subscribing(log: LogUnderTest): void {
  describe('subscribing', () => {
    it('gives history, says that it is caught up, and goes on with live events', async () => {
      const history = [aStream(), aStream()];
      for (const s of history) await log.store.append(s, NO_STREAM, events(3));
      await using subscription = subscribed(log.store, { after: log.start });
      const caughtUp = await subscription.until((message) => message.kind === 'caught-up');
      expect(eventsIn(caughtUp)).toEqual(await log.readAll());
      const live = aStream();
      await log.store.append(live, NO_STREAM, events(2));
      const { position } = await log.store.append(live, exactly(1), events(1));
      expect(eventsIn(await subscription.until(reached(position)))).toEqual(await log.readStream(live));
    });

    it('begins behind a position', async () => {
      const s = aStream();
      await log.store.append(s, NO_STREAM, events(5));
      const all = await log.readStream(s);
      await using subscription = subscribed(log.store, { after: all[2]!.position });
      const messages = await subscription.until((message) => message.kind === 'caught-up');
      expect(eventsIn(messages)).toEqual(all.slice(3));
    });

    it('gives at most a batch at once', async () => {
      await log.store.append(aStream(), NO_STREAM, events(25));
      await using subscription = subscribed(log.store, {
        after: log.start,
        batchSize: 10,
        filter: { categories: ['thing'] },
      });
      const messages = await subscription.until((message) => message.kind === 'caught-up');
      const sizes = messages.flatMap((message) => (message.kind === 'events' ? [message.events.length] : []));
      expect(sizes.every((size) => size <= 10)).toBe(true);
      expect(eventsIn(messages)).toHaveLength(25);
    });

    it('filters history and live events, and says how far it has come without any', async () => {
      const wanted: EventFilter = { types: ['wanted.v1'], categories: ['job'] };
      const job = streamOf('job');
      await log.store.append(job, NO_STREAM, [event({ type: 'wanted.v1' }), event()]);
      const { position: unwanted } = await log.store.append(streamOf('key'), NO_STREAM, [event({ type: 'wanted.v1' })]);
      await using subscription = subscribed(log.store, { after: log.start, filter: wanted });
      const history = await subscription.until((message) => message.kind === 'caught-up');
      expect(eventsIn(history).map(({ stream: s, revision }) => [s, revision])).toEqual([[job, 0]]);
      expect(history.some((message) => message.kind === 'checkpoint' && message.position >= unwanted)).toBe(true);
      const { position } = await log.store.append(aStream(), NO_STREAM, events(1));
      const messages = await subscription.until(reached(position));
      expect(eventsIn(messages)).toEqual([]);
      await log.store.append(job, exactly(1), [event({ type: 'wanted.v1' })]);
      const live = await subscription.until((message) => message.kind === 'events');
      expect(eventsIn(live).map(({ revision }) => revision)).toEqual([2]);
    });

    it('gives live events no earlier than asked', async () => {
      let time = 0;
      await using subscription = subscribed(log.store, { after: log.start, notBefore: () => time });
      await subscription.until((message) => message.kind === 'caught-up');
      time = performance.now() + 100;
      const { position } = await log.store.append(aStream(), NO_STREAM, events(1));
      await subscription.until(reached(position));
      // Timers count whole milliseconds: they end up to two early.
      expect(performance.now()).toBeGreaterThan(time - 2);
    });

    it('gives events that may wait as soon as one comes that may not, all together and in order', async () => {
      const anHourLater = performance.now() + 3_600_000;
      const notBefore = (type: string) => (type === 'patient.v1' ? anHourLater : 0);
      await using subscription = subscribed(log.store, { after: log.start, notBefore });
      await subscription.until((message) => message.kind === 'caught-up');
      const s = aStream();
      await log.store.append(s, NO_STREAM, [event({ type: 'patient.v1' })]);
      await log.store.append(s, exactly(0), [event({ type: 'patient.v1' }), event({ type: 'hasty.v1' })]);
      const live = await subscription.until((message) => message.kind === 'events');
      expect(eventsIn(live).map(({ revision }) => revision)).toEqual([0, 1, 2]);
    });

    it('notices event types and categories that did not exist when it began', async () => {
      await using subscription = subscribed(log.store, {
        after: log.start,
        filter: { types: ['new.v1'], categories: ['novelty'] },
      });
      await subscription.until((message) => message.kind === 'caught-up');
      await log.store.append(streamOf('novelty'), NO_STREAM, [event({ type: 'new.v1' })]);
      const live = await subscription.until((message) => message.kind === 'events');
      expect(eventsIn(live).map(({ type }) => type)).toEqual(['new.v1']);
    });

    it('neither loses nor doubles an event while many are appended, wherever it begins', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 7 }), async (before, batchSize) => {
          const marker = `race-${randomUUID()}`;
          const category = `c${randomUUID().replaceAll('-', '')}`;
          const append = () => log.store.append(streamOf(category), NO_STREAM, events(2));
          const { position: start } = await log.store.append(marker, NO_STREAM, events(1));
          for (let n = 0; n < before; n += 1) await append();
          await using subscription = subscribed(log.store, {
            after: start,
            batchSize,
            filter: { categories: [category] },
          });
          const appended = Promise.all(Array.from({ length: 40 }, append));
          const [last] = (await appended).toSorted((a, b) => (a.position < b.position ? 1 : -1));
          const given = eventsIn(await subscription.until(reached(last!.position)));
          expect(given).toEqual(await log.readAll({ filter: { categories: [category] } }));
          expect(given).toHaveLength(2 * (before + 40));
        }),
        { numRuns: 10 },
      );
    });

    it('gives what came while it was not read, in order and once, and does not tell again that it is caught up', async () => {
      await using subscription = subscribed(log.store, { after: log.start });
      await subscription.until((message) => message.kind === 'caught-up');
      const appends = await Promise.all(
        Array.from({ length: 30 }, () => log.store.append(aStream(), NO_STREAM, events(50))),
      );
      const [last] = appends.toSorted((a, b) => (a.position < b.position ? 1 : -1));
      const messages = await subscription.until(reached(last!.position));
      expect(eventsIn(messages)).toEqual(await log.readAll({ after: log.start }));
      expect(messages.some(({ kind }) => kind === 'caught-up')).toBe(false);
    });

    it('ends when it is aborted, also while it waits, and at once when it was before', async () => {
      const abort = new AbortController();
      const subscription = subscribed(log.store, { after: log.start, signal: abort.signal });
      await subscription.until((message) => message.kind === 'caught-up');
      const rest = subscription.rest();
      abort.abort();
      expect(eventsIn(await rest)).toEqual([]);
      const aborted = log.store.subscribe({ after: log.start, signal: AbortSignal.abort() });
      expect(await Array.fromAsync(aborted)).toEqual([]);
    });

    it('ends when the store is closed', async () => {
      const subscription = subscribed(log.store, { after: log.start });
      await subscription.until((message) => message.kind === 'caught-up');
      const rest = subscription.rest();
      await log.store.close();
      expect(eventsIn(await rest)).toEqual([]);
    });

    it('gives what was not deleted, whatever was', async () => {
      const [gone, kept] = [aStream(), aStream()];
      await log.store.append(gone, NO_STREAM, events(3));
      const { position } = await log.store.append(kept, NO_STREAM, events(1));
      await log.store.deleteStream(gone);
      await using subscription = subscribed(log.store, { after: log.start });
      const messages = await subscription.until(reached(position));
      const given = eventsIn(messages).map((recorded) => recorded.stream);
      expect(given.filter((s) => s !== gone)).toEqual([kept]);
      if (log.traits.deletedEvents === 'removed') expect(given).not.toContain(gone);
    });
  });
}
