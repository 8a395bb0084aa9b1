import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Application } from '#application/application.js';
import { modelStreamId } from '#application/models.js';
import { distillationDecider, distillationOf } from '#domain/distillation/index.js';
import type { JsonObject } from '#domain/json.js';
import { systemContext } from '#log/context.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import type { TestApi } from '#test/support/api.js';
import { ReadModelFile } from '#test/support/read-model-file.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { CascadeWatch, WATCHED_CALLS } from './cascade-watch.js';
import { ComparedCalls } from './compared-calls.js';

describeEmbedded('the watch over a distilled version with a changed read model', 'it changes a file', () => {
  let api: TestApi;
  let of: { readonly distillationId: string; readonly modelId: string; readonly workspaceId: string };
  beforeAll(async () => {
    api = await sharedTestApi();
    const { workspaceId } = api;
    of = { distillationId: randomUUID(), modelId: modelStreamId(workspaceId, 'watched'), workspaceId };
    // Together: one that has not ended is taken through its stages.
    await append(`distillation-${of.modelId}`, [
      ['distillation-requested.v1', { ...REQUEST, requestedAt: AT }],
      ['distillation-calibrated.v1', { bound: BOUND, calibratedAt: AT }],
      ['distillation-ended.v1', { outcome: 'in_use', version: 1, reason: null, endedAt: AT }],
    ]);
  });
  afterAll(() => api.close());

  const append = (stream: string, events: readonly (readonly [string, JsonObject])[]) =>
    api.application.ports.eventStore.append(
      stream,
      NO_STREAM,
      events.map(([type, data]) => {
        const { now: occurredAt, ...context } = systemContext('test', of.workspaceId);
        const metadata = { ...context, causationId: context.commandId, occurredAt };
        return { id: randomUUID(), type, data: { ...data, ...of }, metadata };
      }),
    );
  const compared = (reason: string, agrees: boolean, calls: number) => {
    const cascade = { distillationId: of.distillationId, by: 'teacher', reason, certainty: 0.95, agrees };
    const call = () => ['call-metered.v1', { ...CALL, inferenceId: randomUUID(), at: AT, cascade }] as const;
    return append(`metered-20300101-${randomUUID()}`, Array.from({ length: calls }, call));
  };
  const look = async () => {
    const { ports } = api.application;
    const [requested] = await Array.fromAsync(ports.eventStore.readStream(`distillation-${of.modelId}`));
    await new CascadeWatch(api.application).look({ ...of, step: 0 }, requested!.position);
    return distillationOf(await api.application.load(distillationDecider, of.modelId), of.distillationId)!.cascade;
  };

  it('opens the student and returns to the teacher by the calls on the log', async () => {
    await api.drained();
    const file = new ReadModelFile(api, 'cascades');
    const watched = Array.from({ length: WATCHED_CALLS }, () => ({ certainty: 0.99, agrees: true }));
    await file.change(of.distillationId, { watched });
    expect(await look()).toMatchObject({ state: 'watching' });
    await compared('watching', true, WATCHED_CALLS);
    expect(await look()).toMatchObject({ state: 'open' });
    await compared('audit', false, 40);
    await api.drained();
    await file.change(of.distillationId, { evidence: { wealth: [1, 1, 1], audited: 40, disagreements: 0 } });
    expect(await look()).toMatchObject({ state: 'returned', reason: expect.stringContaining('40 were not') });
  });

  it('counts from where an earlier leader was, unless what it left is not signed', async () => {
    const { ports, storedEvents } = api.application;
    const [requested] = await Array.fromAsync(ports.eventStore.readStream(`distillation-${of.modelId}`));
    const counted = async () => {
      const after: unknown[] = [];
      const seen = {
        eventAt: (position: string) => storedEvents.eventAt(position),
        readAll(options: Parameters<typeof storedEvents.readAll>[0]) {
          after.push(options?.after);
          return storedEvents.readAll(options);
        },
      };
      const calls = new ComparedCalls({ ports, storedEvents: seen } as unknown as Application);
      const document = await calls.of(of.distillationId, requested!.position);
      return { after: after[0], audited: document?.evidence.audited };
    };
    const { position: before } = await storedEvents.head();
    for (let at = 0; at < 4; at += 1) await compared('audit', true, 500);
    const first = await counted();
    expect(first.audited).toBeGreaterThanOrEqual(2_000);
    await compared('audit', true, 1);
    const second = await counted();
    expect([String(second.after) > before!, second.audited]).toEqual([true, first.audited! + 1]);
    const stored = new DatabaseSync(join(api.settings.dataDir, 'coordination.db'));
    stored.exec(
      `UPDATE entries SET value = replace(value, '"disagreements":', '"disagreements":1') WHERE key LIKE 'counts:%'`,
    );
    stored.close();
    expect(await counted()).toEqual({ after: requested!.position, audited: first.audited! + 1 });
  });
});

const AT = '2030-01-01T00:00:00.000Z';
const BOUND = { threshold: 0.9, answered: 100, disagreements: 1, judged: 110 };
const REQUEST = {
  ...{ name: 'watched', teacher: 'acme/chat', task: null, unmapped: 'null', baseModel: 'anneal/encoder-base-v1' },
  requestedBy: { kind: 'key', userId: 'u', teamId: 't', keyId: 'k' },
  from: { projectId: null, since: null, until: null },
  ...{ targetAgreement: 0.9, auditShare: 0.1 },
};
const CALL = {
  ...{ teamId: 't', userId: 'u', keyId: 'k', modelId: 'watched', modelName: 'watched', modelVersion: 1 },
  ...{
    baseModel: 'acme/chat',
    trainingJobId: null,
    projectId: null,
    task: 'generate',
    source: 'api',
    format: 'openai',
  },
  ...{ status: 'success', errorType: null, latencyMs: 1, ttftMs: null, inputTokens: 1, outputTokens: 1 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, price: { input: '0', output: '0', cacheRead: '0', cacheWrite: '0' } },
  ...{ costPicodollars: '0', stored: false, contentHmac: null },
};
