import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isLogCreated } from './log-created.js';
import {
  EventTooLargeError,
  exactly,
  expectedAfter,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventFilter,
  type EventStore,
  type EventToAppend,
  type Position,
  type ReadAllOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from './port.js';

export interface OpenedEventStore {
  readonly store: EventStore;
  /** Closes the store and removes what it kept. */
  readonly cleanup: () => Promise<void>;
}

/**
 * What every adapter of the event store port promises. Positions are asserted by order and uniqueness, never by value;
 * subscriptions are drained up to a known event or checkpoint, never by waiting.
 * @param open opens a store on a new, empty log
 */
export function eventStoreContract(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`event store contract: ${name}`, () => {
    let store: EventStore;
    let cleanup: () => Promise<void>;

    beforeEach(async () => {
      ({ store, cleanup } = await open());
    });
    afterEach(() => cleanup());

    const streamOf = (category: string) => `${category}-${randomUUID()}`;
    const stream = () => streamOf('thing');
    const readStream = (name: string, options?: Parameters<EventStore['readStream']>[1]) =>
      Array.fromAsync(store.readStream(name, options));
    const readAll = async (options?: ReadAllOptions) =>
      (await Array.fromAsync(store.readAll(options))).filter((event) => !isLogCreated(event));

    describe('appending', () => {
      it('counts revisions of a stream from 0, and gives back the last one', async () => {
        const s = stream();
        expect((await store.append(s, NO_STREAM, events(2))).revision).toBe(1);
        expect((await store.append(s, exactly(1), events(3))).revision).toBe(4);
        expect((await readStream(s)).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
      });

      it('stores events as they were given, whatever JSON can hold', async () => {
        const s = stream();
        const appended = event({
          type: 'strange.v1',
          data: {
            text: 'naïve ﷽ 🙂 \u0000 \ud800 "quoted" \\',
            nested: { list: [1, -0.5, 1e300, true, null, [], {}] },
            '': 'empty key',
          },
        });
        const { position } = await store.append(s, NO_STREAM, [appended]);
        const expected: RecordedEvent = { ...appended, stream: s, revision: 0, position };
        expect(await readStream(s)).toEqual([expected]);
        expect(await readAll()).toEqual([expected]);
      });

      it('gives rising positions across streams, as string order', async () => {
        const positions: Position[] = [];
        for (let n = 0; n < 20; n += 1) positions.push((await store.append(stream(), NO_STREAM, events(1))).position);
        expect(positions).toEqual(positions.toSorted());
        expect(new Set(positions).size).toBe(20);
        expect((await readAll()).map(({ position }) => position)).toEqual(positions);
      });

      it('refuses a new stream that is there, naming its revision', async () => {
        const s = stream();
        await store.append(s, NO_STREAM, events(3));
        const refused = store.append(s, NO_STREAM, events(1));
        await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        await expect(refused).rejects.toMatchObject({ stream: s, actualRevision: 2 });
      });

      it('refuses an exact revision of a stream that is not there', async () => {
        const refused = store.append(stream(), exactly(0), events(1));
        await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        await expect(refused).rejects.toMatchObject({ actualRevision: -1 });
      });

      it.each([
        ['behind', 0],
        ['ahead', 7],
      ])('refuses an exact revision %s of the stream, and stores nothing', async (_, revision) => {
        const s = stream();
        await store.append(s, NO_STREAM, events(3));
        await expect(store.append(s, exactly(revision), events(2))).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        expect(await readStream(s)).toHaveLength(3);
      });

      it('recognises an identical repeat, and answers as before', async () => {
        const s = stream();
        const [first, second] = [events(2), events(3)];
        const created = await store.append(s, NO_STREAM, first);
        expect(await store.append(s, NO_STREAM, first)).toEqual(created);
        const grown = await store.append(s, exactly(1), second);
        expect(await store.append(s, exactly(1), second)).toEqual(grown);
        // Also once the stream has gone on.
        expect(await store.append(s, NO_STREAM, first)).toEqual(created);
        expect((await readStream(s)).map(({ id }) => id)).toEqual([...first, ...second].map(({ id }) => id));
      });

      it('refuses other events at a revision that is taken, even if some are the same', async () => {
        const s = stream();
        const [a, b] = events(2) as [EventToAppend, EventToAppend];
        await store.append(s, NO_STREAM, [a]);
        await expect(store.append(s, NO_STREAM, [b])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        await expect(store.append(s, NO_STREAM, [a, b])).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        expect((await readStream(s)).map(({ id }) => id)).toEqual([a.id]);
      });

      it('refuses the same events at a revision that the stream is not at', async () => {
        const s = stream();
        const first = events(1);
        await store.append(s, NO_STREAM, first);
        await store.append(s, exactly(0), events(2));
        await expect(store.append(s, exactly(0), first)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
        await expect(store.append(s, exactly(1), first)).rejects.toBeInstanceOf(WrongExpectedRevisionError);
      });

      it('takes just under 1 MiB in one append and refuses more, storing nothing', async () => {
        const s = stream();
        const of = (characters: number) => event({ data: { text: 'x'.repeat(characters) } });
        await expect(store.append(s, NO_STREAM, [of(1024 * 1024)])).rejects.toBeInstanceOf(EventTooLargeError);
        const both = [of(600 * 1024), of(600 * 1024)];
        await expect(store.append(s, NO_STREAM, both)).rejects.toBeInstanceOf(EventTooLargeError);
        await expect(readStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
        const large = of(1000 * 1024);
        await store.append(s, NO_STREAM, [large]);
        expect((await readStream(s))[0]?.data).toEqual(large.data);
      });

      it('measures size in bytes, not in characters', async () => {
        const text = '€'.repeat(400 * 1024);
        const refused = store.append(stream(), NO_STREAM, [event({ data: { text } })]);
        await expect(refused).rejects.toBeInstanceOf(EventTooLargeError);
      });

      it('refuses an append without events', async () => {
        await expect(store.append(stream(), NO_STREAM, [])).rejects.toBeInstanceOf(RangeError);
      });
    });

    describe('appending at once', () => {
      it('lets one of many writers at the same revision win, and tells the others', async () => {
        const s = stream();
        await store.append(s, NO_STREAM, events(1));
        const writers = Array.from({ length: 20 }, () => events(2));
        const results = await Promise.allSettled(writers.map((own) => store.append(s, exactly(0), own)));
        const won = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
        expect(won).toHaveLength(1);
        for (const result of results) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(WrongExpectedRevisionError);
        }
        const winner = writers[won[0]!]!;
        expect((await readStream(s)).slice(1).map(({ id }) => id)).toEqual(winner.map(({ id }) => id));
      });

      it('recognises an identical repeat that is sent at the same time', async () => {
        const s = stream();
        const own = events(3);
        const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => store.append(s, NO_STREAM, own)));
        for (const other of others) expect(other).toEqual(first);
        expect(await readStream(s)).toHaveLength(3);
      });

      it('keeps one append that is refused from harming others', async () => {
        const streams = Array.from({ length: 30 }, stream);
        const wrong = (index: number) => index % 3 === 0;
        const results = await Promise.allSettled(
          streams.map((s, index) => store.append(s, wrong(index) ? exactly(5) : NO_STREAM, events(2))),
        );
        expect(results.map(({ status }) => status === 'rejected')).toEqual(streams.map((_, index) => wrong(index)));
        const stored = await readAll();
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
              const names = Array.from({ length: 4 }, stream);
              const acknowledged = new Map<string, { id: string; revision: number }>();
              for (const turn of turns) {
                const calls = turn.flatMap(({ stream, lastRevision, count, repeats }) => {
                  const own = events(count);
                  return Array.from({ length: repeats }, async () => {
                    const s = names[stream]!;
                    const { revision } = await store.append(s, expectedAfter(lastRevision), own);
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
              const log = (await readAll()).filter((recorded) => names.includes(recorded.stream));
              const positions = log.map(({ position }) => position);
              expect(positions).toEqual([...new Set(positions)].toSorted());
              // Exactly what was acknowledged is there, once, at the revision that was said, in a dense row.
              const there = log.map(({ id, stream: s, revision }) => ({ id: `${s}/${id}`, revision }));
              const bySome = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
              expect(there.toSorted(bySome)).toEqual([...acknowledged.values()].toSorted(bySome));
              for (const s of names) {
                const revisions = log.filter((recorded) => recorded.stream === s).map(({ revision }) => revision);
                expect(revisions).toEqual(revisions.map((_, index) => index));
              }
            },
          ),
          { numRuns: 25 },
        );
      });
    });

    describe('reading a stream', () => {
      it('says at the first step that there is none', async () => {
        const missing = store.readStream(stream())[Symbol.asyncIterator]();
        await expect(missing.next()).rejects.toBeInstanceOf(StreamNotFoundError);
      });

      it('reads forwards, backwards, from a revision, and at most so many', async () => {
        const s = stream();
        await store.append(s, NO_STREAM, events(6));
        await store.append(stream(), NO_STREAM, events(2));
        const revisions = async (options?: Parameters<EventStore['readStream']>[1]) =>
          (await readStream(s, options)).map(({ revision }) => revision);
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
        const s = stream();
        const data = (n: number) => ({ n, text: 'x'.repeat(n % 100 === 0 ? 200_000 : n % 7) });
        for (let at = 0; at < 1500; at += 50) {
          const some = Array.from({ length: 50 }, (_, n) => event({ data: data(at + n) }));
          await store.append(s, expectedAfter(at - 1), some);
        }
        const forwards = await readStream(s);
        expect(forwards.map((recorded) => recorded.data['n'])).toEqual(Array.from({ length: 1500 }, (_, n) => n));
        expect(await readStream(s, { direction: 'backwards' })).toEqual(forwards.toReversed());
      });
    });

    describe('reading the log', () => {
      it('reads forwards and backwards, behind or before a position, and at most so many', async () => {
        const [a, b] = [stream(), stream()];
        await store.append(a, NO_STREAM, events(3));
        await store.append(b, NO_STREAM, events(2));
        await store.append(a, exactly(2), events(1));
        const all = await readAll();
        expect(all.map((recorded) => [recorded.stream, recorded.revision])).toEqual([
          [a, 0],
          [a, 1],
          [a, 2],
          [b, 0],
          [b, 1],
          [a, 3],
        ]);
        expect(await readAll({ direction: 'backwards' })).toEqual(all.toReversed());
        expect(await readAll({ after: all[3]!.position })).toEqual(all.slice(4));
        expect(await readAll({ after: all[3]!.position, direction: 'backwards' })).toEqual(
          all.slice(0, 3).toReversed(),
        );
        expect(await readAll({ after: all[0]!.position, limit: 2 })).toEqual(all.slice(1, 3));
        expect(await readAll({ direction: 'backwards', limit: 1 })).toEqual(all.slice(-1));
        expect(await readAll({ after: all.at(-1)!.position })).toEqual([]);
      });

      it('filters by type, by category, and by both', async () => {
        const turns = ['job', 'joblog', 'key', 'job'].map((category) => streamOf(category));
        for (const s of turns) {
          await store.append(s, NO_STREAM, [
            event({ type: 'made.v1' }),
            event({ type: 'named.v1' }),
            event({ type: 'made.v2' }),
          ]);
        }
        const all = await readAll();
        const matching = (filter: EventFilter) =>
          all.filter(
            ({ type, stream: s }) =>
              (filter.types?.includes(type) ?? true) &&
              (filter.categories?.includes(s.slice(0, s.indexOf('-'))) ?? true),
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
          expect(await readAll({ filter })).toEqual(matching(filter));
          expect(await readAll({ filter, direction: 'backwards' })).toEqual(matching(filter).toReversed());
          expect(await readAll({ filter, limit: 2, after: all[1]!.position })).toEqual(
            matching(filter)
              .filter(({ position }) => position > all[1]!.position)
              .slice(0, 2),
          );
        }
      });

      it('takes a category that is the beginning of another for itself only', async () => {
        await store.append('thing-1', NO_STREAM, events(1));
        await store.append('things-1', NO_STREAM, events(1));
        const found = await readAll({ filter: { categories: ['thing'] } });
        expect(found.map((recorded) => recorded.stream)).toEqual(['thing-1']);
      });
    });

    describe('deleting a stream', () => {
      it('leaves none of its events, and no other out', async () => {
        const [gone, kept] = [stream(), stream()];
        await store.append(gone, NO_STREAM, events(600));
        await store.append(kept, NO_STREAM, events(2));
        await store.append(gone, exactly(599), events(1));
        await store.deleteStream(gone);
        await expect(readStream(gone)).rejects.toBeInstanceOf(StreamNotFoundError);
        expect((await readAll()).map((recorded) => recorded.stream)).toEqual([kept, kept]);
        expect((await readAll({ filter: { types: ['happened.v1'] } })).map((recorded) => recorded.stream)).toEqual([
          kept,
          kept,
        ]);
      });

      it('says that a stream is not there, or no longer', async () => {
        const s = stream();
        await expect(store.deleteStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
        await store.append(s, NO_STREAM, events(1));
        await store.deleteStream(s);
        await expect(store.deleteStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
      });

      it('lets the name be written again from revision 0, at positions never given before', async () => {
        const s = stream();
        const before = await store.append(s, NO_STREAM, events(3));
        await store.deleteStream(s);
        const { position: head } = await store.head();
        expect(head! >= before.position).toBe(true);
        await expect(store.append(s, exactly(2), events(1))).rejects.toMatchObject({ actualRevision: -1 });
        const after = await store.append(s, NO_STREAM, events(2));
        expect(after.revision).toBe(1);
        expect(after.position > before.position).toBe(true);
        const there = await readStream(s);
        expect(there).toHaveLength(2);
        expect(there.every(({ position }) => position > before.position)).toBe(true);
      });
    });

    describe('the head', () => {
      it('is at the last event, in a log that keeps its id', async () => {
        const { position } = await store.append(stream(), NO_STREAM, events(2));
        const head = await store.head();
        expect(head.position).toBe(position);
        const [first] = await Array.fromAsync(store.readAll({ limit: 1 }));
        expect(head.logId).toBe(first!.id);
        await store.append(stream(), NO_STREAM, events(1));
        expect((await store.head()).logId).toBe(head.logId);
      });
    });

    describe('subscribing', () => {
      it('gives history, says that it is caught up, and goes on with live events', async () => {
        const history = [stream(), stream()];
        for (const s of history) await store.append(s, NO_STREAM, events(3));
        await using subscription = subscribed(store, { after: null });
        const caughtUp = await subscription.until((message) => message.kind === 'caught-up');
        expect(eventsIn(caughtUp)).toEqual(await readAll());
        const live = stream();
        await store.append(live, NO_STREAM, events(2));
        const { position } = await store.append(live, exactly(1), events(1));
        expect(eventsIn(await subscription.until(reached(position)))).toEqual(await readStream(live));
      });

      it('begins behind a position', async () => {
        const s = stream();
        await store.append(s, NO_STREAM, events(5));
        const all = await readStream(s);
        await using subscription = subscribed(store, { after: all[2]!.position });
        const messages = await subscription.until((message) => message.kind === 'caught-up');
        expect(eventsIn(messages)).toEqual(all.slice(3));
      });

      it('gives at most a batch at once', async () => {
        await store.append(stream(), NO_STREAM, events(25));
        await using subscription = subscribed(store, { after: null, batchSize: 10, filter: { categories: ['thing'] } });
        const messages = await subscription.until((message) => message.kind === 'caught-up');
        const sizes = messages.flatMap((message) => (message.kind === 'events' ? [message.events.length] : []));
        expect(sizes.every((size) => size <= 10)).toBe(true);
        expect(eventsIn(messages)).toHaveLength(25);
      });

      it('filters history and live events, and says how far it has come without any', async () => {
        const wanted: EventFilter = { types: ['wanted.v1'], categories: ['job'] };
        const job = streamOf('job');
        await store.append(job, NO_STREAM, [event({ type: 'wanted.v1' }), event()]);
        const { position: unwanted } = await store.append(streamOf('key'), NO_STREAM, [event({ type: 'wanted.v1' })]);
        await using subscription = subscribed(store, { after: null, filter: wanted });
        const history = await subscription.until((message) => message.kind === 'caught-up');
        expect(eventsIn(history).map(({ stream: s, revision }) => [s, revision])).toEqual([[job, 0]]);
        expect(history.some((message) => message.kind === 'checkpoint' && message.position >= unwanted)).toBe(true);
        const { position } = await store.append(stream(), NO_STREAM, events(1));
        const messages = await subscription.until(reached(position));
        expect(eventsIn(messages)).toEqual([]);
        await store.append(job, exactly(1), [event({ type: 'wanted.v1' })]);
        const live = await subscription.until((message) => message.kind === 'events');
        expect(eventsIn(live).map(({ revision }) => revision)).toEqual([2]);
      });

      it('notices event types and categories that did not exist when it began', async () => {
        await using subscription = subscribed(store, {
          after: null,
          filter: { types: ['new.v1'], categories: ['novelty'] },
        });
        await subscription.until((message) => message.kind === 'caught-up');
        await store.append(streamOf('novelty'), NO_STREAM, [event({ type: 'new.v1' })]);
        const live = await subscription.until((message) => message.kind === 'events');
        expect(eventsIn(live).map(({ type }) => type)).toEqual(['new.v1']);
      });

      it('neither loses nor doubles an event while many are appended, wherever it begins', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 40 }),
            fc.integer({ min: 1, max: 7 }),
            async (before, batchSize) => {
              const marker = `race-${randomUUID()}`;
              const category = `c${randomUUID().replaceAll('-', '')}`;
              const append = () => store.append(streamOf(category), NO_STREAM, events(2));
              const { position: start } = await store.append(marker, NO_STREAM, events(1));
              for (let n = 0; n < before; n += 1) await append();
              await using subscription = subscribed(store, {
                after: start,
                batchSize,
                filter: { categories: [category] },
              });
              const appended = Promise.all(Array.from({ length: 40 }, append));
              const [last] = (await appended).toSorted((a, b) => (a.position < b.position ? 1 : -1));
              const given = eventsIn(await subscription.until(reached(last!.position)));
              expect(given).toEqual(await readAll({ filter: { categories: [category] } }));
              expect(given).toHaveLength(2 * (before + 40));
            },
          ),
          { numRuns: 10 },
        );
      });

      it('ends when it is aborted, also while it waits, and at once when it was before', async () => {
        const abort = new AbortController();
        const subscription = subscribed(store, { after: null, signal: abort.signal });
        await subscription.until((message) => message.kind === 'caught-up');
        const rest = subscription.rest();
        abort.abort();
        expect(eventsIn(await rest)).toEqual([]);
        const aborted = store.subscribe({ after: null, signal: AbortSignal.abort() });
        expect(await Array.fromAsync(aborted)).toEqual([]);
      });

      it('ends when the store is closed', async () => {
        const subscription = subscribed(store, { after: null });
        await subscription.until((message) => message.kind === 'caught-up');
        const rest = subscription.rest();
        await store.close();
        expect(eventsIn(await rest)).toEqual([]);
      });

      it('leaves the events of deleted streams out of history', async () => {
        const [gone, kept] = [stream(), stream()];
        await store.append(gone, NO_STREAM, events(3));
        const { position } = await store.append(kept, NO_STREAM, events(1));
        await store.deleteStream(gone);
        await using subscription = subscribed(store, { after: null });
        const messages = await subscription.until(reached(position));
        expect(eventsIn(messages).map((recorded) => recorded.stream)).toEqual([kept]);
      });
    });
  });
}

