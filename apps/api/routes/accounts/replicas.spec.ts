import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKED_FOR_MS } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Ports } from '#application/ports.js';
import { createLogger } from '#primitives/logging/logger.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';
import { createApi } from '../../create-api.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

/** A request made of a replica: when it began and ended, monotonic, and how it was answered. */
interface Asked {
  readonly begun: number;
  readonly ended: number;
  readonly status: number;
}

/** Interval of the requests in milliseconds, and their number after the tested change. */
const EVERY_MS = 50;
const AFTER = 10;

describe('several replicas of the API', () => {
  let api: TestApi;
  let replicas: { readonly url: string; readonly app: NestFastifyApplication; readonly application: Application }[];

  /** The statuses of requests that start after each revocation was answered. */
  let answers: Promise<readonly number[][]>;

  /** @param latenessMs its checks are answered so much later than they were true */
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
    const app = await createApi({ application, settings, secret, engines: ENGINES, healthSources: [], logger });
    await app.listen(0, '127.0.0.1');
    return { app, application, url: await app.getUrl() };
  };

  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    replicas = await Promise.all([0, 0, 500, 2_000].map(startReplica));
    // Concurrent, because each spends seconds waiting.
    answers = Promise.all([revoking(), signingOut(), blocking()]);
  });
  afterAll(async () => {
    for (const { app, application } of replicas) {
      await app.close();
      await application.close();
    }
    await api.close();
  });

  /** Asks all replicas, whether they have answered or not, while something is done and for a while after. */
  async function underLoad(path: string, headers: Record<string, string>, done: () => Promise<Response>) {
    let answeredAt = Infinity;
    const loads = replicas.map(({ url }) => {
      const answered = Promise.withResolvers<void>();
      const ask = async (): Promise<Asked> => {
        const begun = performance.now();
        const { status } = await fetch(url + path, { headers });
        answered.resolve();
        return { begun, ended: performance.now(), status };
      };
      const load = async () => {
        const asked: Promise<Asked>[] = [];
        for (let after = 0; after < AFTER; after += performance.now() > answeredAt ? 1 : 0) {
          asked.push(ask());
          await sleep(EVERY_MS);
        }
        return Promise.all(asked);
      };
      return { answered: answered.promise, load: load() };
    });
    await Promise.all(loads.map(({ answered }) => answered));
    // The replicas start together and check about once a second: halfway through, each has something to forget.
    await sleep(CHECKED_FOR_MS / 2);
    const doneAt = performance.now();
    expect((await done()).status).toBe(200);
    answeredAt = performance.now();
    const asked = (await Promise.all(loads.map(({ load }) => load))).flat();
    // On a machine that is busy several times over some are told to come again.
    const statuses = (of: readonly Asked[]) =>
      [...new Set(of.map(({ status }) => status))].filter((one) => one !== 503);
    expect(statuses(asked.filter(({ ended }) => ended < doneAt))).toEqual([200]);
    return statuses(asked.filter(({ begun }) => begun > answeredAt));
  }

  const revoking = async () => {
    const [first] = replicas;
    const session = { authorization: `Bearer ${api.session}` };
    const { body } = await api.call('POST', '/create-api-key', { name: 'shared' }, session);
    const revoke = () =>
      fetch(`${first!.url}/delete-api-key`, {
        method: 'DELETE',
        headers: { ...session, 'content-type': 'application/json' },
        body: JSON.stringify({ key_id: body.id }),
      });
    return underLoad('/list-api-keys', { 'x-api-key': body.secret_key }, revoke);
  };

  const signingOut = async () => {
    const [first] = replicas;
    const headers = { authorization: `Bearer ${(await api.colleague()).session}` };
    const signOut = () => fetch(`${first!.url}/auth/sign-out`, { method: 'POST', headers });
    return underLoad('/list-api-keys', headers, signOut);
  };

  const blocking = async () => {
    const [team] = await operate(api, 'team.create', { name: 'Blocked' });
    const [member] = await operate(api, 'team.add-member', { email: 'mallory@example.com', team: team!['id']! });
    const signedIn = await fetch(member!['signInLink'] as string, { redirect: 'manual' });
    const headers = { cookie: (signedIn.headers.get('set-cookie') ?? '').split(';')[0]! };
    const { application } = replicas[0]!;
    const block = async () => {
      await operate({ ...api, application }, 'team.block', { team: 'Blocked' });
      return new Response();
    };
    return underLoad('/list-api-keys', headers, block);
  };

  it('refuse a deleted key in every request that starts after DELETE was answered', async () => {
    expect((await answers)[0]).toEqual([401]);
  });

  it('refuse a session in every request that starts after sign-out was answered', async () => {
    expect((await answers)[1]).toEqual([401]);
  });

  it('refuse a blocked account in every request that starts after the block was answered', async () => {
    expect((await answers)[2]).toEqual([401]);
  });
});

/** The same, but one method's answers come a number of milliseconds after they were true. */
function late<T extends object>(port: T, method: keyof T, latenessMs: number): T {
  const lateness = () => sleep(latenessMs);
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
