import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithServer } from '#test/servers/describe.js';
import { primaryOf, temporaryDatabase } from '#test/servers/mongodb-database.js';
import { ScriptedReplicaSet } from '#test/servers/replica-set.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';

const ADMIN = { email: 'ada@example.com', password: 'correct horse battery' };
/** An election after an unplanned loss takes 10 to 12 s. */
const ELECTION_MS = 15_000;
const THINK_MS = 200;

describeWithServer('mongodb', (server) => {
  let database: ReturnType<typeof temporaryDatabase>;
  let set: ScriptedReplicaSet;
  let api: TestSystem;
  beforeAll(async () => {
    set = await ScriptedReplicaSet.before(await primaryOf(server));
    database = temporaryDatabase(set);
    const mongodb = { adapter: 'mongodb', address: database.address } as const;
    api = await startTestApi({
      ...{ readStore: mongodb, coordination: mongodb, rateLimits: false },
      ...{ adminEmail: ADMIN.email, adminPassword: ADMIN.password, secretKey: 'k'.repeat(64) },
    });
  });
  afterAll(async () => {
    await api.close();
    await database.drop();
    await set.close();
  });

  const ASKED = {
    list: () => api.call('GET', '/projects'),
    history: () => api.call('GET', '/inferences?limit=1'),
    'sign-in': () => api.call('POST', '/auth/sign-in', ADMIN, {}),
    session: () => api.call('GET', '/projects', undefined, { authorization: `Bearer ${api.session}` }),
    creation: () => api.call('POST', '/projects', { name: 'made' }),
  } as const satisfies Record<string, () => Promise<{ readonly status: number }>>;

  it('an election of 15 s costs answers of 503, and nothing more', async () => {
    const statuses = new Map(Object.keys(ASKED).map((name) => [name, [] as number[]]));
    let isOver = false;
    const clients = Object.entries(ASKED).map(async ([name, ask]) => {
      while (!isOver) {
        statuses.get(name)!.push((await ask()).status);
        await sleep(THINK_MS);
      }
    });
    set.hasPrimary = false;
    await sleep(ELECTION_MS);
    isOver = true;
    await Promise.all(clients);
    for (const [name, all] of statuses)
      expect({ name, odd: all.filter((status) => ![200, 201, 503].includes(status)) }).toEqual({ name, odd: [] });
    expect(new Set(statuses.get('list'))).toContain(503);
    set.hasPrimary = true;
    for (const ask of Object.values(ASKED)) await eventually(async () => (await ask()).status < 300);
  });
});
