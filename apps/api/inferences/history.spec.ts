import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { Ports } from '#application/ports.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { SqliteQueries } from '#ports/read-store/sqlite/sqlite-queries.js';
import { BASE, HistoryWriter, JOBS, PROJECTS, timeOf, WORKSPACE } from '#test/support/recorded-calls.js';
import type { ListInferencesQuery } from './dto.js';
import { History } from './history.js';

const FIRST = 400;
const caller: Caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: WORKSPACE, keyId: 'k' };

type Filter = Omit<Partial<ListInferencesQuery>, 'limit' | 'offset'>;

/** Any combination of filters. */
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    model_id: fc.constantFrom(BASE, ...JOBS),
    training_job_id: fc.constantFrom(...JOBS),
    project_id: fc.constantFrom(...PROJECTS),
    task: fc.constantFrom('extract_entities', 'classify_text', 'schema', 'embed'),
    latency_min: fc.double({ min: 0, max: 15, noNaN: true }),
    latency_max: fc.double({ min: 0, max: 15, noNaN: true }),
    since: fc.integer({ min: -1, max: FIRST }).map(timeOf),
    until: fc.integer({ min: -1, max: FIRST }).map(timeOf),
  },
  { requiredKeys: [] },
);

/** The documented meaning of a filter. */
const matches = (filter: Filter) => (call: InferenceDocument) =>
  (filter.model_id ?? call.modelId) === call.modelId &&
  (filter.training_job_id ?? call.trainingJobId) === call.trainingJobId &&
  (filter.project_id ?? call.projectId) === call.projectId &&
  (filter.task ?? call.task) === call.task &&
  (filter.latency_min ?? -1) <= call.latencyMs &&
  (filter.latency_max ?? Infinity) >= call.latencyMs &&
  (filter.since ?? '') <= call.createdAt &&
  (filter.until ?? '9999') >= call.createdAt;

describe('the history of calls', () => {
  let directory: string;
  let bus: InProcessBus;
  let writer: HistoryWriter;
  let queries: SqliteQueries;
  let application: Application;
  let history: History;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'history-'));
    bus = new InProcessBus();
    writer = await HistoryWriter.open(directory);
    await writer.append(FIRST);
    queries = new SqliteQueries(directory);
    application = new Application({ readStore: queries, bus } as unknown as Ports);
    history = new History(application);
  });
  afterEach(async () => {
    await queries.close();
    await writer.close();
    await application.close();
    await bus.close();
    await rm(directory, { recursive: true });
  });

  const page = (filter: Filter, limit = 5_000, offset = 0) => history.page(caller, { limit, offset, ...filter });
  const ids = (calls: readonly InferenceDocument[]) => calls.map(({ id }) => id);

  it('returns the calls that any combination of filters selects, newest first, with their number', async () => {
    const { documents: all } = await page({});
    expect(all).toHaveLength(FIRST);
    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.nat(60), fc.integer({ min: 1, max: 70 }), async (filter, offset, limit) => {
        const wanted = ids(all.filter(matches(filter)));
        const { documents, total } = await page(filter, limit, offset);
        expect([total, ids(documents)]).toEqual([wanted.length, wanted.slice(offset, offset + limit)]);
      }),
      { numRuns: 200 },
    );
  });

  it('calls that are recorded meanwhile come before, and change neither the order nor the number of the others', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, more) => {
        const before = await page(filter);
        const [during] = await Promise.all([page(filter), writer.append(more)]);
        const after = await page(filter);
        for (const { documents, total } of [during, after]) {
          expect(total).toBeGreaterThanOrEqual(before.total);
          expect(ids(documents).slice(documents.length - before.documents.length)).toEqual(
            ids(before.documents).slice(0, documents.length),
          );
        }
        const [newest] = (await page({}, 1)).documents;
        expect(Number(newest?.n)).toBe((await page({})).total);
      }),
      { numRuns: 25 },
    );
  });
});
