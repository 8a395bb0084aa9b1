import { createServer, connect, type Server, type Socket } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeWithServer } from '#test/servers/describe.js';
import { ReadStoreUnavailableError, type Collection } from '../port.js';
import { openMongoReadStore, type MongoReadStore } from './index.js';
import { byPort, primaryOf, temporaryDatabase } from '#test/servers/mongodb-database.js';

const notes: Collection = { name: 'notes', version: 1, indexes: [] };
const note = (position: number) => ({
  writes: [{ id: 'a', position: String(position), document: { position } }],
  checkpoint: { logId: 'log', position: String(position), eventId: null },
});

describeWithServer('mongodb', (server) => {
  const { address, drop } = temporaryDatabase(server);
  let wire: Wire;
  let store: MongoReadStore;
  beforeEach(async () => {
    wire = await Wire.to(await primaryOf(server));
    store = await through('serverSelectionTimeoutMS=300&connectTimeoutMS=300&socketTimeoutMS=300', 2_000);
  });
  const through = (options: string, deadlineMs: number) =>
    openMongoReadStore({ address: `${byPort({ address }, wire.port)}&${options}`, deadlineMs });
  afterEach(async () => {
    await store.close();
    await wire.close();
    await drop();
  });

  it.each(['cut', 'silent'] as const)(
    'a connection that is %s makes steps fail in time, and recovers by itself',
    async (how) => {
      // Sockets are patient for so short a time that a busy machine may need another try.
      const write = (position: number) =>
        back(async () => {
          await store.prepare(notes);
          await store.activate('notes', 1);
          await store.write(notes, note(position));
        });
      await write(1);
      wire.state = how;
      for (const step of [
        () => store.write(notes, note(2)),
        () => store.get('notes', 'a'),
        () => store.checkpoint(notes),
        () => store.prepare(notes),
      ]) {
        const error: unknown = await step().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ReadStoreUnavailableError);
      }
      wire.state = 'open';
      await write(3);
      await back(async () => expect(await store.get('notes', 'a')).toEqual({ position: 3 }));
    },
  );

  it('a query that is given up is ended, not sent again', async () => {
    await store.prepare(notes);
    await store.activate('notes', 1);
    const patient = await through('connectTimeoutMS=60000&socketTimeoutMS=60000', 1_000);
    expect(await patient.get('notes', 'a')).toBeNull();
    wire.state = 'silent';
    const sent = once(wire, 'find') as Promise<[Buffer, Socket]>;
    const answer = patient.get('notes', 'a').catch((error: unknown) => error);
    const [bytes, socket] = await sent;
    expect(bytes.includes('maxTimeMS')).toBe(true);
    const next = Promise.race([once(socket, 'close').then(() => 'ended'), once(wire, 'find').then(() => 'sent again')]);
    expect(await answer).toBeInstanceOf(ReadStoreUnavailableError);
    expect(await next).toBe('ended');
    await patient.close();
  });

  it('a server that is down when the store is opened is found once it is up', async () => {
    wire.state = 'cut';
    await expect(store.activeVersions()).rejects.toThrow(ReadStoreUnavailableError);
    wire.state = 'open';
    await back(() => store.activeVersions());
  });
});

/** Resolves once a step works. The driver looks for its server at its own pace. */
async function back(step: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await step();
      return;
    } catch (error) {
      if (!(error instanceof ReadStoreUnavailableError)) throw error;
      await nextTurn();
    }
  }
}

/** A network between the store and its server. Emits `find` with a query that it swallows, and its socket. */
class Wire extends EventEmitter {
  private readonly sockets = new Set<Socket>();
  private now: 'open' | 'cut' | 'silent' = 'open';

  private constructor(
    private readonly listener: Server,
    readonly port: number,
  ) {
    super();
  }

  /** @param upstream `host:port` */
  static async to(upstream: string): Promise<Wire> {
    const [host, port] = upstream.split(':') as [string, string];
    const listener = createServer();
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const wire = new Wire(listener, (listener.address() as { port: number }).port);
    listener.on('connection', (client) => wire.join(client, connect(Number(port), host)));
    return wire;
  }

  /** `cut` ends all connections and takes no new ones; `silent` swallows everything. */
  set state(state: 'open' | 'cut' | 'silent') {
    this.now = state;
    if (state !== 'silent') for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (bytes) => {
        if (this.now !== 'silent') to.write(bytes);
        else if (bytes.includes('find')) this.emit('find', bytes, from);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
    if (this.now === 'cut') client.destroy();
  }
}
