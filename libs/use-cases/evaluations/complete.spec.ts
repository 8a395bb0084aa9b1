import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import type { JsonObject } from '#domain/json.js';
import { streamName } from '#domain/streams.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { goldenEvents } from '#test/golden/events.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { completeEvaluation } from './complete.js';

it('an evaluation that decides on a promotion is read from the log, whatever its read model says', async () => {
  const api = await sharedTestApi();
  try {
    const { application } = api;
    const evaluationId = randomUUID();
    const metadata = {
      ...{ workspaceId: api.workspaceId, actor: 'system:test', occurredAt: new Date().toISOString() },
      ...{ correlationId: evaluationId, causationId: evaluationId, commandId: evaluationId },
    };
    const sampleOf = (type: string): JsonObject => ({
      ...goldenEvents.find((event) => event.type === type)!.data,
      ...{ evaluationId, workspaceId: api.workspaceId },
    });
    const events = ['evaluation-requested.v1', 'evaluation-attempt-claimed.v1', 'evaluation-completed.v1'].map(
      (type) => ({
        ...{ id: randomUUID(), type, metadata },
        data: sampleOf(type),
      }),
    );
    await application.ports.eventStore.append(streamName('evaluation', evaluationId), NO_STREAM, events);
    const forged = { id: evaluationId, sampleCount: 1, metrics: { f1: 1 }, predictions: { objectKey: 'forged' } };
    const readStore = { get: async () => forged };
    const changed = Object.create(application, {
      ports: { value: { ...application.ports, readStore } },
    }) as Application;
    expect(await completeEvaluation(changed, evaluationId)).toMatchObject({
      metrics: events[2]!.data['metrics'],
      predictions: events[2]!.data['predictions'],
    });
  } finally {
    await api.close();
  }
});
