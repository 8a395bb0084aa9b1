import { join } from 'node:path';
import { compose, type System } from '#apps/composition/compose.js';
import { Settings } from '#settings/index.js';
import { contentMac, CallRecorder } from '#calls/recording/call-recorder.js';
import { extendTree } from '#audit/builder.js';
import { signerOf } from '#audit/checkpoint.js';
import { storedPages } from '#audit/stored-pages.js';
import { TreeFiles } from '#audit/tree-files.js';
import { placeOf } from '#log/projector/log-place.js';
import { ProjectionRunner } from '#log/projector/runner.js';
import { RunningManager } from '#log/process-manager/running-manager.js';
import { openEventReader, openStoredEvents } from '#ports/event-store/open.js';
import type { EventReader, Position, RecordedEvent, SubscribeOptions } from '#ports/event-store/port.js';
import { openReadStore } from '#ports/read-store/open.js';
import type { ReadStore } from '#ports/read-store/port.js';
import { projections } from '#projections/index.js';
import { Runners } from '#use-cases/attempts/dispatch/runners.js';
import { ledProcessManagers } from '#use-cases/process-managers.js';
import { startEventStoreProcess, type EventStoreProcess } from '#test/event-store-server/process.js';
import { start } from '../gateway/process.js';
import { record, type Call } from './week.js';

/** The most events that the feed of read models gives at once. */
const FULL_BATCH = 500;

/** The parts of the distributed form that every call passes, each in this thread, one after another, on servers of their own. */
export class Parts {
  /** Appends to the log, each one request. */
  appends = 0;
  private readonly recorders: CallRecorder[] = [];
  private readonly runners: readonly ProjectionRunner[];
  private readonly files: TreeFiles;
  private readonly signer = signerOf('anneal/bench', Buffer.alloc(32, 1));
  private read: { feed: Position | null; managers: Position | null } = { feed: null, managers: null };

  private constructor(
    private readonly system: System,
    private readonly servers: Servers,
    private readonly log: EventReader & { close(): Promise<void> },
    private readonly stored: EventReader & { close(): Promise<void> },
    private readonly readStore: ReadStore,
  ) {
    this.runners = projections.map((projection) => new ProjectionRunner(projection, { eventStore: log, readStore }));
    this.files = new TreeFiles(system.objectStore);
  }

  static async start(directory: string): Promise<Parts> {
    const documents = await start(join(import.meta.dirname, 'documents-main.js'), []);
    const eventStore = await startEventStoreProcess({ directory: join(directory, 'log') });
    const system = await compose(
      new Settings({
        ...{ dataDir: join(directory, 'data'), logLevel: 'silent', secretKey: 'x'.repeat(43) },
        eventStore: { adapter: 'eventstoredb', address: eventStore.address },
        readStore: { adapter: 'mongodb', address: documents.line },
        coordination: { adapter: 'sqlite', directory: join(directory, 'data') },
      }),
    );
    const { locations, contentKeys } = system;
    const log = await openEventReader(locations.eventStore, contentKeys);
    const stored = await openStoredEvents(locations.eventStore);
    const parts = new Parts(system, { eventStore, documents }, log, stored, await openReadStore(locations.readStore));
    for (const runner of parts.runners) await runner.open();
    await parts.readFeed();
    return parts;
  }

  get ports(): { readonly log: number; readonly documents: number } {
    const { eventStore, documents } = this.servers;
    return { log: eventStore.port, documents: Number(new URL(documents.line).port) };
  }

  /** Records calls as so many APIs do that answer those of one tick at once. */
  async record(calls: readonly Call[], apis: number): Promise<void> {
    const { application, secret } = this.system;
    const { eventStore } = application.ports;
    const append: typeof eventStore.append = (...given) => {
      this.appends += 1;
      return eventStore.append(...given);
    };
    const ports = {
      ...application.ports,
      eventStore: Object.assign(Object.create(eventStore) as typeof eventStore, { append }),
    };
    while (this.recorders.length < apis) this.recorders.push(new CallRecorder(ports, contentMac(secret)));
    await Promise.all(calls.map((call, n) => record(this.recorders[n % apis]!, call)));
  }

  /** The events since the last time, as the one feed of all read models takes them. */
  async readFeed(): Promise<readonly RecordedEvent[]> {
    const events = await this.follow({ after: this.read.feed });
    this.read.feed = events.at(-1)?.position ?? this.read.feed;
    return events;
  }

  /** Each read model with the work of folding and storing the events. */
  projections(events: readonly RecordedEvent[]): readonly (readonly [string, () => Promise<void>])[] {
    return this.runners.map((runner) => [
      runner.projection.name,
      async () => {
        for (let at = 0; at < events.length; at += FULL_BATCH) {
          const batch = events.slice(at, at + FULL_BATCH);
          const own = batch.filter(({ type }) => runner.types.concern(type));
          await runner.apply(own, placeOf(batch.at(-1)!), batch.length);
        }
      },
    ]);
  }

  /** The process managers that one worker leads, without their commands. @returns the number of events that they see */
  async manage(): Promise<number> {
    const { application } = this.system;
    const seen = new Runners(application.ports.bus);
    const { signal } = new AbortController();
    const managers = ledProcessManagers(application, seen, {}).map(
      (manager) => new RunningManager(manager, Date.now, signal),
    );
    const types = [...new Set(managers.flatMap((manager) => manager.types.toRead()))];
    const events = await this.follow({ after: this.read.managers, filter: { types } });
    this.read.managers = events.at(-1)?.position ?? this.read.managers;
    for (const event of events) for (const manager of managers) manager.see(event);
    await seen.close();
    return events.length;
  }

  /** Adds all events to the audit tree. */
  async audit(): Promise<void> {
    await extendTree({
      ...{ files: this.files, signer: this.signer, verifiers: [this.signer], saltKey: '00'.repeat(32) },
      read: (position) => storedPages(this.stored, position),
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.log.close(), this.stored.close(), this.readStore.close()]);
    await this.system.close();
    await this.servers.eventStore.kill();
    await this.servers.documents.end();
  }

  private async follow(options: Pick<SubscribeOptions, 'after' | 'filter'>): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    const over = new AbortController();
    for await (const message of this.log.subscribe({ ...options, signal: over.signal, batchSize: FULL_BATCH })) {
      if (message.kind === 'events') events.push(...message.events);
      if (message.kind === 'caught-up') over.abort();
    }
    return events;
  }
}

interface Servers {
  readonly eventStore: EventStoreProcess;
  readonly documents: Awaited<ReturnType<typeof start>>;
}
