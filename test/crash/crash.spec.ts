import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProjectionHost } from '#apps/worker/projection-host/start.js';
import { isLogCreated } from '#event-store/log-created.js';
import type { RecordedEvent } from '#event-store/port.js';
import { openSqliteEventStore } from '#event-store/sqlite/index.js';
import type { ProjectionAdvance } from '#projection/status.js';
import { openQueries } from '#read-store/open.js';
import { runAndKill } from './kill.js';
import { locations } from './load.js';
import type { Written } from './projections.js';
import { randomNumbers } from './random.js';

const KILLS = 26;
const SEEDS = [Number(process.env['ANNEAL_CRASH_SEED'] ?? Date.now() % 1_000_000)];
SEEDS.push(SEEDS[0]! + 1);

describe.each(SEEDS)(`a process killed ${KILLS} times while it writes, seed %d`, (seed) => {
  let directory: string;
  let acknowledged: readonly string[];
  let log: readonly RecordedEvent[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-crash-'));
    const random = randomNumbers(seed);
    const output = join(directory, 'acknowledged.txt');
    for (let kill = 0; kill < KILLS; kill += 1) await runAndKill(directory, output, seed + kill, random);
    // The last line may be cut short by the last kill.
    acknowledged = (await readFile(output, 'utf8')).split('\n').slice(0, -1);
    const store = await openSqliteEventStore({ directory });
    log = (await Array.fromAsync(store.readAll())).filter((event) => !isLogCreated(event));
    await store.close();
  }, 180_000);
  afterAll(() => rm(directory, { recursive: true }));

  const byStream = () => Map.groupBy(log, ({ stream }) => stream);

  it('has written enough to mean something', () => {
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    expect(byStream().size).toBeGreaterThan(10);
  });

  it('has every acknowledged event, at the revision that was said, once', () => {
    const there = new Map(log.map(({ stream, revision, id }) => [id, `${stream} ${revision} ${id}`]));
    expect(there.size).toBe(log.length);
    const missing = acknowledged.filter((line) => there.get(line.slice(line.lastIndexOf(' ') + 1)) !== line);
    expect(missing).toEqual([]);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
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
    const streams = [...byStream().keys()];
    const live = await documents(directory, 'live', head, streams);
    const rebuilt = await documents(directory, 'rebuilt', head, streams);
    expect(live).toEqual(rebuilt);
    const events = byStream();
    expect(live.map((document) => document?.['events'])).toEqual(streams.map((stream) => events.get(stream)!.length));
    await store.close();
  });
});

/** The documents of some keys, once the projections of that name have seen the whole log. */
async function documents(directory: string, name: string, head: string, keys: readonly string[]) {
  const where = locations(directory, name);
  const caughtUp = Promise.withResolvers<void>();
  const onAdvance = (advances: readonly ProjectionAdvance[]) => {
    if (advances.every(({ live, position }) => live && position >= head)) caughtUp.resolve();
  };
  const host = await startProjectionHost({ ...where, onAdvance });
  await caughtUp.promise;
  const queries = await openQueries(where.readStore);
  const found = await Promise.all(keys.map((key) => queries.get('crash-streams', key)));
  await queries.close();
  await host.close();
  return found;
}
