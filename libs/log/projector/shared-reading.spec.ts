import type { RecordedEvent, SubscribeOptions, SubscriptionMessage } from '#ports/event-store/port.js';
import { SharedReading } from './shared-reading.js';

const event = (position: number, type: string) => ({ position: String(position), type }) as RecordedEvent;
const events = (...given: readonly RecordedEvent[]): SubscriptionMessage => ({ kind: 'events', events: given });
const CAUGHT_UP: SubscriptionMessage = { kind: 'caught-up' };

/** Says some messages, then waits for more until nobody reads. */
function scripted(messages: readonly (SubscriptionMessage | Error)[]) {
  const asked: SubscribeOptions[] = [];
  return {
    asked,
    async *subscribe(options: SubscribeOptions) {
      asked.push(options);
      for (const message of messages) {
        if (message instanceof Error) throw message;
        yield message;
      }
      if (!options.signal.aborted) await new Promise((resolve) => options.signal.addEventListener('abort', resolve));
    },
  };
}

const never = new AbortController().signal;
const of = (...types: string[]) => ({ after: null, filter: { types }, signal: never });

/** The positions that were read until the end of history, or the number of events to stop after. */
async function read(reading: SharedReading, options: SubscribeOptions, most = Infinity): Promise<readonly string[]> {
  const seen: string[] = [];
  for await (const message of reading.subscribe(options)) {
    if (message.kind === 'caught-up') break;
    if (message.kind === 'events') seen.push(...message.events.map(({ position }) => position));
    if (seen.length >= most) break;
  }
  return seen;
}

describe('those who read the log from its start', () => {
  const history = [events(event(1, 'a'), event(2, 'b')), events(event(3, 'b')), events(event(4, 'a')), CAUGHT_UP];

  it('read it once together, and each gets the types that it asked for', async () => {
    const store = scripted(history);
    const reading = new SharedReading(store);
    const all = await Promise.all([read(reading, of('a')), read(reading, of('b')), read(reading, of('a', 'b'))]);
    expect(all).toEqual([
      ['1', '4'],
      ['2', '3'],
      ['1', '2', '3', '4'],
    ]);
    expect(store.asked.map(({ after, filter }) => ({ after, filter }))).toEqual([
      { after: null, filter: { types: ['a', 'b'] } },
    ]);
    expect(store.asked[0]!.signal.aborted).toBe(true);
  });

  it('do not wait for one that stops, fails or is stopped', async () => {
    const reading = new SharedReading(scripted(history));
    const failing = async () => {
      for await (const _ of reading.subscribe(of('a', 'b'))) throw new Error('it cannot go on');
    };
    const stopped = { ...of('a'), signal: AbortSignal.abort() };
    const all = await Promise.allSettled([
      read(reading, of('a', 'b'), 1),
      failing(),
      read(reading, stopped),
      read(reading, of('b')),
    ]);
    expect(all.map((each) => ('value' in each ? each.value : (each.reason as Error).message))).toEqual([
      ['1', '2'],
      'it cannot go on',
      [],
      ['2', '3'],
    ]);
  });

  it('all hear of an error of the log, and of trouble with it', async () => {
    const store = scripted([events(event(1, 'a')), new Error('damaged')]);
    const reading = new SharedReading(store);
    const told: string[] = [];
    const onTrouble = ({ message }: Error) => void told.push(message);
    const both = [read(reading, { ...of('a'), onTrouble }), read(reading, { ...of('b'), onTrouble })];
    expect((await Promise.allSettled(both)).map((each) => each.status === 'rejected' && each.reason)).toEqual([
      new Error('damaged'),
      new Error('damaged'),
    ]);
    store.asked[0]!.onTrouble!(new Error('away'));
    expect(told).toEqual(['away', 'away']);
  });

  it('are apart from those who go on from a place', async () => {
    const store = scripted(history);
    const reading = new SharedReading(store);
    await Promise.all([read(reading, of('a')), read(reading, { ...of('a'), after: '3' })]);
    expect(store.asked.map(({ after }) => after)).toEqual(['3', null]);
  });
});
