import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '#apps/cli/session.js';
import { readSettings, Settings } from '#settings/index.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { eventually } from '#test/support/eventually.js';
import { startStandalone } from './standalone.js';

describe('all roles in one process with the log on a server', () => {
  let server: EventStoreServer;
  let dataDir: string;
  beforeEach(async () => {
    server = await startEventStoreServer();
    dataDir = await mkdtemp(join(tmpdir(), 'anneal-roles-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("take the operator's commands through the folder's socket, and the commands open it when they have ended", async () => {
    Object.assign(process.env, {
      ...{ PORT: '0', ANNEAL_DATA_DIR: dataDir, ANNEAL_EVENT_STORE: server.address },
      ...{ ANNEAL_SECRET_KEY: 'k'.repeat(32), ANNEAL_LOG_LEVEL: 'silent' },
    });
    const rebuilt = async () => (await Array.fromAsync(ask('projections.rebuild', { name: 'projects' }))).at(-1);
    const system = await startStandalone(readSettings(process.env));
    expect(await rebuilt()).toMatchObject({ name: 'projects', state: 'live', error: null });
    await system.close();
    expect(await rebuilt()).toMatchObject({ name: 'projects', state: 'live', error: null });
  });

  it('have a runner with its own name: another such process is another runner', async () => {
    const eventStore = { adapter: 'eventstoredb', address: server.address } as const;
    const system = await startStandalone(
      new Settings({ port: 0, dataDir, eventStore, secretKey: 'k'.repeat(32), logLevel: 'silent' }),
    );
    try {
      expect(await firstRunner(system.url)).toMatch(/-[0-9a-f]{8}$/);
    } finally {
      await system.close();
    }
  });

  /** The first name that the leader has heard. */
  const firstRunner = (url: string) =>
    eventually(async () => {
      const { details } = (await (await fetch(`${url}/health`)).json()) as {
        readonly details: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      };
      return Object.entries(details['runners']!).find(([, value]) => typeof value === 'object')?.[0];
    });
});