function event(fields: Partial<EventToAppend> = {}): EventToAppend {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type: 'happened.v1',
    data: { what: 'something' },
    metadata: {
      workspaceId: randomUUID(),
      actor: `user:${randomUUID()}`,
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: '2030-01-02T03:04:05.678Z',
    },
    ...fields,
  };
}

const events = (count: number): readonly EventToAppend[] => Array.from({ length: count }, () => event());

/** The events of some messages, without the log's own. */
const eventsIn = (messages: readonly SubscriptionMessage[]): readonly RecordedEvent[] =>
  messages
    .flatMap((message) => (message.kind === 'events' ? message.events : []))
    .filter((given) => !isLogCreated(given));

/** A message that says that all matching events up to a position have been given. */
const reached = (position: Position) => (message: SubscriptionMessage) =>
  (message.kind === 'events' && message.events.at(-1)!.position >= position) ||
  (message.kind === 'checkpoint' && message.position >= position);

/** A subscription that is read up to a message that must come; ended when it goes out of scope. */
function subscribed(store: EventStore, options: Omit<SubscribeOptions, 'signal'> & { signal?: AbortSignal }) {
  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal;
  const iterable = store.subscribe({ ...options, signal });
  const messages = iterable[Symbol.asyncIterator]() as AsyncIterator<SubscriptionMessage, undefined>;
  return {
    /** All messages up to the first that is as wanted, inclusive. */
    async until(wanted: (message: SubscriptionMessage) => boolean): Promise<readonly SubscriptionMessage[]> {
      const seen: SubscriptionMessage[] = [];
      for (;;) {
        const step = await messages.next();
        if (step.done) throw new Error(`the subscription ended after ${JSON.stringify(seen.map(({ kind }) => kind))}`);
        const message = step.value;
        seen.push(message);
        if (wanted(message)) return seen;
      }
    },
    /** All messages until it ends. */
    rest: (): Promise<readonly SubscriptionMessage[]> => Array.fromAsync({ [Symbol.asyncIterator]: () => messages }),
    async [Symbol.asyncDispose](): Promise<void> {
      abort.abort();
      await messages.return?.();
    },
  };
}
