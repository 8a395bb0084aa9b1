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
import { BASE, HistoryWriter, JOBS, LOG_OF_PROJECTS, WORKSPACE } from '#test/support/recorded-calls.js';
import { History } from '../history.js';
import { GetInferenceStats, GetInferenceStatsHandler, type InferenceGroup, type StatsRequest } from './stats.js';

const CALLS = 600;
const caller: Caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: WORKSPACE, keyId: 'k' };

/** The documented value of a call in each group. */
const KEYS: Readonly<Record<string, (call: InferenceDocument) => readonly (string | null)[]>> = {
  model: ({ modelId }) => [modelId],
  version: ({ trainingJobId }) => [trainingJobId],
  project: ({ projectId }) => [projectId],
  day: ({ createdAt }) => [createdAt.slice(0, 10)],
  hour: ({ createdAt }) => [createdAt.slice(0, 13)],
  verdict: ({ feedback }) => [feedback?.verdict ?? 'none'],
  label: ({ labels }) => labels?.trim().split('\n') ?? [null],
};

describe('statistics of recorded calls', () => {
  let directory: string;
  let bus: InProcessBus;
  let writer: HistoryWriter;
  let queries: SqliteQueries;
  let application: Application;
  let all: readonly InferenceDocument[];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stats-'));
    bus = new InProcessBus();
    writer = await HistoryWriter.open(directory);
    await writer.append(CALLS);
    queries = new SqliteQueries(directory);
    application = new Application({ eventStore: LOG_OF_PROJECTS, readStore: queries, bus } as unknown as Ports);
    all = (await new History(application).page(caller, { limit: 5_000, offset: 0 })).documents;
  });
  afterAll(async () => {
    await queries.close();
    await writer.close();
    await application.close();
    await bus.close();
    await rm(directory, { recursive: true });
  });

  const stats = (query: StatsRequest) =>
    new GetInferenceStatsHandler(application).execute(new GetInferenceStats(caller, query));

  it('counts every group by one or two fields correctly', async () => {
    const names = fc.subarray(Object.keys(KEYS), { maxLength: 2 });
    const filter = fc.record<StatsRequest>(
      { model_id: fc.constantFrom(BASE, JOBS[0]!), has_feedback: fc.boolean(), label: fc.constant('person') },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(names, filter, async (by, query) => {
        const matching = all.filter(
          (call) =>
            (query.model_id ?? call.modelId) === call.modelId &&
            (query.has_feedback ?? call.feedback !== null) === (call.feedback !== null) &&
            (query.label === undefined || KEYS['label']!(call).includes(query.label)),
        );
        const expected = new Map<string, InferenceDocument[]>();
        for (const call of matching)
          for (const one of by[0] ? KEYS[by[0]]!(call) : [''])
            for (const two of by[1] ? KEYS[by[1]]!(call) : ['']) {
              const key = JSON.stringify([one, two].slice(0, by.length));
              expected.set(key, [...(expected.get(key) ?? []), call]);
            }
        const { groups } = await stats({ ...query, ...(by.length > 0 && { group_by: by.join(',') }) });
        const keyOf = (group: InferenceGroup) => JSON.stringify(by.map((name) => group[name as 'model'] ?? null));
        expect(groups.map(keyOf).toSorted()).toEqual([...expected.keys()].toSorted());
        for (const group of groups) expectFigures(group, expected.get(keyOf(group))!);
      }),
      { numRuns: 60 },
    );
  });

  it('reports which labels were confused, from corrections', async () => {
    const { groups } = await stats({ task: 'classify_text' });
    const expected = new Map<string, number>();
    for (const { feedback, content } of all.filter(({ task }) => task === 'classify_text')) {
      if (!feedback) continue;
      const { label } = (content!.output as unknown as { readonly classification: { readonly label: string } })
        .classification;
      const corrected = feedback.correctedOutput as { readonly classification: string } | null;
      const pair = `${label} ${corrected?.classification ?? label}`;
      expected.set(pair, (expected.get(pair) ?? 0) + 1);
    }
    expect(expected.size).toBeGreaterThan(2);
    const { confusion } = groups[0]!;
    const told = confusion.map(({ answered, corrected, count }) => [`${answered} ${corrected}`, count] as const);
    expect(new Map(told)).toEqual(expected);
    expect(confusion.map(({ count }) => count)).toEqual([...expected.values()].toSorted((a, b) => b - a));
  });

  it.each(['colour', 'model,model', 'model,day,hour', ''])(
    'refuses group_by=%s, naming the allowed fields',
    async (by) => {
      await expect(stats({ group_by: by })).rejects.toThrow('one or two of model, version, label');
    },
  );

  function expectFigures(group: InferenceGroup, calls: readonly InferenceDocument[]): void {
    const having = (verdict: string | null) =>
      calls.filter((call) => (call.feedback?.verdict ?? null) === verdict).length;
    const [correct, incorrect, none] = [having('correct'), having('incorrect'), having(null)];
    expect(group).toMatchObject({
      count: calls.length,
      failed: calls.filter(({ status }) => status === 'failed').length,
      verdicts: { correct, incorrect, unsure: 0, none },
      accuracy: correct + incorrect === 0 ? null : correct / (correct + incorrect),
      cost: expect.closeTo(calls.length * 2e-9, 12),
    });
    const latencies = calls.map(({ latencyMs }) => latencyMs!).toSorted((a, b) => a - b);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
      ['p99', 0.99],
    ] as const) {
      const exact = latencies[Math.ceil(share * latencies.length) - 1]!;
      expect(group.latency_ms[name]! / exact).toBeGreaterThan(0.98);
      expect(group.latency_ms[name]! / exact).toBeLessThan(1.02);
    }
  }
});
