import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerAddresses } from '#test/deployments/distributed.js';
import { eventStore } from '#test/servers/event-store.js';
import { mongoJavaServer } from '#test/servers/mongo-java-server.js';
import { nats } from '#test/servers/nats.js';
import type { RunningServer } from '#test/servers/running.js';
import { s3 } from '#test/servers/s3.js';

export type ServerName = 'event store' | 'MongoDB' | 'NATS' | 'S3';

/** The way a server fails: it shuts down, is killed, or keeps its connections and answers nothing. */
export type Outage = 'stopped' | 'killed' | 'paused';

const PROGRAMS = { 'event store': eventStore, MongoDB: mongoJavaServer, NATS: nats, S3: s3 } as const;

/** A server of each kind; each can fail and return on the same port and data. */
export class OwnServers {
  private readonly running = new Map<ServerName, RunningServer>();

  private constructor(private readonly directory: string) {}

  static async start(): Promise<OwnServers> {
    const servers = new OwnServers(await mkdtemp(join(tmpdir(), 'anneal-outages-')));
    try {
      for (const name of Object.keys(PROGRAMS) as ServerName[]) await servers.run(name);
    } catch (error) {
      await servers.close();
      throw error;
    }
    return servers;
  }

  get addresses(): ServerAddresses {
    const of = (name: ServerName) => this.running.get(name)!.address;
    return { eventStore: of('event store'), mongodb: of('MongoDB'), nats: of('NATS'), s3: of('S3') };
  }

  /** Processes of this machine. */
  get pids(): Readonly<Record<ServerName, number>> {
    return Object.fromEntries([...this.running].map(([name, { pid }]) => [name, pid])) as Record<ServerName, number>;
  }

  /** @returns brings it back, and resolves when it answers */
  async takeAway(name: ServerName, outage: Outage): Promise<() => Promise<void>> {
    const server = this.running.get(name)!;
    if (outage === 'paused') {
      await server.pause();
      return async () => server.resume();
    }
    await (outage === 'stopped' ? server.stop() : server.kill());
    return () => this.run(name, server.port);
  }

  async close(): Promise<void> {
    for (const server of this.running.values()) {
      server.resume();
      await server.kill();
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  private async run(name: ServerName, port?: number): Promise<void> {
    const directory = join(this.directory, name.replace(' ', '-'));
    await mkdir(directory, { recursive: true });
    this.running.set(name, await PROGRAMS[name].start({ directory, ...(port !== undefined && { port }) }));
  }
}
