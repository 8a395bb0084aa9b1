import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifyAudit } from '#apps/operator/audit.js';
import type { JsonObject } from '#domain/json.js';
import { openEventStoreDb } from '#ports/event-store/eventstoredb/index.js';
import { exactly, NO_STREAM, type EventToAppend, type ExpectedRevision } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { event } from '#ports/event-store/sqlite/store.fixture.js';
import { decodeSecret } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { openSecretKey } from '#test/support/open-secret-key.js';
import { compose, type System } from './compose.js';
import { locationsOf } from './locations.js';
import { startProblem } from './run-process.js';
import { requireSealed, type AcceptedEnd } from './seal-of-log.js';

describe('a log whose file was changed while no system ran', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-sealed-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const settings = () => new Settings({ dataDir, durability: 'normal', logLevel: 'silent' });
  const used = async <T>(use: (system: System) => Promise<T>, acceptEnd: AcceptedEnd | null = null): Promise<T> => {
    const system = await compose(settings(), { acceptEnd });
    try {
      return await use(system);
    } finally {
      await system.close();
    }
  };
  const append = ({ application }: System, ...events: readonly EventToAppend[]) =>
    application.storedEvents.append('thing-1', NO_STREAM, events);
  const refusal = () =>
    used(async () => null).then(
      () => null,
      (error: unknown) => startProblem(error),
    );
  const changed = (sql: string) => {
    const file = new DatabaseSync(join(dataDir, 'log.db'));
    file.exec(sql);
    file.close();
  };
  const unsealed = async () => {
    const { eventStore, objectStore, contentKeys: keys } = locationsOf(settings());
    const contents = { secret: openSecretKey(dataDir, null), keys };
    const found = await Array.fromAsync(verifyAudit({ eventStore, objectStore, keys: [], checkpoints: [], contents }));
    return (found as readonly JsonObject[]).filter(({ problem }) => problem === undefined || problem === 'unsealed');
  };

  it('is refused with the names of what was appended, until an operator accepts it with a reason', async () => {
    const promoted = event();
    await used((system) => append(system, promoted));
    expect(await unsealed()).toMatchObject([{ isSealed: true }]);
    // Replayed, as somebody would who has the folder and not the secret.
    const file = await openSqliteEventStore({ directory: dataDir });
    await file.append('thing-1', exactly(0), [promoted]);
    await file.close();

    expect(await refusal()).toMatch(
      /ends with 1 event that this installation did not write: happened\.v1 in thing-1 \(position \d+\).*audit accept --reason/,
    );
    expect(await unsealed()).toMatchObject([
      { problem: 'unsealed', position: expect.any(String), what: 'happened.v1 in thing-1, revision 1' },
      { verified: false, isSealed: false },
    ]);
    const given = { by: 'ada', reason: 'restored by hand' };
    const accepted = await used(
      ({ application }) => Array.fromAsync(application.storedEvents.readStream('log-seal')),
      given,
    );
    expect(accepted).toMatchObject([
      {
        type: 'log-end-accepted.v1',
        data: { reason: given.reason, events: 1, from: expect.any(String) },
        metadata: { by: 'ada' },
      },
    ]);
    expect(accepted[0]!.data).not.toHaveProperty('by');
    expect(await refusal()).toBeNull();
    await expect(used(async () => null, given)).rejects.toThrow('nothing to accept');
  });

  it.each([
    ['changed', `UPDATE events SET data = '{"what":"else"}', checksum = NULL WHERE revision = 1`],
    ['removed', 'DELETE FROM events WHERE position = (SELECT max(position) FROM events)'],
  ])('is refused after a crash when an event that no checkpoint covers was %s', async (_, sql) => {
    // Nothing was signed: a worker does that.
    await used((system) => append(system, event(), event()));
    expect(await refusal()).toBeNull();
    changed(sql);
    expect(await refusal()).toMatch(/were changed or removed since this installation wrote them/);
    expect(await unsealed()).toMatchObject([{ problem: 'unsealed' }, { verified: false }]);
  });

  it('is refused without its seal, which only a log of an earlier release lacks', async () => {
    await used((system) => append(system, event()));
    changed(`DELETE FROM meta WHERE name LIKE 'sealed%'`);
    expect(await refusal()).toMatch(/the seal of the event log is missing/);
    expect(await unsealed()).toMatchObject([{ problem: 'unsealed' }, { verified: false }]);
  });

  it('is sealed from the first start on, when an earlier release made it', async () => {
    const file = await openSqliteEventStore({ directory: dataDir });
    await file.append('thing-1', NO_STREAM, [event()]);
    await file.close();
    openSecretKey(dataDir, null);
    const accepted = () => used(({ application }) => Array.fromAsync(application.storedEvents.readStream('log-seal')));
    expect(await accepted()).toMatchObject([{ data: { events: null, reason: expect.any(String) } }]);
    expect(await accepted()).toHaveLength(1);
    changed(`DELETE FROM meta WHERE name LIKE 'sealed%'`);
    expect(await refusal()).toMatch(/the seal of the event log is missing/);
  });
});

