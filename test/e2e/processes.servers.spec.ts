import { join } from 'node:path';
import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import type { Distributed, DistributedSystem } from '#test/deployments/distributed.js';
import { deployDistributed, describeDistributed } from '#test/deployments/with-servers.js';
import { jsonLines, OPERATOR_SLIPS, runProgram } from '#test/support/run-program.js';

const DIST = join(import.meta.dirname, '..', '..');
const CLI = join(DIST, '..', 'apps', 'cli', 'bin', 'anneal.mjs');

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse battery' };

describeDistributed('two APIs, two workers and two runners', () => {
  let deployment: Distributed;
  let system: DistributedSystem;
  const key = newApiKey();

  beforeAll(async () => {
    deployment = await deployDistributed({ apis: 2, workers: 2, runners: 2 });
    system = await deployment.start({
      ANNEAL_BOOTSTRAP_API_KEY: key,
      ANNEAL_ADMIN_EMAIL: ACCOUNT.email,
      ANNEAL_ADMIN_PASSWORD: ACCOUNT.password,
    });
  });
  afterAll(async () => {
    await system.end();
    await deployment.remove();
  });

  const anneal = (...args: string[]) => runProgram(CLI, args, deployment.environment);
  const statusWith = async (url: string, secret: string) =>
    (await fetch(`${url}/list-api-keys`, { headers: { 'x-api-key': secret } })).status;
  const statuses = (secret: string) => Promise.all(system.apis.map(({ url }) => statusWith(url, secret)));
  interface Health {
    readonly details: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }

  it('accept the first key', async () => {
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('all refuse a deleted key once the DELETE has been answered', async () => {
    const made = await makeKey(new Client(system.apis[0]!.url), ACCOUNT, 'brief');
    expect(await statuses(made.secret_key)).toEqual([200, 200]);
    const { status } = await fetch(`${system.apis[1]!.url}/delete-api-key`, {
      method: 'DELETE',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ key_id: made.id }),
    });
    expect(status).toBe(200);
    expect(await statuses(made.secret_key)).toEqual([401, 401]);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it("read each other's writes", async () => {
    const [one, other] = system.apis.map(({ url }) => new Client(url, key));
    const { id } = await one!.post<{ id: string }>('/projects', { name: 'shared' });
    const has = ({ projects }: { projects: { id: string }[] }) => projects.some((project) => project.id === id);
    await other!.until('/projects', has, 300);
  });

  it('explain in health the work that other processes lead', async () => {
    const { details } = await new Client(system.apis[1]!.url, key).until<Health>(
      '/health',
      (health) => health.details['runners']?.['status'] === 'up' && !health.details['runners']['degraded'],
      20,
    );
    expect(details['projections']).toMatchObject({ status: 'up', 'api-keys': { state: 'live' } });
    expect(details['process-managers']).toMatchObject({ status: 'up' });
    const { status, degraded: _, ...runners } = details['runners']!;
    expect([status, Object.keys(runners)]).toEqual(['up', [expect.any(String), expect.any(String)]]);
  });

  it('are all reached by the operator from anywhere, with the same settings', async () => {
    const [made] = jsonLines((await anneal('key', 'create', 'laptop', '--json')).out);
    expect(await statuses(made.secretKey)).toEqual([200, 200]);
    const revoked = await anneal('key', 'revoke', made.id, '--json');
    expect([revoked.status, revoked.err]).toEqual([0, '']);
    expect(await statuses(made.secretKey)).toEqual([401, 401]);
    const replay = await anneal('events', 'replay', '--json');
    expect(jsonLines(replay.out).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['team-created.v1', 'api-key-created.v1', 'api-key-revoked.v1']),
    );
    expect(replay.out).not.toContain(key);
    const rebuilt = await anneal('projections', 'rebuild', 'api-keys', '--json');
    expect([rebuilt.status, rebuilt.err]).toEqual([0, '']);
    expect(jsonLines(rebuilt.out).at(-1)).toMatchObject({ name: 'api-keys', state: 'live' });
  });

  it.each(OPERATOR_SLIPS)('fail for %j with one helpful line', async (args, message) => {
    const { status, err } = await anneal(...args);
    expect(status).toBe(1);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/at .*\.js/);
  });

  const startOf = (role: string, name: string, value: string) =>
    runProgram(join(DIST, 'apps', role === 'gpu-runner' ? 'runner' : role, 'main.js'), [], {
      ...deployment.environment,
      PORT: '0',
      [name]: value,
    });

  const CANNOT_START = [
    ['api', 'ANNEAL_EVENT_STORE', ''],
    ['api', 'ANNEAL_BUS', 'in-process'],
    ['worker', 'ANNEAL_READ_STORE', 'sqlite:somewhere'],
    ['gpu-runner', 'ANNEAL_OBJECT_STORE', ''],
    ['gpu-runner', 'ANNEAL_OBJECT_STORE', 's3://bucket?hunter2=1'],
    ['gpu-runner', 'ANNEAL_BUS', 'nats://127.0.0.1:9?hunter2=1'],
  ] as const;
  it.each(CANNOT_START)('stop the start of %s with %s=%s with one line that names it', async (role, name, value) => {
    const { status, err } = await startOf(role, name, value);
    expect([status, err.trim().split('\n')]).toEqual([1, [expect.stringMatching(new RegExp(`^${name} `))]]);
  });

  it('stop the start within a minute if a server cannot be reached, with one line that names it', async () => {
    const unreached = [
      ['api', 'ANNEAL_EVENT_STORE', 'esdb://127.0.0.1:9?tls=false'],
      ['api', 'ANNEAL_READ_STORE', 'mongodb://127.0.0.1:9/nothing'],
      ['gpu-runner', 'ANNEAL_BUS', 'nats://127.0.0.1:9'],
      ['gpu-runner', 'ANNEAL_OBJECT_STORE', 's3://bucket?endpoint=http://127.0.0.1:9&region=us-east-1'],
    ] as const;
    const started = await Promise.all(unreached.map(([role, name, value]) => startOf(role, name, value)));
    expect(started.map(({ status, err }) => [status, err.trim().split('\n')])).toEqual(
      unreached.map(([, name]) => [1, [expect.stringMatching(new RegExp(`^${name} `))]]),
    );
  });
});
