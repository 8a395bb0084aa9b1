import Table from 'cli-table3';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extendTree } from '#audit/builder.js';
import { signerOf } from '#audit/checkpoint.js';
import { storedPages } from '#audit/stored-pages.js';
import { TreeFiles } from '#audit/tree-files.js';
import { verifyLog } from '#audit/verify.js';
import { openSqliteEventStore, readStoredRows } from '#ports/event-store/sqlite/index.js';
import { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { aCall, EventWriter } from './event-writer.js';
import { scaled } from './size.js';

/**
 * The tree over a log of recorded calls and its verification, beside reading the same rows, and beside the SHA-256 of the same texts.
 * The readings take turns, and the better of two counts. CPU is that of the whole process: on a machine that does other work, it says
 * more than seconds do.
 */

const EVENTS = scaled(1_000_000, 1_000);
/** Calls in an append; two events each. */
const BATCH = 500;

const directory = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
const place = { directory: join(directory, 'objects'), signingKeys: [Buffer.alloc(32)], publicUrl: 'http://x' };
const objects = new FolderObjectStore(place);
const signer = signerOf('anneal/bench', Buffer.alloc(32, 1));
try {
  const written = await timed(write);
  const extended = await timed(extend);
  const rounds = [await measured(), await measured()];
  const best = (of: (round: Round) => Taken): Taken => {
    const [one, other] = [of(rounds[0]!), of(rounds[1]!)];
    return { seconds: Math.min(one.seconds, other.seconds), cpu: Math.min(one.cpu, other.cpu) };
  };
  const table = new Table({
    head: [`a log of ${EVENTS.toLocaleString('en')} events`, 'seconds', 'CPU seconds', 'events/s'],
  });
  const row = (what: string, { seconds, cpu }: Taken) =>
    table.push([what, seconds.toFixed(1), cpu.toFixed(1), Math.round(EVENTS / seconds).toLocaleString('en')]);
  row('written', written);
  row('added to the tree, from the start', extended);
  row(
    'verified',
    best(({ verified }) => verified),
  );
  row(
    'its rows read',
    best(({ read }) => read),
  );
  row(
    'its rows read, and the SHA-256 of their texts',
    best(({ hashed }) => hashed),
  );
  console.log(table.toString());
} finally {
  await objects.close();
  await rm(directory, { recursive: true });
}

async function write(): Promise<void> {
  const store = await openSqliteEventStore({ directory, durability: 'normal' });
  const writer = new EventWriter(store);
  const kinds = aCall();
  for (let left = EVENTS / 2; left > 0; left -= BATCH) await writer.append('metered', Math.min(BATCH, left), ...kinds);
  await store.close();
}

async function extend(): Promise<void> {
  const store = await openSqliteEventStore({ directory, durability: 'normal' });
  await extendTree({
    files: new TreeFiles(objects),
    read: (position) => storedPages(store, position),
    signer,
    verifiers: [signer],
    saltKey: '00'.repeat(32),
  });
  await store.close();
}

interface Round {
  readonly verified: Taken;
  readonly read: Taken;
  readonly hashed: Taken;
}

async function measured(): Promise<Round> {
  const verified = await timed(verify);
  const read = await timed(() => pass(() => undefined));
  const hash = createHash('sha256');
  const hashed = await timed(() => pass((text) => hash.update(text)));
  return { verified, read, hashed };
}

async function verify(): Promise<void> {
  const found: unknown[] = [];
  const { same } = await verifyLog({
    events: readStoredRows(directory),
    objects,
    verifiers: [signer],
    onFinding: (finding) => found.push(finding),
  });
  if (found.length > 0 || same < EVENTS) throw new Error(`not verified: ${JSON.stringify(found.slice(0, 3))}`);
}

async function pass(use: (text: string) => void): Promise<void> {
  for (const page of readStoredRows(directory))
    for (const { id, data, metadata } of page) {
      use(id);
      use(data);
      use(metadata);
    }
}

interface Taken {
  readonly seconds: number;
  /** CPU of the whole process. */
  readonly cpu: number;
}

async function timed(work: () => Promise<void>): Promise<Taken> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - start) / 1_000, cpu: (user + system) / 1_000_000 };
}
