import Table from 'cli-table3';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBus, openLogAndCoordination, openPresigningObjects } from '#apps/composition/open-ports.js';
import { locationsOf } from '#apps/composition/locations.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import { callOnce } from '#ports/bus/port.js';
import { ABSENT } from '#ports/coordination/port.js';
import { NO_STREAM, type EventToAppend } from '#ports/event-store/port.js';
import type { Collection } from '#ports/read-store/port.js';
import { openReadStore } from '#ports/read-store/open.js';
import { Settings } from '#settings/index.js';
import { eventStore } from '#test/servers/event-store.js';
import { mongoJavaServer } from '#test/servers/mongo-java-server.js';
import { nats } from '#test/servers/nats.js';
import { s3, S3_CREDENTIALS } from '#test/servers/s3.js';
import { quantile } from './quantile.js';

/**
 * Measures one operation of each port, on its embedded adapter and on its distributed one, one after another in the same run:
 * the servers are on this machine, so the network adds nothing, and two of them are stand-ins (EventStoreDB's protocol is spoken
 * by the double of the tests, MongoDB's by mongo-java-server): the figures show the adapter, its client and its protocol.
 */

/** Number of runs per operation, unless the time limit comes first. */
const TIMES = 400;
const MAX_MS = 3_000;
const WARM_UP = 20;

interface Operation {
  readonly port: string;
  readonly operation: string;
  readonly run: () => Promise<unknown>;
}

interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const directory = await mkdtemp(join(tmpdir(), 'bench-adapters-'));
try {
  const embedded = await measured(new Settings({ dataDir: join(directory, 'embedded') }));
  const distributed = await onServers(measured);
  show(embedded, distributed);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function onServers<T>(use: (settings: Settings) => Promise<T>): Promise<T> {
  Object.assign(process.env, S3_CREDENTIALS);
  const parts = [];
  try {
    for (const program of [eventStore, mongoJavaServer, nats, s3])
      parts.push(await program.start({ directory: join(directory, randomUUID()) }));
    const [log, documents, bus, objects] = parts.map(({ address }) => address);
    const mongodb = { adapter: 'mongodb', address: `${documents!.replace(/\/$/, '')}/bench` } as const;
    return await use(
      new Settings({
        dataDir: join(directory, 'distributed'),
        eventStore: { adapter: 'eventstoredb', address: log! },
        readStore: mongodb,
        coordination: mongodb,
        bus: { adapter: 'nats', address: bus! },
        objectStore: { kind: 's3', address: objects! },
      }),
    );
  } finally {
    for (const server of parts) await server.stop();
  }
}

async function measured(settings: Settings): Promise<ReadonlyMap<string, Figures>> {
  const parts = new OpenParts();
  try {
    const figures = new Map<string, Figures>();
    for (const { port, operation, run } of await operations(settings, parts))
      figures.set(`${port}: ${operation}`, await timed(run));
    return figures;
  } finally {
    await parts.close();
  }
}

async function timed(run: () => Promise<unknown>): Promise<Figures> {
  for (let time = 0; time < WARM_UP; time += 1) await run();
  const took: number[] = [];
  const end = performance.now() + MAX_MS;
  while (took.length < TIMES && performance.now() < end) {
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return { p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
}

async function operations(settings: Settings, parts: OpenParts): Promise<readonly Operation[]> {
  const locations = locationsOf(settings);
  const watch = { facts: {}, onAppend: () => undefined, onDamage: () => undefined, onFailure: () => undefined };
  const { eventStore: log, coordination } = await openLogAndCoordination(locations, settings, parts, watch);
  const bus = await openBus(locations, parts);
  const signing = { signingKeys: [randomBytes(32)], publicUrl: 'http://unsigned.invalid' };
  const objects = await openPresigningObjects(locations, parts, signing);
  const documents = parts.opened(await openReadStore(locations.readStore));
  const collection: Collection = { name: 'bench', version: 1, indexes: [{ fields: ['workspaceId', 'n'] }] };
  await documents.prepare(collection);
  await documents.activate('bench', 1);
  bus.serve('bench.echo', async (body) => body);
  const known = `job-${randomUUID()}`;
  await log.append(known, NO_STREAM, Array.from({ length: 20 }, anEvent));
  const content = randomBytes(64 * 1024);
  await objects.put('bench/known', content);
  let position = 0;
  const writes = (count: number) =>
    Array.from({ length: count }, () => {
      const id = `document-${(position += 1)}`;
      return {
        id,
        position: placeOf(position),
        document: { id, workspaceId: 'w', n: position, text: 'x'.repeat(300) },
      };
    });
  const write = (count: number) => {
    const batch = writes(count);
    const checkpoint = { logId: 'bench', position: batch.at(-1)!.position, eventId: null };
    return documents.write(collection, { writes: batch, checkpoint });
  };
  await write(1_000);
  const page = {
    where: { workspaceId: 'w' },
    order: { field: 'n', direction: 'descending' },
    limit: 20,
  } as const;
  return [
    op('event store', 'append an event', () => log.append(`job-${randomUUID()}`, NO_STREAM, [anEvent()])),
    op('event store', 'read a stream of 20', () => Array.fromAsync(log.readStream(known))),
    op('read store', 'get a document', () => documents.get('bench', 'document-7')),
    op('read store', 'find a page of 20', () => documents.find('bench', page)),
    op('read store', 'write a batch of 1', () => write(1)),
    op('read store', 'write a batch of 100', () => write(100)),
    op('coordination', 'compare and set', () => coordination.compareAndSet(randomUUID(), ABSENT, 1, 60_000)),
    op('coordination', 'count', () => coordination.increment('bench', 1, 60_000)),
    op('bus', 'call', () => callOnce(bus, 'bench.echo', { text: 'x'.repeat(300) }, { deadlineMs: 5_000 })),
    op('bus', 'offer', () => bus.offer(`bench.${randomUUID()}`, randomUUID(), null)),
    op('object store', 'put 64 KiB', () => objects.put(`bench/${randomUUID()}`, content)),
    op('object store', 'get 64 KiB', async () => Array.fromAsync(await objects.get('bench/known'))),
  ];
}

function op(port: string, operation: string, run: () => Promise<unknown>): Operation {
  return { port, operation, run };
}

function placeOf(position: number): string {
  return String(position).padStart(16, '0');
}

function anEvent(): EventToAppend {
  const id = randomUUID();
  const of = { workspaceId: 'w', actor: 'system:bench', correlationId: id, causationId: id, commandId: id };
  return {
    id,
    type: 'bench-happened.v1',
    data: { text: 'x'.repeat(300) },
    metadata: { ...of, occurredAt: new Date().toISOString() },
  };
}

function show(embedded: ReadonlyMap<string, Figures>, distributed: ReadonlyMap<string, Figures>): void {
  const table = new Table({
    head: ['one at a time', 'embedded p50 (p99) ms', 'distributed p50 (p99) ms', 'added p50 ms'],
    style: { head: [], border: [] },
  });
  for (const [name, here] of embedded) {
    const there = distributed.get(name)!;
    const both = ({ p50Ms, p99Ms }: Figures) => `${p50Ms.toFixed(2)} (${p99Ms.toFixed(2)})`;
    table.push([name, both(here), both(there), (there.p50Ms - here.p50Ms).toFixed(2)]);
  }
  console.log(table.toString());
  const plain = (figures: ReadonlyMap<string, Figures>) => Object.fromEntries(figures);
  console.log(JSON.stringify({ bench: 'adapters', embedded: plain(embedded), distributed: plain(distributed) }));
}
