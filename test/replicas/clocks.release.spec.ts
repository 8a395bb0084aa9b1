import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { eventually } from '#test/support/eventually.js';
import { startReplicas, type Replicas } from './replicas.js';

const admin = { email: 'ada@example.com', password: 'correct horse battery' };
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Runs work while this process's clock is off; threads and servers keep theirs, as other machines would. */
async function at<T>(offsetMs: number, work: () => Promise<T>): Promise<T> {
  const Real = Date;
  class Off extends Real {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [Real.now() + offsetMs] : given) as [number]));
    }
    static override now = () => Real.now() + offsetMs;
  }
  globalThis.Date = Off as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Real;
  }
}

describe.each(['SQLite', 'the double of EventStoreDB'])('two APIs on %s whose clocks differ', (store) => {
  let server: EventStoreServer | null = null;
  let replicas: Replicas;
  beforeAll(async () => {
    if (store !== 'SQLite') server = await startEventStoreServer({});
    replicas = await startReplicas({
      ...{ adminEmail: admin.email, adminPassword: admin.password },
      ...(server && { eventStore: { adapter: 'eventstoredb', address: server.address } }),
    });
  });
  afterAll(async () => {
    await replicas.close();
    await server?.close();
  });

  const make = (replica: 0 | 1, name: string, headers: Record<string, string> = {}) =>
    replicas.call(replica, 'POST', '/projects', { name }, { 'x-api-key': replicas.key, ...headers });
  const listed = async (names: readonly string[]) => {
    const { body } = await eventually(
      () => replicas.call(0, 'GET', '/projects?limit=100'),
      ({ body: answer }) => names.every((name) => JSON.stringify(answer).includes(`"${name}"`)),
    );
    return (body['data'] ?? body['projects']) as readonly { readonly id: string; readonly name: string }[];
  };

  it('store all that both acknowledge, in the order of the log, though times go back, and follow each resource as ever', async () => {
    const first = await at(DAY_MS, () => make(1, 'of tomorrow'));
    const second = await at(-HOUR_MS, () => make(0, 'of an hour ago'));
    const third = await make(1, 'of now');
    expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 200]);
    await listed(['of tomorrow', 'of an hour ago', 'of now']);
    const { body } = await replicas.call(0, 'GET', '/events/log?type=project-created.v1&limit=10&order=desc');
    const events = body['events'] as readonly {
      readonly occurred_at: string;
      readonly data: { readonly name: string };
    }[];
    expect(events.map(({ data }) => data.name).slice(0, 3)).toEqual(['of now', 'of an hour ago', 'of tomorrow']);
    const times = events.map((event) => Date.parse(event.occurred_at));
    expect([times[2]! > times[0]!, times[1]! < times[0]!]).toEqual([true, true]);
    // A stream whose next event is older than the one before.
    const path = `/projects/${String(first.body['id'])}`;
    expect((await at(-HOUR_MS, () => replicas.call(0, 'DELETE', path))).status).toBe(200);
    expect((await replicas.call(1, 'GET', path)).status).toBe(404);
  });

  it('answer a repeated request as the first time, whichever clock it meets', async () => {
    const repeated = { 'idempotency-key': `clock-${store}` };
    const { body } = await at(-HOUR_MS, () => make(0, 'once', repeated));
    for (const offset of [0, HOUR_MS, DAY_MS])
      expect((await at(offset, () => make(1, 'once', repeated))).body).toEqual(body);
    expect((await listed(['once'])).filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  it('admit a session that the other has opened, and none that either has ended', async () => {
    const signIn = () => replicas.call(0, 'POST', '/auth/sign-in', admin, {});
    for (const [opened, used] of [
      [HOUR_MS, 0],
      [-HOUR_MS, 0],
      [0, -HOUR_MS],
    ] as const) {
      const { status, body } = await at(opened, signIn);
      expect(status).toBe(200);
      const headers = { authorization: `Bearer ${String(body['session_token'])}` };
      const asked = (replica: 0 | 1) => replicas.call(replica, 'GET', '/projects', undefined, headers);
      expect([(await at(used, () => asked(1))).status, (await asked(0)).status]).toEqual([200, 200]);
      expect((await at(used, () => replicas.call(1, 'POST', '/auth/sign-out', undefined, headers))).status).toBe(200);
      expect([(await asked(0)).status, (await at(opened, () => asked(1))).status]).toEqual([401, 401]);
    }
  });

  it('have a log that is whole and not marked as another’s, and go on writing', async () => {
    expect((await make(0, 'afterwards')).status).toBe(200);
    const { body } = await replicas.call(0, 'GET', '/health', undefined, {});
    expect(JSON.stringify(body)).not.toMatch(/damaged|forged|unsealed/);
  });
});