describe('a log on EventStoreDB to which others append', () => {
  let dataDir: string;
  let server: EventStoreServer;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-sealed-'));
    server = await startEventStoreServer();
  });
  afterEach(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  const settings = () => {
    const eventStore = { adapter: 'eventstoredb', address: server.address } as const;
    return new Settings({ dataDir, eventStore, secretKey: 's'.repeat(40), logLevel: 'silent' });
  };
  const start = (acceptEnd: AcceptedEnd | null = null) => compose(settings(), { acceptEnd });
  const refusal = () =>
    start().then(
      async (system) => system.close().then(() => null),
      (error: unknown) => startProblem(error),
    );
  const appended = async (stream: string, expected: ExpectedRevision) => {
    const store = await openEventStoreDb({ address: server.address });
    await store.append(stream, expected, [event()]);
    await store.close();
  };
  const unsealed = async () => {
    const { eventStore, objectStore, contentKeys: keys } = locationsOf(settings());
    const contents = { secret: decodeSecret('s'.repeat(40)), keys };
    const found = await Array.fromAsync(verifyAudit({ eventStore, objectStore, keys: [], checkpoints: [], contents }));
    return (found as readonly JsonObject[]).filter(({ problem }) => problem === undefined || problem === 'unsealed');
  };

  it('starts with several replicas, and with none once an event has no MAC, until an operator accepts it', async () => {
    const replicas = await Promise.all([start(), start()]);
    const { eventStore } = replicas[0].application.ports;
    await eventStore.append('thing-1', NO_STREAM, [event()]);
    expect(await unsealed()).toMatchObject([{ isSealed: true }]);
    await appended('thing-1', exactly(0));
    for (const replica of replicas) {
      const thing = replica.application.ports.eventStore.readStream('thing-1');
      await expect(Array.fromAsync(thing)).rejects.toThrow('did not write: happened.v1 in thing-1');
      await replica.close();
    }
    expect(await refusal()).toMatch(/ends with 1 event that this installation did not write: .*audit accept --reason/);
    expect(await unsealed()).toMatchObject([
      { problem: 'unsealed', what: 'happened.v1 in thing-1, revision 1' },
      { verified: false, isSealed: false },
    ]);
    await (await start({ by: 'ada', reason: 'written by hand' })).close();
    expect(await unsealed()).toMatchObject([{ isSealed: true }]);
    expect(await refusal()).toBeNull();
  });

  it('starts beside a replica that writes its first events meanwhile', async () => {
    const secret = decodeSecret('s'.repeat(40));
    const [one, other] = [await openEventStoreDb(server), await openEventStoreDb(server)];
    const inspected = one.seal.inspect.bind(one.seal);
    jest.spyOn(one.seal, 'inspect').mockImplementationOnce(async (keys) => {
      const state = await inspected(keys);
      await requireSealed(other, secret);
      await other.append('thing-1', NO_STREAM, [event()]);
      return state;
    });
    await requireSealed(one, secret);
    expect(await Array.fromAsync(one.readStream('thing-1'))).toHaveLength(1);
    await one.close();
    await other.close();
  });

  it('begins its seal on the log of an earlier release once, and knows what an earlier secret has sealed', async () => {
    await appended('thing-1', NO_STREAM);
    const system = await start();
    const accepted = await Array.fromAsync(system.application.storedEvents.readStream('log-seal'));
    await system.close();
    expect(accepted).toMatchObject([{ data: { reason: 'the log is older than its seal' } }]);
    const other = { secretKey: 't'.repeat(40), secretKeyPrevious: 's'.repeat(40) };
    await (await compose(new Settings({ ...settings(), ...other }))).close();
    const later = await compose(new Settings({ ...settings(), secretKey: other.secretKey }));
    expect(await Array.fromAsync(later.application.storedEvents.readStream('log-seal'))).toHaveLength(1);
    await later.close();
  });
});
