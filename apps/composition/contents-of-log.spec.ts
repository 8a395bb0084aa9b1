import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsOf } from '#ports/event-store/log-created.js';
import { openEventStoreDb } from '#ports/event-store/eventstoredb/index.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { Settings } from '#settings/index.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { compose } from './compose.js';

type Ways = 'plain' | 'encrypted';

describe.each(['sqlite', 'eventstoredb'] as const)('contents of calls in a log on %s', (adapter) => {
  let dataDir: string;
  let server: EventStoreServer | null = null;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-contents-'));
    if (adapter === 'eventstoredb') server = await startEventStoreServer();
  });
  afterEach(async () => {
    await server?.close();
    await rm(dataDir, { recursive: true });
  });

  /** Starts and reads from the log the ways that it began with and that are in force. */
  const started = async (callContents: Ways | null) => {
    const onServer: Partial<Settings> = server
      ? { eventStore: { adapter: 'eventstoredb', address: server.address } }
      : {};
    const system = await compose(
      new Settings({ dataDir, logLevel: 'silent', callContents, secretKey: 's'.repeat(40), ...onServer }),
    );
    const { contents } = await factsOf(system.application.ports.eventStore);
    const health = await system.healthSources.find(({ name }) => name === 'content-keys')!.check();
    await system.close();
    expect(health.details['contents']).toBe(system.application.deployment.encryptsContents ? 'encrypted' : 'plain');
    return { begun: contents, inForce: health.details['contents'] };
  };

  it('are encrypted in a new log, and a setting overrides this at each start', async () => {
    expect(await started(null)).toEqual({ begun: 'encrypted', inForce: 'encrypted' });
    expect(await started('plain')).toEqual({ begun: 'encrypted', inForce: 'plain' });
    expect(await started(null)).toEqual({ begun: 'encrypted', inForce: 'encrypted' });
  });

  it('stay plain if the log began with that setting', async () => {
    expect(await started('plain')).toEqual({ begun: 'plain', inForce: 'plain' });
    expect(await started(null)).toEqual({ begun: 'plain', inForce: 'plain' });
    expect(await started('encrypted')).toEqual({ begun: 'plain', inForce: 'encrypted' });
  });

  it('stay plain if the log does not say that they are encrypted', async () => {
    if (server) await (await openEventStoreDb({ address: server.address })).close();
    else await (await openSqliteEventStore({ directory: dataDir })).close();
    expect(await started(null)).toEqual({ begun: undefined, inForce: 'plain' });
  });
});
