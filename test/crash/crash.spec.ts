import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProjectionHost } from '#log/projector/thread/start.js';
import { isLogCreated } from '#ports/event-store/log-created.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { openSqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { ProjectionAdvance } from '#log/projector/status.js';
import { openQueries } from '#ports/read-store/open.js';
import { runAndKill } from './kill.js';
import { locations } from './load.js';
import { projections, type Written } from './projections.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { whatWasSaid, type Said } from './said.js';
import { collectionNameOf } from '#log/projector/collection.js';

const KILLS = Number(process.env['ANNEAL_CRASH_KILLS'] ?? 13);
const HANGS_AFTER_MS = 600_000 + KILLS * 10_000;
const SEED = Number(process.env['ANNEAL_CRASH_SEED'] ?? Date.now() % 1_000_000);

describe(`a process killed at least ${KILLS} times while it writes, seed ${SEED}`, () => {
  let directory: string;
  let said: Said;
  let log: readonly RecordedEvent[];
  let held: ReadonlySet<string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-crash-'));
    const random = randomNumbers(SEED);
    const output = join(directory, 'acknowledged.txt');
    // On a busy machine a process may be killed before it has deleted anything: then there is another.
    for (let kill = 0; kill < KILLS || said.erased.size === 0; kill += 1) {
      await runAndKill(directory, output, SEED + kill, random);
      // The last line may be cut short by the kill.
      said = whatWasSaid((await readFile(output, 'utf8')).split('\n').slice(0, -1));
    }
    const store = await openSqliteEventStore({ directory });
    log = (await Array.fromAsync(store.readAll())).filter((event) => !isLogCreated(event));
    held = new Set((await store.held.all()).map(({ id }) => id));
    await store.close();
  }, HANGS_AFTER_MS);
  afterAll(() => rm(directory, { recursive: true }));

  const byStream = () => Map.groupBy(log, ({ stream }) => stream);

  const lines = () => new Set(log.map(({ stream, revision, id }) => `${stream} ${revision} ${id}`));

  it('has written and deleted enough for the test', () => {
    expect(said.stored.size).toBeGreaterThan(KILLS);
    expect(said.erased.size).toBeGreaterThan(0);
    expect(byStream().size).toBeGreaterThan(10);
  });

  it('has every acknowledged event once, at its acknowledged revision', () => {
    const there = lines();
    expect(there.size).toBe(log.length);
    expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
    expect(said.stored.difference(there)).toEqual(new Set());
  });

  it('has no event of a stream whose deletion was acknowledged', () => {
    expect(said.erased.intersection(lines())).toEqual(new Set());
  });

  it('has deleted a stream completely or not at all if it was killed during the deletion', () => {
    const there = lines();
    for (const events of said.either) expect([0, events.size]).toContain(events.intersection(there).size);
  });

  it('has each acknowledged held event, or the append in its place, and never both', () => {
    const appends = new Set(log.map(({ data }) => (data as Written).append));
    expect(held.intersection(appends)).toEqual(new Set());
    expect(said.held.difference(held.union(appends))).toEqual(new Set());
    expect(said.held.intersection(appends).size).toBeGreaterThan(0);
  });

  it('has the events of each stream in the order written, without a gap', () => {
    for (const events of byStream().values()) {
      expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
      expect(events.map(({ data }) => (data as Written).n)).toEqual(events.map((_, index) => index));
    }
  });

  it('has the log in one order, and each append whole', () => {
    const positions = log.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted());
    for (const events of Map.groupBy(log, ({ data }) => (data as Written).append).values()) {
      expect(events).toHaveLength((events[0]!.data as Written).of);
    }
  });

  it('has read models that equal a rebuild', async () => {
    const store = await openSqliteEventStore({ directory });
    const head = (await store.head()).position!;
    const streams = new Set([...said.stored, ...said.erased].map((line) => line.slice(0, line.indexOf(' '))));
    const live = await documents(directory, 'live', head, [...streams]);
    const rebuilt = await documents(directory, 'rebuilt', head, [...streams]);
    expect(live).toEqual(rebuilt);
    const events = byStream();
    for (const [stream, document] of live) {
      if (stream.startsWith('kept-')) expect(document?.['events']).toBe(events.get(stream)!.length);
    }
    await store.close();
  });
});

/** The documents of some streams, once the projections of that name have seen the whole log. */
async function documents(directory: string, name: string, head: string, streams: readonly string[]) {
  const where = locations(directory, name);
  const caughtUp = Promise.withResolvers<void>();
  const behind = new Set(projections.map(collectionNameOf));
  const onAdvance = (advances: readonly ProjectionAdvance[]) => {
    for (const { collection, live, position } of advances) if (live && position >= head) behind.delete(collection);
    if (behind.size === 0) caughtUp.resolve();
  };
  const host = await startProjectionHost({ ...where, onAdvance });
  await caughtUp.promise;
  const queries = await openQueries(where.readStore);
  const document = (stream: string) =>
    queries.get(
      collectionNameOf(
        projections.find(({ name }) => name === (stream.startsWith('kept-') ? 'crash-kept' : 'crash-erasable'))!,
      ),
      stream,
    );
  const found = await Promise.all(streams.map(async (stream) => [stream, await document(stream)] as const));
  await queries.close();
  await host.close();
  return found;
}
