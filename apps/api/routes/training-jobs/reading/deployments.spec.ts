import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRunnerRole } from '#apps/runner/role.js';
import { compose } from '#apps/composition/compose.js';
import { bootstrap } from '#application/accounts/index.js';
import { systemContext } from '#log/context.js';
import { trainingJobDecider, type TrainingJobCommand } from '#domain/training-job/index.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { startTestApi, type TestParts } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { TrainingClient } from '#test/support/training-client.js';
import { metrics, trainingRequest } from '#test/support/training-events.js';
import { trips } from '#test/support/trips.js';
import { createApi } from '../../../create-api.js';
import { createLogger } from '#primitives/logging/logger.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';

const BASE = 'anneal/encoder-base-v1';

/** A system with a dataset, and what is asked of it. */
async function opened(parts: TestParts = {}) {
  const api = await startTestApi({ rateLimits: false }, { engines: QUICK_ENGINES, ...parts });
  const client = new TrainingClient(api);
  await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
  return {
    ...{ api, client },
    trained: async (): Promise<string> => {
      const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 });
      await client.ended(id);
      await client.automaticEvaluation(id);
      return id;
    },
    infer: (model_id: string, more: object = {}) =>
      api.call('POST', '/inference', { model_id, text: 'Anna wants to fly to Oslo', ...more }),
    /** Heartbeats tell it. */
    deploymentStatus: (id: string, expected: string) =>
      eventually(async () => (await client.job(id)).deployment_status === expected),
  };
}

describe('the deployment of a trained model', () => {
  let { api, client, trained, infer, deploymentStatus } = {} as Awaited<ReturnType<typeof opened>>;
  let id: string;
  beforeAll(async () => {
    ({ api, client, trained, infer, deploymentStatus } = await opened());
    id = await trained();
  });
  afterAll(() => api.close());

  it('is ready after a warm-up, and deployed with its first call', async () => {
    expect(await client.job(id)).toMatchObject({ status: 'complete', deployment_status: 'not_deployed' });
    expect(await infer(id, { is_warmup: true })).toMatchObject({ status: 200, body: { inference_id: null } });
    await deploymentStatus(id, 'ready');
    expect((await client.job(id)).status).toBe('complete');
    expect((await infer(id)).status).toBe(200);
    const job = await client.job(id);
    expect(job).toMatchObject({ status: 'deployed', normalized_status: 'complete', deployment_status: 'deployed' });
    expect(job.metrics).toBeDefined();
  });

  it('is listed with the context window of its base model', async () => {
    const { body } = await api.call('GET', `/v1/models/${id}`);
    expect(body.max_input_tokens).toBe(50_000);
  });

  it('is 409 if its weights have been removed', async () => {
    const gone = await trained();
    await api.application.ports.objectStore.deletePrefix(`jobs/${gone}/`);
    const { status, body } = await infer(gone);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('has no active deployment')]);
    expect((await infer(gone, { is_warmup: true })).status).toBe(409);
    await deploymentStatus(gone, 'failed');
  });

  it('fails while its weights are damaged, and is ready again once a warm-up loads them', async () => {
    const damaged = await trained();
    const { objectStore } = api.application.ports;
    const { key } = (await Array.fromAsync(objectStore.list(`jobs/${damaged}/1/artifact/`)))[0]!;
    const weights = Buffer.concat(await Array.fromAsync(await objectStore.get(key)));
    await objectStore.put(key, Buffer.from('other'));
    expect((await infer(damaged, { is_warmup: true })).status).toBe(409);
    await deploymentStatus(damaged, 'failed');
    await objectStore.put(key, weights);
    expect((await infer(damaged, { is_warmup: true })).status).toBe(200);
    await deploymentStatus(damaged, 'ready');
  });

  it('is refused for a checkpoint, which is only for training and evaluation', async () => {
    const [checkpoint] = await client.checkpoints(id);
    expect((await infer(checkpoint!.id)).status).toBe(404);
  });
});

describe('a trained model that was called', () => {
  it('is 425 with Retry-After while loading its weights takes longer than a call may wait', async () => {
    const { api, client, trained, infer, deploymentStatus } = await opened({ serving: { loadPatienceMs: 500 } });
    const id = await trained();
    // Every load of weights is held back until then.
    const gate = Promise.withResolvers<void>();
    const { objectStore } = api.application.ports;
    const get = objectStore.get.bind(objectStore);
    objectStore.get = async (key, range) => {
      if (key.includes('/artifact/')) await gate.promise;
      return get(key, range);
    };
    const [early, warmUp] = await Promise.all([infer(id), infer(id, { is_warmup: true })]);
    expect([early.status, warmUp.status]).toEqual([425, 425]);
    expect(early.body.detail).toContain('is warming up');
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await client.job(id)).toMatchObject({ status: 'complete', deployment_status: 'warming_up' });
    gate.resolve();
    // Loading continued without the client, so a client that waits as told is served.
    await deploymentStatus(id, 'ready');
    expect((await infer(id)).status).toBe(200);
    await api.drained();
    const { body } = await api.call('GET', `/inferences?training_job_id=${id}`);
    const failed = (body.inferences as { status: string; error_type: string | null }[]).at(-1);
    expect(failed).toMatchObject({ status: 'failed', error_type: 'model_not_ready', output: null });
    await api.close();
  });
});

it('a model is provisioning until the first runner arrives, and is then served', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'anneal-provisioning-'));
  const key = newApiKey();
  const settings = new Settings({ dataDir, durability: 'normal', logLevel: 'silent', bootstrapApiKey: key });
  const system = await compose(settings);
  const { application, secret } = system;
  const { workspaceId } = (await bootstrap(application, secret, settings)).user;
  const api = await createApi({
    application,
    settings,
    secret,
    engines: ENGINES,
    healthSources: [],
    logger: createLogger('silent'),
  });
  const jobId = '3f1c2d4e-0a6b-5c7d-8e9f-001122334455';
  const run = (command: TrainingJobCommand) =>
    application.execute(trainingJobDecider, jobId, command, systemContext('test', workspaceId));
  await run({
    type: 'request-training-job',
    ...trainingRequest(jobId),
    workspaceId,
    baseModel: { id: BASE, sha256: 'aa' },
  });
  await run({ type: 'claim-training-attempt', jobId, attempt: 1, runnerId: 'r/1' });
  const artifact = { objectPrefix: `jobs/${jobId}/1/artifact`, files: [{ name: 'a', sha256: 'aa', size: 1 }] };
  await run({ type: 'complete-training', jobId, attempt: 1, epochsRun: 1, metrics, artifact });
  const infer = async (model_id: string) => {
    const payload = { model_id, text: 'Anna', schema: ['person'] };
    const answer = await api.inject({ method: 'POST', url: '/inference', headers: { 'x-api-key': key }, payload });
    return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], detail: answer.json().detail };
  };
  expect(await infer(jobId)).toEqual({
    status: 409,
    retryAfter: '5',
    detail: expect.stringContaining('still provisioning'),
  });
  expect((await infer(BASE)).status).toBe(503);
  const role = startRunnerRole(system, { name: 'first', directory: join(dataDir, 'gpu-runner-1') });
  // The runner has the model now but cannot find its weights.
  expect(await infer(jobId)).toMatchObject({ status: 409, detail: expect.stringContaining('no active deployment') });
  expect((await infer(BASE)).status).toBe(200);
  await role.close();
  await api.close();
  await system.close();
  await rm(dataDir, { recursive: true, force: true });
});
