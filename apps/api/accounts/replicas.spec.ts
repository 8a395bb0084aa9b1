import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { Application } from '#application/application.js';
import type { Ports } from '#application/ports.js';
import { createLogger } from '#apps/api/logging/logger.js';
import { openSecretKey } from '#secrets/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { createApi } from '../create-api.js';

/** A request made of a replica: when it began, on this process's clock, and how it was answered. */
interface Asked {
  readonly begun: number;
  readonly status: number;
}

const AT_ONCE = 4;
const ENOUGH = 40;

describe('several replicas of the API', () => {
  let api: TestApi;
  let replicas: { readonly url: string; readonly app: NestFastifyApplication; readonly application: Application }[];

  /** One whose checks are answered late: up to two seconds after what they saw. */
  const startReplica = async (latenessMs: number) => {
    const ports: Ports = {
      ...api.application.ports,
      eventStore: late(api.application.ports.eventStore, 'readStream', latenessMs),
      coordination: late(api.application.ports.coordination, 'get', latenessMs),
    };
    const application = new Application(ports, { severalReplicas: true });
    const { settings } = api;
    const secret = openSecretKey(settings.dataDir, null);
    const logger = createLogger('silent');
    const app = await createApi({ application, settings, secret, healthSources: [], logger });
    await app.listen(0, '127.0.0.1');
    return { app, application, url: await app.getUrl() };
  };

  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    replicas = [await startReplica(0), await startReplica(2_000)];
  });
  afterAll(async () => {
    for (const { app, application } of replicas) {
      await app.close();
      await application.close();
    }
    await api.close();
  });

  /** Asks both replicas all the time, while something is done and for a while after. @returns when that was answered */
  async function underLoad(path: string, headers: Record<string, string>, done: () => Promise<Response>) {
    const asked: Asked[] = [];
    let answeredAt = Infinity;
    const after = () => asked.filter(({ begun }) => begun > answeredAt);
    const load = replicas.flatMap(({ url }) =>
      Array.from({ length: AT_ONCE }, async () => {
        while (after().length < ENOUGH) {
          const begun = performance.now();
          const response = await fetch(url + path, { headers });
          await response.arrayBuffer();
          asked.push({ begun, status: response.status });
        }
      }),
    );
    const enough = async () => {
      while (asked.length < ENOUGH) await sleep(10);
    };
    await Promise.race([enough(), ...load]);
    const begun = performance.now();
    expect((await done()).status).toBe(200);
    answeredAt = performance.now();
    await Promise.all(load);
    return { before: asked.filter((each) => each.begun < begun), after: after() };
  }

  test('no request that begins after DELETE of a key was answered is let in by any of them', async () => {
    const [first] = replicas;
    const session = { authorization: `Bearer ${api.session}` };
    const { body } = await api.call('POST', '/create-api-key', { name: 'shared' }, session);
    const revoke = () =>
      fetch(`${first!.url}/delete-api-key`, {
        method: 'DELETE',
        headers: { ...session, 'content-type': 'application/json' },
        body: JSON.stringify({ key_id: body.id }),
      });
    const { before, after } = await underLoad('/list-api-keys', { 'x-api-key': body.secret_key }, revoke);
    expect(before.some(({ status }) => status === 200)).toBe(true);
    expect(after.length).toBeGreaterThanOrEqual(ENOUGH);
    expect(after.filter(({ status }) => status !== 401)).toEqual([]);
    // Nor after a second DELETE, which finds nothing left to do.
    expect((await revoke()).status).toBe(200);
  });

  test('no request that begins after sign-out was answered is let in by the session', async () => {
    const [first] = replicas;
    const headers = { authorization: `Bearer ${(await api.colleague()).session}` };
    const signOut = () => fetch(`${first!.url}/auth/sign-out`, { method: 'POST', headers });
    const { before, after } = await underLoad('/list-api-keys', headers, signOut);
    expect(before.some(({ status }) => status === 200)).toBe(true);
    expect(after.filter(({ status }) => status !== 401)).toEqual([]);
  });
});

/** The same, but one method's answers come later than they were true, by any time up to so many milliseconds. */
function late<T extends object>(port: T, method: keyof T, latenessMs: number): T {
  const lateness = () => sleep(Math.random() * latenessMs);
  const original = (port[method] as (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>).bind(port);
  const delayed = (...args: unknown[]) => {
    const answer = original(...args);
    if (answer instanceof Promise) return answer.then(async (value) => (await lateness(), value));
    return (async function* () {
      const all = await Array.fromAsync(answer);
      await lateness();
      yield* all;
    })();
  };
  return new Proxy(port, {
    get(target, property) {
      if (property === method) return delayed;
      const value = Reflect.get(target, property) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
