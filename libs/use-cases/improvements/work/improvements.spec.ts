import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey } from '#primitives/secrets/index.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { uploadDataset } from '#test/support/datasets.js';
import { trips } from '#test/support/trips.js';
import { improvementDocuments } from '#projections/improvements/queries.js';
import type { Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { ForbiddenError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { Errands, isRefusal, type Errand } from '../../errands.js';
import { StartEvaluation } from '../../evaluations/commands/start.js';
import type { EvaluationOrder } from '../../evaluations/order.js';

const BASE = 'anneal/encoder-base-v1';
const OVER = ['done', 'failed', 'cancelled'];
const STAGES = ['training', 'evaluating', 'gating', ...OVER];

describeEmbedded('an improvement whose worker ends', 'it starts again on its data folder', () => {
  let directory: string;
  let api: TestSystem;
  const bootstrapApiKey = newApiKey();
  const start = () =>
    startTestApi({ rateLimits: false, dataDir: directory, bootstrapApiKey }, { engines: QUICK_ENGINES });
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-improvements-'));
    api = await start();
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is continued by the next worker at each stage, and no step is done twice', async () => {
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    await uploadDataset(api, { dataset_name: 'corrected', filename: 'corrected.jsonl' }, trips(20));
    const { body: job } = await api.call('POST', '/felix/training-jobs', {
      ...{ base_model: BASE, datasets: [{ name: 'trips' }], validation_data_percentage: 0.2 },
    });
    await api.until(
      () => api.call('GET', `/felix/training-jobs/${job.id}`),
      ({ body }) => body.status === 'complete',
    );
    await api.call('POST', '/models', { name: 'trips' });
    await api.call('POST', '/models/trips/versions', { training_job_id: job.id });
    await api.call('PUT', '/models/trips/versions/1/promote', { reason: 'the first' });
    const { body: asked } = await api.call('POST', '/models/trips/improve', { dataset_name: 'corrected' });
    const path = `/improvements/${asked.id}`;
    let seen = 'collecting';
    while (!OVER.includes(seen)) {
      await api.close();
      api = await start();
      const later = STAGES.slice(STAGES.indexOf(seen) + 1);
      const { body } = await api.until(
        () => api.call('GET', path),
        (answer) => later.includes(answer.body.status),
      );
      seen = body.status;
    }
    const { body } = await api.call('GET', path);
    expect(body).toMatchObject({ status: 'done', outcome: 'candidate', version: 2, reason: null });
    expect((await api.call('GET', '/felix/training-jobs')).body.total).toBe(2);
    // Evaluations of both jobs when they completed, and the champion's on the rows of the new one.
    await api.until(
      () => api.call('GET', '/felix/evaluations'),
      (answer) => answer.body.total === 3,
    );
    expect((await api.call('GET', '/models/trips')).body).toMatchObject({ labels: { candidate: 2 }, version: 1 });
  });

  it('finds the result of a step that has no event yet', async () => {
    const { body } = await api.call('GET', '/models/trips/improvements');
    const [{ id }] = body.improvements;
    const { jobId, request, requestedAt } = (await improvementDocuments.get(api.application.ports.readStore, id))!;
    const { workspaceId, requestedBy } = request;
    const errands = api.app.get(Errands);
    const order = { base_model: jobId!, dataset_name: 'corrected' };
    const ask = (step: string, of: EvaluationOrder = order) =>
      errands.give(
        {
          ...{ caller: { ...requestedBy, workspaceId }, askedAt: requestedAt },
          ...{ requestId: step, commandId: derivedId(id, step) },
        },
        StartEvaluation,
        of,
      );
    expect((await ask('once')).id).toBe((await ask('once')).id);
    const { eventStore } = api.application.ports;
    const append = eventStore.append.bind(eventStore);
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    eventStore.append = async (stream, ...rest) => {
      if (stream.startsWith('evaluation-')) {
        reached.resolve();
        await released.promise;
      }
      return append(stream, ...rest);
    };
    const asked = ask('held');
    await reached.promise;
    // While the outcome of the first try is open, another one leaves the improvement as it is.
    const again = await ask('held').catch((error: unknown) => error);
    expect([isRefusal(again), again]).toEqual([false, expect.any(UnavailableError)]);
    released.resolve();
    eventStore.append = append;
    const first = await asked;
    expect((await ask('held')).id).toBe(first.id);
    const refused = await ask('gone', { ...order, dataset_name: 'gone' }).catch((error: unknown) => error);
    expect([isRefusal(refused), refused]).toEqual([true, expect.any(NotFoundError)]);
  });

  it('is refused a step once the person who asked may no longer change anything', async () => {
    const errands = api.app.get(Errands);
    const { body } = await api.call('GET', '/models/trips/improvements');
    const { request, requestedAt } = (await improvementDocuments.get(
      api.application.ports.readStore,
      body.improvements[0].id,
    ))!;
    const errand = (caller: Partial<Caller>): Errand => ({
      caller: { ...request.requestedBy, workspaceId: request.workspaceId, ...caller },
      ...{ askedAt: requestedAt, requestId: 'r', commandId: derivedId('any', JSON.stringify(caller)) },
    });
    const order = { base_model: 'any', dataset_name: 'any' };
    await expect(errands.give(errand({ userId: 'gone' }), StartEvaluation, order)).rejects.toThrow(
      'its owner is no longer a member',
    );
    await expect(errands.give(errand({ scopes: ['read'] }), StartEvaluation, order)).rejects.toThrow(ForbiddenError);
  });
});
