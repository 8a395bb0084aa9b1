import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { Ports } from '#application/ports.js';
import { InvalidError } from '#domain/errors.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { SqliteQueries } from '#ports/read-store/sqlite/sqlite-queries.js';
import {
  BASE,
  HistoryWriter,
  JOBS,
  LOG_OF_PROJECTS,
  PROJECTS,
  timeOf,
  WORKSPACE,
} from '#test/support/recorded-calls.js';
import { History, type CallsRequest } from './history.js';

const FIRST = 400;
const caller: Caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: WORKSPACE, keyId: 'k' };

type Filter = Omit<Partial<CallsRequest>, 'limit' | 'offset'>;

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
    verdict: fc.constantFrom('correct', 'incorrect', 'unsure', 'none'),
    has_feedback: fc.boolean(),
    label: fc.constantFrom('person', 'order_number', 'refund', 'person\norder_number', 'per'),
    confidence_min: fc.double({ min: 0.5, max: 1, noNaN: true }),
    confidence_max: fc.double({ min: 0.5, max: 1, noNaN: true }),
    status: fc.constantFrom('success', 'failed', 'ok', 'error'),
    key: fc.constantFrom('k0', 'k1', 'none'),
    user: fc.constantFrom(WORKSPACE, 'none'),
    text: fc.constantFrom('ADA lovelace', 'refund', 'customer', 'Tues', 'refund nothing'),
  },
  { requiredKeys: [] },
);

/** The documented meaning of a filter. */
const matches = (filter: Filter) => (call: InferenceDocument) =>
  (filter.model_id ?? call.modelId) === call.modelId &&
  (filter.training_job_id ?? call.trainingJobId) === call.trainingJobId &&
  (filter.project_id ?? call.projectId) === call.projectId &&
  (filter.task ?? call.task) === call.task &&
  (filter.latency_min ?? -1) <= call.latencyMs! &&
  (filter.latency_max ?? Infinity) >= call.latencyMs! &&
  (filter.since ?? '') <= call.createdAt &&
  (filter.until ?? '9999') >= call.createdAt &&
  (filter.verdict ?? call.feedback?.verdict ?? 'none') === (call.feedback?.verdict ?? 'none') &&
  (filter.has_feedback ?? call.feedback !== null) === (call.feedback !== null) &&
  (filter.label === undefined || labelsOf(call).includes(filter.label)) &&
  (filter.confidence_min ?? -1) <= (call.confidence ?? -1) &&
  (filter.confidence_max ?? 2) >= (call.confidence ?? 2) &&
  ['success', 'ok', undefined].includes(filter.status) >= (call.status === 'success') &&
  ['failed', 'error', undefined].includes(filter.status) >= (call.status === 'failed') &&
  (filter.key ?? call.keyId) === call.keyId &&
  (filter.user ?? call.userId) === call.userId &&
  hasWords(call, filter.text ?? '');

/** All texts of the test's calls have the words of the first; their words are apart by anything but letters and digits. */
function hasWords({ content, feedback }: InferenceDocument, text: string): boolean {
  const values = JSON.stringify([content, feedback], (_, value: unknown) =>
    typeof value === 'object' && value !== null ? Object.values(value) : value,
  );
  const known = new Set(values.toLowerCase().split(/[^a-z0-9]+/));
  return text
    .toLowerCase()
    .split(' ')
    .every((word) => word === '' || known.has(word));
}

/** The labels with which an answer of the test's calls names something. */
function labelsOf({ content }: InferenceDocument): readonly string[] {
  const { entities = {}, classification } = content?.output as unknown as {
    readonly entities?: Readonly<Record<string, readonly object[]>>;
    readonly classification?: { readonly label: string };
  };
  const named = Object.keys(entities).filter((label) => entities[label]!.length > 0);
  return classification ? [classification.label] : named;
}

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
    application = new Application({ eventStore: LOG_OF_PROJECTS, readStore: queries, bus } as unknown as Ports);
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

  it('returns the calls that match any combination of filters, newest first, with their number', async () => {
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

  it('puts newly recorded calls first, and changes neither the order nor the number of the others', async () => {
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

  it('is complete by cursor, whatever is recorded in between, and the last page has no cursor', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 30, max: 90 }), async (filter, limit) => {
        const wanted = ids((await page(filter)).documents);
        const seen: string[] = [];
        for (let cursor: string | undefined; ;) {
          const { documents, hasMore } = await page({ ...filter, ...(cursor !== undefined && { cursor }) }, limit);
          seen.push(...ids(documents));
          cursor = documents.at(-1)?.id;
          if (!hasMore) break;
          await writer.append(1);
        }
        expect(seen).toEqual(wanted);
      }),
      { numRuns: 25 },
    );
  });

  it('is refused for a cursor that is not a call, or that comes with an offset', async () => {
    const [first] = (await page({}, 1)).documents;
    await expect(page({ cursor: 'nothing' })).rejects.toThrow(InvalidError);
    await expect(page({ cursor: first!.id }, 10, 1)).rejects.toThrow(InvalidError);
    const [second] = (await page({ cursor: first!.id, project_id: PROJECTS[0]! }, 1)).documents;
    expect(second!.projectId).toBe(PROJECTS[0]);
  });
});
