import Table from 'cli-table3';
import { MongoClient } from 'mongodb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { EventReader } from '#ports/event-store/port.js';
import type { JsonObject } from '#domain/json.js';
import { inferences } from '#projections/inferences/projection.js';
import { projects } from '#projections/projects/projection.js';
import type { Projection } from '#log/projector/projection.js';
import { ProjectionRunner } from '#log/projector/runner.js';
import { openReadStore, type ReadStoreLocation } from '#ports/read-store/open.js';
import { mongoJavaServer } from '#test/servers/mongo-java-server.js';
import { aCall, aProject, EventWriter } from './event-writer.js';
import { collectionNameOf } from '#log/projector/collection.js';

/**
 * Building read models into MongoDB's protocol, beside SQLite, and beside plain bulk upserts of the same documents with the same
 * indexes on the same server. The server is the one that ANNEAL_TEST_MONGODB names, else mongo-java-server, a stand-in that is slow
 * at upserts: the ratio says what the adapter costs, not what MongoDB can do.
 */

const BATCH = 1_000;
const APPENDS = 40;

interface Figures {
  readonly events: number;
  readonly sqlitePerSecond: number;
  readonly mongodbPerSecond: number;
  readonly plainUpsertsPerSecond: number;
  readonly documents: number;
}

const directory = await mkdtemp(join(tmpdir(), 'bench-mongodb-'));
const given = process.env['ANNEAL_TEST_MONGODB'];
const server = given ? null : await mongoJavaServer.start({ directory: join(directory, 'server') });
const log = await openSqliteEventStore({ directory, durability: 'normal' });
try {
  const writer = new EventWriter(log);
  for (let n = 0; n < APPENDS; n += 1) await writer.append('project', 500, aProject);
  for (let n = 0; n < APPENDS; n += 1) await writer.append('metered', 250, ...aCall());
  const address = `${(server?.address ?? given!).replace(/\/$/, '')}/bench${process.pid}`;
  const figures: Record<string, Figures> = {};
  for (const projection of [projects, inferences]) figures[projection.name] = await compared(projection, address);
  show(figures);
} finally {
  await log.close();
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
}

async function compared(projection: Projection, address: string): Promise<Figures> {
  const sqlite = await rebuilt(log, projection, { adapter: 'sqlite', directory: join(directory, projection.name) });
  const mongodb = await rebuilt(log, projection, { adapter: 'mongodb', address });
  return {
    events: sqlite.events,
    documents: sqlite.documents.length,
    sqlitePerSecond: sqlite.perSecond,
    mongodbPerSecond: mongodb.perSecond,
    plainUpsertsPerSecond: await plainUpserts(address, sqlite.documents, projection.indexes),
  };
}

interface Rebuilt {
  readonly events: number;
  readonly perSecond: number;
  readonly documents: readonly JsonObject[];
}

async function rebuilt(eventStore: EventReader, projection: Projection, location: ReadStoreLocation): Promise<Rebuilt> {
  const readStore = await openReadStore(location);
  const runner = new ProjectionRunner(projection, { eventStore, readStore });
  await runner.open();
  const { length: events } = await Array.fromAsync(
    eventStore.readAll({ filter: { types: Object.keys(projection.on) } }),
  );
  const start = performance.now();
  await runner.catchUp(new AbortController().signal, BATCH);
  const perSecond = (events / (performance.now() - start)) * 1_000;
  await readStore.activate(collectionNameOf(projection), runner.collection.version);
  const documents = await readStore.find(collectionNameOf(projection), { where: {}, limit: 1_000_000 });
  await readStore.drop(runner.collection);
  await readStore.close();
  return { events, perSecond, documents };
}

async function plainUpserts(
  address: string,
  documents: readonly JsonObject[],
  indexes: readonly { readonly fields: readonly string[] }[],
): Promise<number> {
  const client = await MongoClient.connect(address);
  const collection = client.db().collection<{ _id: string }>('plain');
  try {
    for (const { fields } of indexes)
      await collection.createIndex(Object.fromEntries(fields.map((field) => [field, 1 as const])));
    const start = performance.now();
    for (let at = 0; at < documents.length; at += BATCH)
      await collection.bulkWrite(
        documents.slice(at, at + BATCH).map((document) => ({
          updateOne: { filter: { _id: document['id'] as string }, update: { $set: { ...document } }, upsert: true },
        })),
        { ordered: false },
      );
    return (documents.length / (performance.now() - start)) * 1_000;
  } finally {
    await collection.drop();
    await client.close();
  }
}

function show(figures: Readonly<Record<string, Figures>>): void {
  const round = (value: number) => Math.round(value).toLocaleString('en');
  const table = new Table({
    head: ['rebuild of', 'events', 'documents', 'SQLite events/s', 'MongoDB events/s', 'plain upserts/s there'],
  });
  for (const [name, row] of Object.entries(figures))
    table.push([
      name,
      round(row.events),
      round(row.documents),
      round(row.sqlitePerSecond),
      round(row.mongodbPerSecond),
      round(row.plainUpsertsPerSecond),
    ]);
  console.log(table.toString());
  console.log(JSON.stringify({ bench: 'projections-mongodb', ...figures }));
}
