import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { spawnRole, type SpawnedRole, type SpawnedSystem } from '#apps/demo/system.js';
import { openS3ObjectStore } from '#ports/object-store/s3/index.js';
import { testServers, type NamedServer, type TestServers } from '#test/servers/describe.js';
import { removeFolder } from '#test/support/remove-folder.js';
import type { Deployment } from './deployment.js';
import { untilReady } from './ready.js';

/** Number of processes of each role. */
export interface Processes {
  readonly apis: number;
  readonly workers: number;
  readonly runners: number;
}

/** Processes of one role each, on servers. */
export interface DistributedSystem extends SpawnedSystem {
  readonly apis: readonly (SpawnedRole & { readonly url: string })[];
  readonly workers: readonly SpawnedRole[];
  readonly runners: readonly SpawnedRole[];
}

export interface Distributed extends Deployment {
  /** The environment that joins a process to this deployment. */
  readonly environment: Readonly<Record<string, string>>;
  /** A folder that processes may share. */
  readonly directory: string;
  start(settings?: Readonly<Record<string, string>>): Promise<DistributedSystem>;
  spawn(role: 'api' | 'worker' | 'gpu-runner', settings?: Readonly<Record<string, string>>): Promise<SpawnedRole>;
}

/** Addresses of a deployment's servers; default: those that the tests were given. */
export interface ServerAddresses {
  readonly eventStore: string;
  readonly mongodb: string;
  readonly nats: string;
  readonly s3: string;
}

/** The kinds of server that a deployment needs. */
export const NEEDED: readonly (keyof TestServers)[] = ['esdb', 'mongodb', 'nats', 's3'];

/**
 * Separate processes on a database, a bus prefix and an object prefix of their own.
 * @param eventStore the address of a log of its own
 */
export async function distributed(
  processes: Processes,
  servers: Pick<ServerAddresses, 'eventStore'> & Partial<ServerAddresses>,
): Promise<Distributed> {
  const id = `t${randomBytes(6).toString('hex')}`;
  const directory = await mkdtemp(join(tmpdir(), 'anneal-e2e-'));
  const documents = servers.mongodb ?? first('mongodb').address;
  const mongodb = withPath(documents, id);
  const coordination = withPath(documents, `coordination-${id}`);
  const objects = withPath(servers.s3 ?? first('s3').address, id);
  const environment = {
    ANNEAL_DATA_DIR: directory,
    ANNEAL_SECRET_KEY: randomBytes(24).toString('hex'),
    ANNEAL_EVENT_STORE: servers.eventStore,
    ANNEAL_READ_STORE: mongodb,
    ANNEAL_COORDINATION: coordination,
    ANNEAL_BUS: withQuery(servers.nats ?? first('nats').address, 'prefix', id),
    ANNEAL_OBJECT_STORE: objects,
  };
  const spawn: Distributed['spawn'] = (role, settings = {}) =>
    spawnRole(role, directory, { ...environment, PORT: role === 'api' ? '0' : '', ...settings });
  const several = <T>(count: number, start: () => Promise<T>) => Promise.all(Array.from({ length: count }, start));
  return {
    environment,
    directory,
    spawn,
    async start(settings = {}) {
      const [apis, workers, runners] = await Promise.all([
        several(processes.apis, async () => {
          const api = await spawn('api', settings);
          return { ...api, url: new URL(/http:\/\/\S+/.exec(api.line)![0]).origin };
        }),
        several(processes.workers, () => spawn('worker', settings)),
        several(processes.runners, () => spawn('gpu-runner', settings)),
      ]);
      if (workers.length > 0)
        await untilReady(
          apis.map(({ url }) => url),
          environment.ANNEAL_BUS,
        );
      return {
        ...{ apis, workers, runners, url: apis[0]!.url, pid: apis[0]!.pid },
        async end(signal) {
          const ended = await Promise.all([...apis, ...runners, ...workers].map((role) => role.end(signal)));
          return ended.find((status) => status !== 0) ?? 0;
        },
      };
    },
    dropReadModels: () => emptied(mongodb),
    async remove() {
      await removeFolder(directory);
      for (const address of [mongodb, coordination]) await emptied(address);
      const store = await openS3ObjectStore(objects);
      await store.deletePrefix('');
      await store.close();
    },
  };
}

function first(kind: keyof TestServers): NamedServer {
  const [server] = testServers()[kind] ?? [];
  if (!server) throw new Error(`no ${kind} server is named; run npm run test:servers`);
  return server;
}

function withPath(address: string, path: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return url.href;
}

function withQuery(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}

/** Collection by collection: mongo-java-server takes other databases along with one whose name theirs begin with. */
async function emptied(address: string): Promise<void> {
  const client = await MongoClient.connect(address);
  try {
    for (const collection of await client.db().collections()) await collection.drop();
  } finally {
    await client.close();
  }
}
