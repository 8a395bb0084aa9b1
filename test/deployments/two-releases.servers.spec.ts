import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { SpawnedRole } from '#apps/demo/system.js';
import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { projectDocuments } from '#projections/projects/queries.js';
import { eventually } from '#test/support/eventually.js';
import type { Distributed, DistributedSystem } from './distributed.js';
import { nextRelease } from './next-release.js';
import { deployDistributed, describeDistributed } from './with-servers.js';

const THINK_MS = 50;
const SETTINGS = { ANNEAL_RATE_LIMITS: 'off' };

describeDistributed('two releases side by side, of which the next has another version of a read model', () => {
  const key = newApiKey();
  let deployment: Distributed;
  let next: Awaited<ReturnType<typeof nextRelease>>;
  let old: DistributedSystem;
  let spawned: SpawnedRole[];
  beforeAll(async () => {
    spawned = [];
    next = await nextRelease();
    deployment = await deployDistributed({ apis: 1, workers: 1, runners: 0 });
    old = await deployment.start({ ...SETTINGS, ANNEAL_BOOTSTRAP_API_KEY: key });
  });
  afterAll(async () => {
    await Promise.all([old, ...spawned].map((process) => process.end()));
    await deployment.remove();
    await next.remove();
  });

  async function spawn(role: 'api' | 'worker'): Promise<SpawnedRole> {
    const { environment, directory } = deployment;
    const process = await next.spawnRole(role, directory, {
      ...environment,
      ...SETTINGS,
      PORT: role === 'api' ? '0' : '',
    });
    spawned.push(process);
    return process;
  }

  /** Lists projects all the time, until told to stop. @returns answers that were not 200 */
  function listing(url: string): () => Promise<readonly string[]> {
    let isOver = false;
    const odd: string[] = [];
    const asking = (async () => {
      while (!isOver) {
        const response = await fetch(`${url}/projects`, { headers: { 'x-api-key': key } });
        const body = await response.text();
        if (response.status !== 200) odd.push(`${response.status}: ${body}`);
        await sleep(THINK_MS);
      }
    })();
    return async () => {
      isOver = true;
      await asking;
      return odd;
    };
  }

  const namesBy = async (client: Client) =>
    (await client.get<{ projects: { name: string }[] }>('/projects')).projects.map(({ name }) => name);

  it('each process asks for its own, no list fails, and the old version goes with its last process', async () => {
    const byOld = new Client(old.url, key);
    for (const name of ['beta', 'Alpha']) await byOld.post('/projects', { name });
    expect(await namesBy(byOld)).toEqual(['Alpha', 'beta']);
    const oldIsOdd = listing(old.url);

    await spawn('worker');
    const url = new URL(/http:\/\/\S+/.exec((await spawn('api')).line)![0]).origin;
    await eventually(async () => (await fetch(`${url}/health/ready`)).status === 200);
    const nextIsOdd = listing(url);
    const byNext = new Client(url, key);
    await byNext.post('/projects', { name: 'Delta' });
    await byOld.post('/projects', { name: 'charlie' });
    await eventually(
      () => namesBy(byOld),
      (names) => names.join() === 'charlie,Delta,Alpha,beta',
    );
    await eventually(
      () => namesBy(byNext),
      (names) => names.join() === 'Alpha,beta,charlie,Delta',
    );

    expect(await oldIsOdd()).toEqual([]);
    await Promise.all(old.apis.map((api) => api.end()));
    await old.end();
    await byNext.post('/projects', { name: 'echo' });
    await eventually(
      () => namesBy(byNext),
      (names) => names.includes('echo'),
    );

    const database = await MongoClient.connect(deployment.environment['ANNEAL_READ_STORE']!);
    const kept = () => database.db().collection('read1_collections').find().toArray();
    await eventually(async () => !(await kept()).some(({ name }) => name === projectDocuments.collection));
    expect((await kept()).map(({ name }) => name as string)).toContain('projects-v2');
    await database.close();
    expect(await namesBy(byNext)).toEqual(['Alpha', 'beta', 'charlie', 'Delta', 'echo']);
    expect(await nextIsOdd()).toEqual([]);
  });
});
