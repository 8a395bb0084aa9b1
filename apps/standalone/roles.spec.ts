import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '#apps/cli/session.js';
import { readSettings, Settings } from '#settings/index.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { eventually } from '#test/support/eventually.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { startStandalone } from './standalone.js';

interface Answered {
  readonly error?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

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
    await eventually(async () => (await partsOf(system.url))['projections']?.['projects'] !== undefined);
    expect(await rebuilt()).toMatchObject({ name: 'projects', state: 'live', error: null });
    await system.close();
    expect(await rebuilt()).toMatchObject({ name: 'projects', state: 'live', error: null });
  });

  it('are not ready while the server has another log, and say which it knows and which it sees', async () => {
    const eventStore = { adapter: 'eventstoredb', address: server.address } as const;
    const key = newApiKey();
    const settings = { port: 0, dataDir, eventStore, secretKey: 'k'.repeat(32), bootstrapApiKey: key };
    const system = await startStandalone(new Settings({ ...settings, logLevel: 'silent' }));
    const get = async (path: string) => {
      const answer = await fetch(system.url + path, { headers: { 'x-api-key': key } });
      return { status: answer.status, body: (await answer.json()) as Answered };
    };
    try {
      await eventually(
        () => get('/projects'),
        ({ status }) => status === 200,
      );
      const { port } = server;
      await server.close();
      server = await startEventStoreServer({ port });
      const { body } = await eventually(
        () => get('/health'),
        ({ body }) => body.error?.['event-store']?.['reason'] === 'log_replaced',
      );
      expect(body.error!['event-store']).toMatchObject({ status: 'down', knows: expect.any(String), sees: null });
      expect((await get('/health/ready')).status).toBe(503);
      await eventually(
        () => get('/projects'),
        ({ status }) => status === 503,
      );
    } finally {
      await system.close();
    }
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

  const partsOf = async (url: string) => {
    const { details } = (await (await fetch(`${url}/health`)).json()) as {
      readonly details: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    return details;
  };

  /** The first name that the leader has heard. */
  const firstRunner = (url: string) =>
    eventually(async () => {
      const { runners } = await partsOf(url);
      return Object.entries(runners!).find(([, value]) => typeof value === 'object')?.[0];
    });
});
