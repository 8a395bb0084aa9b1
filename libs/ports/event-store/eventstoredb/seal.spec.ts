import { randomBytes } from 'node:crypto';
import { LOG_END_ACCEPTED } from '#domain/log/events.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { eventually } from '#test/support/eventually.js';
import { events } from '../contract/log-under-test.js';
import { exactly, NO_STREAM, type EventToAppend, type LogDamagedError, type RecordedEvent } from '../port.js';
import { openEventStoreDb, openEventStoreDbReader, type EventStoreDb } from './index.js';
import { EventMacs } from './own-events.js';

describe('the seal of a log on EventStoreDB', () => {
  const key = randomBytes(32);
  const keys = [key];
  let server: EventStoreServer;
  let stranger: EventStoreDb;
  const opened: { close(): Promise<void> }[] = [];
  let damages: LogDamagedError[];
  beforeEach(async () => {
    server = await startEventStoreServer();
    stranger = await open();
    damages = [];
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await server.close();
  });

  const open = async (): Promise<EventStoreDb> => {
    const store = await openEventStoreDb({ address: server.address, onDamage: (error) => damages.push(error) });
    opened.push(store);
    return store;
  };
  const writer = async (): Promise<EventStoreDb> => {
    const store = await open();
    await store.seal.inspect(keys);
    await store.seal.begin(keys);
    return store;
  };
  const read = (store: Pick<EventStoreDb, 'readStream'>, stream: string) =>
    Array.fromAsync(store.readStream(stream)).then((all) => all.map(({ id }) => id));
  /** What an operator who accepts the end of the log appends. */
  const accept = async () => {
    const store = await open();
    await store.seal.inspect(keys);
    const [event] = events(1);
    await store.append('log-seal', NO_STREAM, [{ ...event!, type: LOG_END_ACCEPTED }]);
  };
  /** As the server has it, with its MAC. */
  const withMac = (event: RecordedEvent, macs = new EventMacs(keys)): EventToAppend => ({
    ...event,
    metadata: { ...event.metadata, mac: macs.of(event) } as RecordedEvent['metadata'],
  });

  it('knows what each writer with the secret wrote, and shows no MAC to readers', async () => {
    const [one, two] = [await writer(), await writer()];
    const own = events(3);
    await one.append('thing-1', NO_STREAM, own.slice(0, 1));
    await two.append('thing-1', exactly(0), own.slice(1));
    expect(await read(one, 'thing-1')).toEqual(own.map(({ id }) => id));
    const [first] = await Array.fromAsync(one.readStream('thing-1'));
    expect(first!.metadata).toEqual(own[0]!.metadata);
    expect(await one.seal.check()).toBe((await two.head()).position);
    expect(await stranger.seal.inspect(keys)).toEqual({ kind: 'whole' });
    expect(await stranger.seal.inspect([randomBytes(32), key])).toEqual({ kind: 'whole' });
    expect(await stranger.seal.inspect([randomBytes(32)])).toEqual({ kind: 'other-key' });
  });

  it('names events without it, also copies of own ones in another place and changed ones', async () => {
    const one = await writer();
    await one.append('thing-1', NO_STREAM, events(1));
    const [own] = (await Array.fromAsync(one.readStream('thing-1'))) as [RecordedEvent];
    const [plain] = events(1);
    await stranger.append('thing-1', exactly(0), [withMac(own)]);
    await stranger.append('thing-2', NO_STREAM, [
      withMac({ ...own, stream: 'thing-2', data: { what: 'else' } }, new EventMacs([randomBytes(32)])),
    ]);
    await stranger.append('thing-3', NO_STREAM, [plain!]);
    const { type } = own;
    expect(await stranger.seal.inspect(keys)).toEqual({
      ...{ kind: 'longer', count: 3 },
      events: [
        { stream: 'thing-1', revision: 1, type, position: expect.any(String) },
        { stream: 'thing-2', revision: 0, type, position: expect.any(String) },
        { stream: 'thing-3', revision: 0, type, position: expect.any(String) },
      ],
    });
  });

  it('lets nothing act on an event of others, or behind it, until an operator has accepted it', async () => {
    const one = await writer();
    const [before, after] = [events(1), events(1)];
    const ending = new AbortController();
    const seen: string[] = [];
    const troubles: string[] = [];
    const following = (async () => {
      const { signal } = ending;
      const onTrouble = ({ message }: Error) => void troubles.push(message);
      for await (const message of one.subscribe({ after: null, signal, onTrouble }))
        if (message.kind === 'events') seen.push(...message.events.map(({ id }) => id));
    })();
    await one.append('thing-1', NO_STREAM, before);
    const theirs = events(1);
    await stranger.append('thing-1', exactly(0), theirs);
    await eventually(() => troubles.length > 0);
    const said = /ends with 1 event that this installation did not write: .* in thing-1/;
    expect(troubles[0]).toMatch(said);
    expect(seen).toContain(before[0]!.id);
    await expect(read(one, 'thing-1')).rejects.toThrow(said);
    await expect(one.append('thing-9', NO_STREAM, events(1))).rejects.toThrow(said);
    await expect(one.seal.check()).rejects.toThrow(said);
    expect(await one.takesWrites()).toBe(false);
    expect(damages.length).toBeGreaterThan(0);
    const thread = openEventStoreDbReader({ address: server.address, sealKeys: keys });
    opened.push(thread);
    await expect(read(thread, 'thing-1')).rejects.toThrow(said);

    await accept();
    expect(await stranger.seal.inspect(keys)).toEqual({ kind: 'whole' });
    await one.append('thing-1', exactly(1), after);
    await eventually(() => seen.includes(after[0]!.id));
    expect(seen).toContain(theirs[0]!.id);
    const all = [...before, ...theirs, ...after].map(({ id }) => id);
    expect([await read(one, 'thing-1'), await read(thread, 'thing-1')]).toEqual([all, all]);
    expect(await one.takesWrites()).toBe(true);
    ending.abort();
    await following;
  });

  it('is not accepted by an event of others that says so', async () => {
    const one = await writer();
    await one.append('thing-1', NO_STREAM, events(1));
    const [event] = events(1);
    await stranger.append('thing-2', NO_STREAM, events(1));
    await stranger.append('log-seal', NO_STREAM, [{ ...event!, type: LOG_END_ACCEPTED }]);
    await expect(one.seal.check()).rejects.toThrow('did not write');
    expect(await stranger.seal.inspect(keys)).toMatchObject({ kind: 'longer', count: 2 });
  });

  it('is absent from a log of an earlier release, until it begins', async () => {
    await stranger.append('thing-1', NO_STREAM, events(2));
    expect(await stranger.seal.inspect(keys)).toEqual({ kind: 'none' });
    await accept();
    const one = await writer();
    expect(await read(one, 'thing-1')).toHaveLength(2);
    expect(await (await open()).seal.inspect(keys)).toEqual({ kind: 'whole' });
  });
});
